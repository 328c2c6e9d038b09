import Foundation
import Testing

@testable import LiveActivityKit

@Suite("A pairing link") struct PairingLinkTests {
    private struct Exchange: HTTPExchanging {
        var answer: HTTPAnswer

        func exchange(_ request: RelayRequest, relay: URL, token: String?) async throws(LiveActivityError) -> HTTPAnswer {
            let body = #"{"code":"7Q2MW","kind":"app","name":"Ada's phone"}"#
            guard token == nil, request.path == "/v1/pair", request.method == .post, request.body == Data(body.utf8) else {
                throw LiveActivityError(.refused, "an unexpected request")
            }
            return answer
        }
    }

    @Test("leads to its relay, also below another site")
    func reads() throws {
        #expect(try PairingLink(" https://relay.example/#pair=7Q2MW\n").relay.absoluteString == "https://relay.example")
        #expect(try PairingLink("https://example.org/relay/#pair=7Q2MW").relay.absoluteString == "https://example.org/relay")
    }

    @Test("what is for hosts alone is not taken for a part of the code")
    func trust() throws {
        #expect(try PairingLink("https://relay.example/#pair=7Q2MW&k=AQID").code == "7Q2MW")
    }

    @Test(
        "for a host, without a code, or over an open network is none",
        arguments: [
            "", "https://relay.example", "https://relay.example/#pair=", "https://relay.example/#host=7Q2MW",
            "http://relay.example/#pair=7Q2MW", "https://ada@relay.example/#pair=7Q2MW", "https://relay.example/#pair=a b",
        ])
    func refuses(text: String) {
        #expect { try PairingLink(text) } throws: { ($0 as? LiveActivityError)?.code == .badLink }
    }

    @Test("gives a client's token and no other")
    func redeems() async throws {
        let link = try PairingLink("https://relay.example/#pair=7Q2MW")
        let good = HTTPAnswer(status: 200, body: Data(#"{"token":"hgc_1","role":"client","name":"Ada's phone"}"#.utf8))
        #expect(try await link.redeem(name: "Ada's phone", exchange: Exchange(answer: good)).token == "hgc_1")
        for text in [#"{"token":"hgh_1","role":"host","name":"x"}"#, #"{"token":"a\nb","role":"client","name":"x"}"#, "hello"] {
            let exchange = Exchange(answer: HTTPAnswer(status: 200, body: Data(text.utf8)))
            await #expect(throws: LiveActivityError.self) { try await link.redeem(name: "Ada's phone", exchange: exchange) }
        }
    }
}

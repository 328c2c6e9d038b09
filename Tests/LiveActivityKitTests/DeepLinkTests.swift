import Foundation
import RelayProtocol
import Testing

@testable import LiveActivityKit

@Suite("Deep links") struct DeepLinkTests {
    @Test("what is written can be read")
    func roundTrip() throws {
        for link in [DeepLink.session("sess_7f3a"), .approval(session: "s-1", id: "req_91")] {
            #expect(try DeepLink(link.url) == link)
            #expect(link.url.absoluteString == link.text)
        }
        #expect(DeepLink.approval(session: "s", id: "a").text == "heliograph://approval/s/a")
        #expect(try DeepLink(parsing: "HELIOGRAPH://session/S1") == .session("S1"))
    }

    @Test(
        "nothing else is a link",
        arguments: [
            "", "heliograph:", "heliograph://", "heliograph://session", "heliograph://session/", "heliograph://session/a/",
            "heliograph://session/a/b", "heliograph://approval/s", "heliograph://approval/s/a/b", "heliograph://approval//a",
            "heliograph://session/a?allow=1", "heliograph://session/a#b", "heliograph://session/%61",
            "heliograph://user@session/a", "heliograph://session:1/a", "heliograph:///session/a", "heliograph://Session/a",
            "heliograph://settings/a", "https://session/a", "heliograph://session/ä", "heliograph://session/a b",
            "heliograph://session/" + String(repeating: "a", count: 65),
            "heliograph://session/" + String(repeating: "a", count: 1 << 20),
        ])
    func refusals(text: String) {
        #expect { try DeepLink(parsing: text) } throws: { ($0 as? LiveActivityError)?.code == .badLink }
    }

    @Test("an identifier is what the relay takes for one")
    func identifiers() {
        for text in ["", "a", "A-Z_09", "a.b", "ä", String(repeating: "x", count: 64), String(repeating: "x", count: 65)] {
            #expect(DeepLink.isIdentifier(text) == (SessionID(text) != nil), "\(text)")
        }
    }
}

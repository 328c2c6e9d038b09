import RelayProtocol
import Testing

@testable import HeliographHost

@Suite("Addresses and pairing")
struct RelayAddressTests {
    @Test(
        "an address says where and how",
        arguments: [
            ("https://relay.example", true, "relay.example", 443, "", "https://relay.example"),
            ("https://relay.example/", true, "relay.example", 443, "", "https://relay.example"),
            ("http://127.0.0.1:8787/a/b/", false, "127.0.0.1", 8787, "/a/b", "http://127.0.0.1:8787/a/b"),
            ("https://[::1]:9", true, "::1", 9, "", "https://[::1]:9"), ("wss://r:1", true, "r", 1, "", "https://r:1"),
        ] as [(String, Bool, String, UInt16, String, String)])
    func good(_ text: String, _ isTLS: Bool, _ host: String, _ port: UInt16, _ path: String, _ url: String) throws {
        let address = try RelayAddress(text)
        #expect(address.isTLS == isTLS && address.host == host && address.port == port && address.basePath == path)
        #expect(address.url == url)
    }

    @Test(
        "and nothing else",
        arguments: [
            "", "relay.example", "ftp://x", "https://", "https://:1", "https://x:0", "https://x:99999", "https://x:",
            "https://[::1",
            "https://u:p@x", "https://x/?q", "https://x/#f", "https://x y", "http:/x",
        ])
    func bad(_ text: String) { #expect(throws: HostError.self) { try RelayAddress(text) } }

    @Test("a pairing link names its relay, its code and whom it is for")
    func link() throws {
        let link = try PairingLink("https://relay.example/#host=ABC-123")
        #expect(link.role == .host && link.code == "ABC-123" && link.relay.url == "https://relay.example")
        #expect(try PairingLink("http://localhost:1/#pair=x").role == .client)
    }

    @Test(
        "and is whole",
        arguments: ["https://x", "https://x/#host=", "https://x/#host", "https://x/#other=1", "#host=1", "x#host=1"])
    func badLink(_ text: String) { #expect(throws: HostError.self) { try PairingLink(text) } }

    @Test("what the relay answers is read strictly")
    func grant() throws {
        let body = Array(#"{"token":"t","role":"host","name":"laptop"}"#.utf8)
        #expect(try PairingRequest.grant(200, body) == PairingRequest.Grant(token: "t", role: .host, name: "laptop"))
        #expect(throws: HostError.self) { try PairingRequest.grant(404, body) }
        #expect(throws: HostError.self) { try PairingRequest.grant(500, body) }
        #expect(throws: HostError.self) { try PairingRequest.grant(200, Array("<html>".utf8)) }
        let response = try PlainPost.parse(Array("HTTP/1.1 200 OK\r\nX: y\r\n\r\n{}".utf8))
        #expect(response.status == 200 && response.body == Array("{}".utf8))
        #expect(throws: HostError.self) { try PlainPost.parse(Array("SSH-2.0\r\n".utf8)) }
    }

    @Test("a token is not sent over a network without TLS")
    func noTLS() throws {
        let request = PairingRequest(relay: try RelayAddress("http://192.0.2.1"), code: "c", name: "n")
        #expect(throws: HostError.self) { try request.redeem() }
    }
}

import RelayProtocol
import Testing

@testable import RelayAccess

struct RelayAddressTests {
    @Test(arguments: [
        ("https://relay.example", "https://relay.example"), ("relay.example", "https://relay.example"),
        ("localhost:7800", "http://localhost:7800"), ("ws://h:80/", "http://h"), ("wss://h:8443/x/", "https://h:8443/x"),
        ("http://[::1]:7800", "http://[::1]:7800"), ("unix:/run/a.sock", "unix:/run/a.sock"), ("unix:///run/a", "unix:/run/a"),
        ("unix:/home/j\u{F6}/my data/relay.sock", "unix:/home/j\u{F6}/my data/relay.sock"),
    ])
    func addresses(_ text: String, _ normal: String) {
        #expect(RelayAddress(text)?.description == normal)
        #expect(RelayAddress(normal) == RelayAddress(text))
    }

    @Test(arguments: [
        "unix:/tmp/a\u{7F}",
        // Found by fuzzing: it was taken, and read again as another.
        "http://[..%....1]:8",
        "", "ftp://x", "http://", "http://u:p@x", "http://x:0", "http://x:99999", "http://x?y", "http://x#y", "unix:rel",
        "http://a b", "http://x\r\ny", "unix:/run/x\ny", "http://-oProxy", "[::1", "http://ex\u{430}mple",
    ])
    func noAddresses(_ text: String) {
        #expect(RelayAddress(text) == nil)
    }

    @Test func links() {
        let link = PairingLink("https://relay.example/#pair=abc-123")
        #expect(link?.relay.description == "https://relay.example" && link?.code == "abc-123" && link?.role == .client)
        #expect(PairingLink("http://10.0.0.2:7800/#host=x")?.role == .host)
        let trusting = PairingLink("https://relay.example/#pair=abc-123&k=AQID")
        #expect(trusting?.code == "abc-123" && trusting?.trust == "AQID", "the relay gets the code alone")
        for text in [
            "https://relay.example/", "https://x/#pair=", "https://x/#other=1", "#pair=1", "https://x/#pair=a b",
            "https://x/#pair=a&",
            "https://x/#pair=a&k=", "https://x/#pair=a&j=b", "https://x/#host=a&k=b",
        ] {
            #expect(PairingLink(text) == nil)
        }
    }
}

struct PairingTests {
    private func answer(_ text: String) throws -> HTTPExchange.Answer? {
        try HTTPExchange.answer(in: Array(text.utf8), isWhole: false)
    }

    @Test func aHostShowsItsOldTokenInTheBody() throws {
        let link = try #require(PairingLink("https://relay.example/#host=abc"))
        func text(_ previous: String?) -> String {
            String(decoding: PairingRequest(link: link, name: "me", previousToken: previous).body, as: UTF8.self)
        }
        #expect(text(nil) == #"{"code":"abc","name":"me"}"#)
        #expect(text("hgh_x") == #"{"code":"abc","name":"me","previous":"hgh_x"}"#)
    }

    @Test func answersAreReadWhenTheyAreWhole() throws {
        #expect(try answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{") == nil)
        #expect(try answer("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}") == .init(status: 200, body: Array("{}".utf8)))
        let chunked = "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n2;x\r\n{\"\r\n3\r\na\":\r\n0\r\n\r\n"
        #expect(try answer(chunked) == .init(status: 201, body: Array("{\"a\":".utf8)))
        #expect(try answer(String(chunked.dropLast(6))) == nil)
        #expect(try HTTPExchange.answer(in: Array("HTTP/1.0 200 OK\r\n\r\nxy".utf8), isWhole: true)?.body == Array("xy".utf8))
    }

    @Test(arguments: [
        "SSH-2.0-x\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ])
    func otherAnswersAreRefused(_ text: String) {
        #expect(throws: HTTPError.self) { try answer(text) }
    }

    @Test func whatTheRelayGivesIsChecked() throws {
        func read(_ status: Int, _ text: String) throws(PairingError) -> PairingRequest.Result {
            try PairingRequest.read(.init(status: status, body: Array(text.utf8)), role: .client)
        }
        #expect(try read(200, #"{"token":"t","role":"client","name":"me"}"#).token == "t")
        #expect(throws: PairingError.otherRole(.host)) { try read(200, #"{"token":"t","role":"host","name":"me"}"#) }
        #expect(throws: PairingError.notARelay) { try read(200, "<html>") }
        #expect(throws: PairingError.notARelay) { try read(200, #"{"token":"a\r\nb","role":"client","name":"me"}"#) }
        #expect(throws: PairingError.refused(status: 410, "used")) {
            try read(410, #"{"error":{"code":"closed","message":"used"}}"#)
        }
        for (status, text) in [(405, "<html>"), (404, ""), (403, #"{"detail":"no"}"#), (301, "")] {
            #expect(throws: PairingError.notARelay) { try read(status, text) }
        }
        for status in [429, 502] {
            #expect(throws: PairingError.refused(status: status, nil)) { try read(status, "<html>") }
        }
    }
}

struct ExchangeWordsTests {
    @Test(
        arguments: [
            (
                7, "curl: (7) Failed to connect to relay.example port 443 after 0 ms: Couldn't connect to server",
                "nothing listens there"
            ),
            (6, "curl: (6) Could not resolve host: relay.exampl", "the host name is unknown"),
            (
                35, "curl: (35) error:0A00010B:SSL routines::wrong version number",
                "what listens there does not speak TLS: is its address http://…?"
            ),
            (
                35, "curl: (35) error:0A000410:SSL routines::sslv3 alert handshake failure",
                "no TLS connection comes about: sslv3 alert handshake failure"
            ),
            (52, "curl: (52) Empty reply from server", "it hung up without an answer"),
            (63, "curl: (63) Maximum file size exceeded", "Maximum file size exceeded"), (99, "", "curl ended with 99"),
        ] as [(Int32, String, String)])
    func noAnswerIsSaidInWordsOfOurs(_ code: Int32, _ said: String, _ words: String) {
        #expect(HTTPExchange.words(for: code, said: said) == words)
    }
}

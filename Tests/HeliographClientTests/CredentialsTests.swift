import Glibc
import RelayProtocol
import Testing

@testable import HeliographClient

struct CredentialsTests {
    private let folder: String
    private var options = ClientOptions()

    init() {
        folder = "/tmp/heliograph-client-tests-\(UInt64.random(in: .min ... .max))"
        options.environment = Environment(["XDG_CONFIG_HOME": folder, "HOME": "/nowhere"])
    }

    private let stored = Credentials(relay: RelayAddress("https://relay.example")!, token: "stored", name: "me")

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        unsafe stat(path, &status)
        return status.st_mode & 0o777
    }

    private func removeFolder() {
        let file = ClientFile(options)
        _ = try? file.remove()
        unsafe rmdir(folder + "/heliograph")
        unsafe rmdir(folder)
    }

    @Test func theFileIsForItsOwnerOnly() throws {
        defer { removeFolder() }
        let file = ClientFile(options)
        #expect(try file.read() == nil)
        try file.write(stored)
        #expect(mode(file.path) == 0o600)
        #expect(mode(folder + "/heliograph") == 0o700)
        #expect(try file.read() == stored)
        unsafe chmod(file.path, 0o644)
        #expect(throws: ClientFault.self) { try file.read() }
        try file.write(stored)
        #expect(mode(file.path) == 0o600)
        #expect(try file.remove())
        #expect(try file.remove() == false)
    }

    @Test func flagsGoBeforeEnvironmentBeforeFile() throws {
        defer { removeFolder() }
        try ClientFile(options).write(stored)
        #expect(try Credentials.resolve(options) == stored)
        var others = options
        others.environment = Environment([
            "XDG_CONFIG_HOME": folder, "HELIOGRAPH_RELAY": "http://127.0.0.1:7800", "HELIOGRAPH_TOKEN": "other",
        ])
        #expect(try Credentials.resolve(others).token == "other")
        #expect(try Credentials.resolve(others).relay == RelayAddress("127.0.0.1:7800"))
        others.relay = "https://third.example"
        #expect(try Credentials.resolve(others).relay.description == "https://third.example")
    }

    @Test func aStoredTokenGoesToNoOtherRelay() throws {
        defer { removeFolder() }
        try ClientFile(options).write(stored)
        var others = options
        others.relay = "https://evil.example"
        #expect(throws: ClientFault.self) { try Credentials.resolve(others) }
        others.fallbackCredentials = { Credentials(relay: RelayAddress("http://localhost:7800")!, token: "local") }
        #expect(throws: ClientFault.self) { try Credentials.resolve(others) }
        others.relay = "wss://RELAY.example:443/"
        #expect(try Credentials.resolve(others).token == "stored")
    }

    @Test func withoutAFileTheFallbackIsAsked() throws {
        var others = options
        others.fallbackCredentials = { Credentials(relay: RelayAddress("unix:/run/h.sock")!, token: "local") }
        #expect(try Credentials.resolve(others).token == "local")
        others.fallbackCredentials = { nil }
        do {
            _ = try Credentials.resolve(others)
            Issue.record("nothing was thrown")
        } catch { #expect(error.exit == .unauthorised) }
    }

    @Test(arguments: [
        ("https://relay.example", "https://relay.example"), ("relay.example", "https://relay.example"),
        ("localhost:7800", "http://localhost:7800"), ("ws://h:80/", "http://h"), ("wss://h:8443/x/", "https://h:8443/x"),
        ("http://[::1]:7800", "http://[::1]:7800"), ("unix:/run/a.sock", "unix:/run/a.sock"), ("unix:///run/a", "unix:/run/a"),
    ])
    func addresses(_ text: String, _ normal: String) {
        #expect(RelayAddress(text)?.description == normal)
        #expect(RelayAddress(normal) == RelayAddress(text))
    }

    @Test(arguments: [
        "", "ftp://x", "http://", "http://u:p@x", "http://x:0", "http://x:99999", "http://x?y", "http://x#y", "unix:rel",
        "http://a b", "http://x\r\ny", "http://-oProxy", "[::1", "http://ex\u{430}mple",
    ])
    func noAddresses(_ text: String) {
        #expect(RelayAddress(text) == nil)
    }

    @Test func links() {
        let link = PairingLink("https://relay.example/#pair=abc-123")
        #expect(link?.relay.description == "https://relay.example" && link?.code == "abc-123" && link?.role == .client)
        #expect(PairingLink("http://10.0.0.2:7800/#host=x")?.role == .host)
        for text in ["https://relay.example/", "https://x/#pair=", "https://x/#other=1", "#pair=1", "https://x/#pair=a b"] {
            #expect(PairingLink(text) == nil)
        }
    }
}

struct PairingTests {
    private func answer(_ text: String) throws -> HTTPExchange.Answer? {
        try HTTPExchange.answer(in: Array(text.utf8), isWhole: false)
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
        #expect(throws: HTTPFault.self) { try answer(text) }
    }

    @Test func whatTheRelayGivesIsChecked() throws {
        func read(_ status: Int, _ text: String) throws(PairingFault) -> PairingRequest.Result {
            try PairingRequest.read(.init(status: status, body: Array(text.utf8)), role: .client)
        }
        #expect(try read(200, #"{"token":"t","role":"client","name":"me"}"#).token == "t")
        #expect(throws: PairingFault.otherRole(.host)) { try read(200, #"{"token":"t","role":"host","name":"me"}"#) }
        #expect(throws: PairingFault.notARelay) { try read(200, "<html>") }
        #expect(throws: PairingFault.notARelay) { try read(200, #"{"token":"a\r\nb","role":"client","name":"me"}"#) }
        #expect(throws: PairingFault.refused(status: 410, "used")) {
            try read(410, #"{"error":{"code":"closed","message":"used"}}"#)
        }
    }
}

import Glibc
import RelayAccess
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
        #expect(throws: ClientError.self) { try file.read() }
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
        #expect(throws: ClientError.self) { try Credentials.resolve(others) }
        others.fallbackCredentials = { Credentials(relay: RelayAddress("http://localhost:7800")!, token: "local") }
        #expect(throws: ClientError.self) { try Credentials.resolve(others) }
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

    @Test func namedDataIsMeantWhereverTheTerminalIsLoggedIn() throws {
        defer { removeFolder() }
        try ClientFile(options).write(stored)
        var named = options
        named.namedData = "/srv/relay"
        named.fallbackCredentials = { Credentials(relay: RelayAddress("unix:/srv/relay/h.sock")!, token: "local") }
        #expect(try Credentials.resolve(named).token == "local")
        named.fallbackCredentials = { nil }
        do {
            _ = try Credentials.resolve(named)
            Issue.record("another relay was taken")
        } catch { #expect(error.exit == .unauthorised && error.message.contains("/srv/relay")) }
        named.relay = "https://relay.example"
        #expect(try Credentials.resolve(named).token == "stored")
    }
}

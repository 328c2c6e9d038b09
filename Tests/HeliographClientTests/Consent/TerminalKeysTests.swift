import Consent
import ConsentKeys
import Glibc
import RelayProtocol
import Testing

@testable import HeliographClient

@Suite("A terminal's keys and hosts")
final class TerminalKeysTests {
    private let folder = "/tmp/heliograph-client-tests-\(UInt64.random(in: .min ... .max))"
    private let options: ClientOptions
    private let host = PrivateKeys().identity

    init() {
        var options = ClientOptions()
        options.environment = Environment(["XDG_CONFIG_HOME": folder, "HOME": "/nowhere"])
        self.options = options
    }

    deinit {
        for name in ["terminal-keys.json", "terminal-keys.json.lock", "hosts.json", "hosts.json.lock"] {
            unsafe unlink("\(folder)/heliograph/\(name)")
        }
        unsafe rmdir(folder + "/heliograph")
        unsafe rmdir(folder)
    }

    private func pin() throws {
        try TerminalKeys(options).pin(HostPin(sign: host.sign, box: host.box, name: "laptop", since: 1, .openSSL))
    }

    @Test("keys are made at the first join, are the owner's alone, and stay")
    func keys() throws {
        let keys = TerminalKeys(options)
        #expect(try keys.identity() == nil)
        let id = try keys.identityToJoin().id
        #expect(try keys.identityToJoin().id == id && TerminalKeys(options).identity()?.id == id)
        var status = stat()
        unsafe stat(folder + "/heliograph/terminal-keys.json", &status)
        #expect(status.st_mode & 0o777 == 0o600)
        unsafe chmod(folder + "/heliograph/terminal-keys.json", 0o644)
        #expect(throws: ClientError.self) { try keys.identity() }
    }

    @Test("no two commands at a time have the same count")
    func counts() async throws {
        let options = self.options
        let counts = try await withThrowingTaskGroup(of: [Int64].self) { group in
            for _ in 0..<4 {
                group.addTask { try (0..<8).map { _ in try TerminalKeys(options).nextCount() } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(counts.sorted() == Array(1...32))
        try pin()
        #expect(try TerminalKeys(options).nextCount() == 33, "a host that joins takes no count back")
    }

    @Test("nothing is signed for a host that does not trust this terminal, and the words say how to change that")
    func untrusted() throws {
        let signer = TerminalSigner(options)
        func sign() throws(ClientError) -> String? {
            try signer.signature(
                .prompt(.init(text: "go on")), of: SessionID("s")!, CommandID("k")!, for: host.id, named: "laptop")
        }
        #expect { _ = try sign() } throws: {
            ($0 as? ClientError)?.message == "this terminal is not trusted by laptop yet"
                && ($0 as? ClientError)?.advice?.contains("heliograph host trust") == true
        }
        #expect(
            try signer.signature(.interrupt, of: SessionID("s")!, CommandID("k")!, for: host.id, named: nil) == nil,
            "an interrupt needs none")
        _ = try TerminalKeys(options).identityToJoin()
        #expect(throws: ClientError.self) { _ = try sign() }
        try pin()
        let (first, second) = (try SignatureText(parsing: sign() ?? ""), try SignatureText(parsing: sign() ?? ""))
        #expect(first.number == 1 && second.number == 2)
    }
}

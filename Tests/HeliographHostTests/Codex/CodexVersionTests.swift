import Testing

@testable import HeliographHost

@Suite("Codex: versions")
struct CodexVersionTests {
    @Test(
        "the terminal of 0.157 and later shares its server",
        arguments: [
            ("codex-cli 0.163.0", true), ("codex-cli 0.157.0", true), ("codex-cli 1.0.0", true), ("codex-cli 0.156.1", false),
            ("codex-cli 0.153.4", false), ("0.99.0-alpha.1", false),
        ])
    func shares(said: String, isRight: Bool) throws {
        let version = try #require(CodexVersion(said: said))
        #expect((version.shortcoming == nil) == isRight)
    }

    @Test(
        "the oldest also do not say whose prompt a message is",
        arguments: [("codex-cli 0.133.0", true), ("codex-cli 0.136.0", false)])
    func names(said: String, isUnknown: Bool) throws {
        let shortcoming = try #require(CodexVersion(said: said)?.shortcoming)
        #expect(shortcoming.words.contains("unknown") == isUnknown)
        #expect(shortcoming.mend.contains("--remote unix://"))
    }

    @Test("other words are no version", arguments: ["", "codex-cli", "codex-cli next", "codex-cli 0", "codex-cli -1.5"])
    func none(said: String) { #expect(CodexVersion(said: said) == nil) }
}

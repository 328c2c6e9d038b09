internal import HeliographHook
internal import HostCore
internal import RelayProtocol

/// `codex.json` in the configuration directory, present while Codex is connected.
///
/// | key | type | meaning |
/// |---|---|---|
/// | `home` | string | Codex's own folder, `$CODEX_HOME` or `~/.codex`: a daemon lacks the environment of the shell in which Codex
/// runs |
struct CodexSettings: Equatable {
    static let bytesMax = 16 << 10

    var home: String

    static func file(_ paths: HostPaths) -> String { paths.configDirectory + "/codex.json" }

    /// Nil if Codex is not connected.
    static func load(_ paths: HostPaths) throws(HostError) -> CodexSettings? {
        let path = file(paths)
        guard let bytes = try Files.read(path, bytesMax: bytesMax) else { return nil }
        guard let home = (try? JSONDocument(parsing: bytes).root.object())?.text("home"), home.hasPrefix("/") else {
            throw HostError(.badConfiguration, "\(path) is not as `heliograph connect codex` writes it")
        }
        return CodexSettings(home: home)
    }

    /// Codex's home folder, found as Codex itself finds it.
    static func home(_ paths: HostPaths) -> String {
        if let home = HostPaths.variable("CODEX_HOME"), home.hasPrefix("/") { return home }
        return paths.home + "/.codex"
    }

    var bytes: [UInt8] { JSONWriter.object { $0.field("home", home) } + [UInt8(ascii: "\n")] }
}

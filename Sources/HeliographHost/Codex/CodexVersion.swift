/// The part of Codex's version that decides which features work.
struct CodexVersion: Comparable {
    /// The oldest version whose terminal starts the server that it shares. In 0.156 this is a feature that is off.
    static let sharing = CodexVersion(major: 0, minor: 157)
    /// The oldest version known to report whose prompt a message is. 0.133 does not, so that the outcome of a client's prompt is
    /// unknown.
    static let naming = CodexVersion(major: 0, minor: 136)

    private let major: Int
    private let minor: Int

    private init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads a version such as `codex-cli 0.163.0`; nil for other text.
    init?(said: String) {
        guard let word = said.split(separator: " ").last else { return nil }
        let parts = word.split(separator: ".")
        guard parts.count >= 2, let major = Int(parts[0]), let minor = Int(parts[1]), major >= 0, minor >= 0 else { return nil }
        self.init(major: major, minor: minor)
    }

    static func < (left: CodexVersion, right: CodexVersion) -> Bool {
        (left.major, left.minor) < (right.major, right.minor)
    }

    /// A sentence about what does not work with this version, and the remedy; nil if everything works.
    var shortcoming: (words: String, mend: String)? {
        guard self < Self.sharing else { return nil }
        let unknown = self < Self.naming ? ", and the outcome of a client's prompt is unknown" : ""
        return (
            "its terminal shares no server, so sessions are reported only if you start both by hand\(unknown)",
            "update Codex to 0.157 or later, or run `codex app-server --listen unix://`, then `codex --remote unix://`"
        )
    }
}

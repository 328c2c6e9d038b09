internal import Glibc
internal import HostCore
internal import RelayProtocol

/// Finds the process that has a session of Claude Code open, in Claude Code's own registry. If two write one session, one's
/// messages are lost, and the program itself does not prevent that.
enum LiveSessions {
    /// Entries that are read; ended processes sometimes leave theirs.
    private static let countMax = 4_096

    /// The reason why a program of ours must not open this session too; nil if it may.
    static func refusal(toOpen session: String) -> String? {
        process(of: session, in: ClaudeDirectory.path()).map { refusal(process: $0) }
    }

    static func refusal(process: Int32?) -> String {
        "this session is open in another program\(process.map { " (process \($0))" } ?? ""): end it there first"
    }

    /// The process that has the session open; nil if none has, as far as the registry can be read. `ancestor` and its descendants
    /// do not count.
    static func process(of session: String, in configDirectory: String, except ancestor: Int32? = nil) -> Int32? {
        let directory = configDirectory + "/sessions"
        for name in Files.names(in: directory).filter({ $0.hasSuffix(".json") }).prefix(countMax) {
            guard let entry = RegistryReader.read(directory + "/" + name)?.root,
                entry.text("sessionId")?.lowercased() == session,
                let id = entry.whole("pid").flatMap({ Int32(exactly: $0) }), let process = AgentProcessTable.process(id),
                AgentProcessTable.isAlive(process)
            else { continue }
            // The number may belong to another process by now.
            if let started = entry.text("procStart").flatMap({ UInt64($0) }), started != process.startedAt { continue }
            if let ancestor, AgentProcessTable.isDescendant(id, of: ancestor) { continue }
            return id
        }
        return nil
    }
}

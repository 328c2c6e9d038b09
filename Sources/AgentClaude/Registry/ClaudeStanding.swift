internal import HostCore
internal import RelayProtocol

/// State of a session in Claude Code's own session registry: one file for each process, `<config>/sessions/<pid>.json`.
///
/// The file is another program's and undocumented (facts/steering.md 2.1). Unreadable content means nothing, and the rest is
/// evidence of what people see at the terminal, never a reason to let a tool run.
struct ClaudeStanding: Equatable, Sendable {
    enum Doing: Equatable, Sendable {
        case idle, busy
        /// A dialog about a tool, or a question, is on the terminal's screen.
        case asks(ApprovalKind)
        /// A menu that the person opened: it says nothing about the agent's dialogs.
        case menu
        /// A word of another version, which means nothing.
        case unknown
    }

    var doing: Doing
    /// A command runs in the background.
    var hasCommand = false
    /// When the agent wrote it, by its clock: the same again at another time is another dialog or turn.
    var writtenAt: Int64

    /// Nil unless the entry is of this session and a person is attending it: at its own screen, or through `heliograph run`.
    init?(_ entry: JSONValue, session name: String, isAttended: Bool = false) {
        guard entry.text("sessionId") == name, isAttended || entry.text("entrypoint") ?? "cli" == "cli" else { return nil }
        writtenAt = entry.whole("statusUpdatedAt") ?? 0
        switch (entry.text("status"), entry.text("waitingFor")) {
        case ("idle", _): doing = .idle
        // The prompt is free all the same.
        case ("shell", _): (doing, hasCommand) = (.idle, true)
        case ("busy", _): doing = .busy
        case ("waiting", "permission prompt"): doing = .asks(.tool)
        case ("waiting", "input needed"): doing = .asks(.question)
        // Before its first word it says nothing.
        case (nil, _): return nil
        case ("waiting", _): doing = .menu
        default: doing = .unknown
        }
    }

    /// True if the process has gone on with another session.
    static func isOfAnother(_ entry: JSONValue, than session: String) -> Bool {
        entry.text("sessionId").map { !$0.isEmpty && $0 != session } ?? false
    }

    init(_ doing: Doing, writtenAt: Int64) {
        self.doing = doing
        self.writtenAt = writtenAt
    }

    var isAsking: Bool { if case .asks = doing { true } else { false } }
}

internal import HostCore
internal import RelayProtocol

/// State of a session in Claude Code's own session registry: one file for each process, `<config>/sessions/<pid>.json`.
///
/// The file is another program's and undocumented (facts/steering.md 2.1). Unreadable content is ignored; the rest is evidence of
/// what people see at the terminal, never a reason to let a tool run.
struct ClaudeStanding: Equatable, Sendable {
    enum Doing: Equatable, Sendable {
        case idle, busy
        /// A dialog about a tool, or a question, is on the terminal's screen.
        case asks(ApprovalKind)
        /// A menu that the person opened, which shows nothing about the agent's dialogs.
        case menu
        /// A word of another version, which this one does not know.
        case unknown
    }

    var doing: Doing
    /// True if a command runs in the background.
    var hasCommand = false
    /// Time at which the agent wrote it, on the agent's clock. The same state with another time is another dialog or turn.
    var writtenAt: Int64

    /// Nil unless the entry is for this session. `isAttended`: a person attends it, at its own screen or through `heliograph run`;
    /// otherwise the program that runs the agent has its questions, and no dialog is on a screen.
    init?(_ entry: JSONValue, session name: String, isAttended: Bool = false) {
        guard entry.text("sessionId") == name else { return nil }
        let hasDialogs = isAttended || ClaudeEntrypoint.isScreen(entry.text("entrypoint"))
        writtenAt = entry.whole("statusUpdatedAt") ?? 0
        switch (entry.text("status"), entry.text("waitingFor")) {
        case ("idle", _): doing = .idle
        // The agent takes prompts all the same.
        case ("shell", _): (doing, hasCommand) = (.idle, true)
        case ("busy", _): doing = .busy
        case ("waiting", "permission prompt") where hasDialogs: doing = .asks(.tool)
        case ("waiting", "input needed") where hasDialogs: doing = .asks(.question)
        // Without a status the session has not begun.
        case (nil, _): return nil
        case ("waiting", _): doing = .menu
        default: doing = .unknown
        }
    }

    /// True if the process has continued with another session.
    static func isOfAnother(_ entry: JSONValue, than session: String) -> Bool {
        entry.text("sessionId").map { !$0.isEmpty && $0 != session } ?? false
    }

    init(_ doing: Doing, writtenAt: Int64) {
        self.doing = doing
        self.writtenAt = writtenAt
    }

    var isAsking: Bool { if case .asks = doing { true } else { false } }
}

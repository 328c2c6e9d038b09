import PushPlanner
import RelayProtocol

/// A value that a profile can name with `$`: a field of the summary, by its name on our wire, or of its context.
enum PushSource: String, CaseIterable {
    // Words: never cut. Most are defined by us, or restricted to our alphabet.
    case session, status
    /// The session of the card; absent on a card of all sessions, even if there is only one.
    case cardSession = "card.session"
    /// The approval's id, depending on whether it is a question.
    case approvalID = "approval.id"
    case questionID = "question.id"
    /// The session of the approval or question; only on a card of all sessions.
    case approvalSession = "approval.session"
    /// The tool's whole input: only with full text, and if it is short and cannot be mistaken for something else. Required to allow from
    /// a card.
    case approvalInput = "approval.input"

    /// The profile's `closingText`, on a card that ends because of its age while the run continues.
    case closing

    // Text from hosts and agents. It may be cut, and the person may withhold it.
    case title, project, cwd, agent, model, host, operation, file, statusReason, error
    case todoCurrent = "todo.current"
    case approvalTool = "approval.tool"
    case approvalSummary = "approval.summary"
    case questionTool = "question.tool"
    case questionSummary = "question.summary"

    // Whole numbers.
    case operations, messages, approvals, questions, subagents, linesAdded, linesRemoved, costMicroUSD, estimateMicroUSD,
        budgetLevel, sessions
    case todoCompleted = "todo.completed"
    case todoTotal = "todo.total"
    case contextUsed = "context.used"
    case contextLimit = "context.limit"
    case tokensInput = "tokens.input"
    case tokensOutput = "tokens.output"

    // Points in time.
    case startedAt, lastActivityAt, endedAt, now
    case approvalExpiresAt = "approval.expiresAt"

    var kind: PushExpression.Kind {
        switch self {
        case .session, .status, .cardSession, .approvalID, .questionID, .approvalSession, .approvalInput, .closing, .title,
            .project, .cwd, .agent, .model, .host, .operation, .file, .statusReason, .error, .todoCurrent, .approvalTool,
            .approvalSummary,
            .questionTool, .questionSummary:
            .text
        case .operations, .messages, .approvals, .questions, .subagents, .linesAdded, .linesRemoved, .costMicroUSD,
            .estimateMicroUSD, .budgetLevel, .sessions, .todoCompleted, .todoTotal, .contextUsed, .contextLimit, .tokensInput,
            .tokensOutput:
            .whole
        case .startedAt, .lastActivityAt, .endedAt, .now, .approvalExpiresAt: .moment
        }
    }

    /// Longest name of a tool that is shown uncut; with a longer one the tool's input does not count as whole.
    static let toolBytesMax = 64
    static let closingBytesMax = 100
    /// Limits of a whole input: about four lines, as many as a card shows.
    static let inputBytesMax = 160
    static let inputLinesMax = 4

    /// Largest size of the parts that are never cut, without quotes.
    var wordBytesMax: Int {
        switch self {
        case .session, .status, .cardSession, .approvalID, .questionID, .approvalSession: Identifier<SessionTag>.bytesMax
        case .approvalTool, .questionTool: Self.toolBytesMax
        case .approvalInput: Self.inputBytesMax
        case .closing: Self.closingBytesMax
        default: 0
        }
    }

    /// True for every text, as a person can have it withheld.
    var canBeAbsent: Bool {
        switch self {
        case .session, .status, .operations, .messages, .approvals, .questions, .subagents, .linesAdded, .linesRemoved,
            .startedAt,
            .lastActivityAt, .now:
            false
        default: true
        }
    }

    func value(of subject: PushSubject) -> PushValue? {
        let summary = subject.summary
        switch kind {
        case .text:
            if let word = word(of: subject) { return .word(word) }
            // Other levels than `full` and `summary` show counts only.
            guard subject.text.showsText, let text = text(of: subject) else { return nil }
            let shown = VisibleText.line(text)
            return TextFit.bytes(of: shown) <= wordBytesMax ? .word(shown) : .text(shown)
        case .whole: return number(of: subject, summary).map(PushValue.whole)
        default: return moment(of: subject).map(PushValue.moment)
        }
    }

    private func word(of subject: PushSubject) -> String? {
        switch self {
        case .session: subject.summary.session.rawValue
        case .status: subject.summary.status.rawValue
        case .cardSession: subject.isOfAll ? nil : subject.summary.session.rawValue
        case .approvalSession: subject.isOfAll ? subject.approval?.session.rawValue : nil
        case .approvalInput:
            subject.wholeInput(linesMax: Self.inputLinesMax, bytesMax: Self.inputBytesMax, toolBytesMax: Self.toolBytesMax)
        case .closing: subject.closing
        case .approvalID: subject.pending(.tool)?.approval.rawValue
        case .questionID: subject.pending(.question)?.approval.rawValue
        default: nil
        }
    }

    private func text(of subject: PushSubject) -> String? {
        let summary = subject.summary
        return switch self {
        case .title: summary.title
        case .project: summary.project
        case .cwd: summary.workingDirectory
        case .agent: summary.agentName
        case .model: summary.model
        case .host: summary.host.name
        case .operation: summary.operation
        case .file: summary.file
        case .statusReason: summary.statusReason
        case .error: summary.error
        case .todoCurrent: summary.todo?.current
        case .approvalTool: subject.pending(.tool)?.tool
        case .approvalSummary: subject.pending(.tool)?.title
        case .questionTool: subject.pending(.question)?.tool
        case .questionSummary: subject.pending(.question)?.title
        default: nil
        }
    }

    private func number(of subject: PushSubject, _ summary: Summary) -> Int64? {
        switch self {
        case .operations: summary.operations
        case .messages: summary.messages
        case .approvals: summary.approvals
        case .questions: summary.questions
        case .subagents: summary.subagents
        case .linesAdded: summary.linesAdded
        case .linesRemoved: summary.linesRemoved
        case .costMicroUSD: summary.knownCostMicroUSD
        case .estimateMicroUSD: summary.estimateMicroUSD
        case .budgetLevel: subject.budgetLevel > 0 ? subject.budgetLevel : nil
        case .sessions: subject.sessions > 1 ? subject.sessions : nil
        case .todoCompleted: summary.todo?.completed
        case .todoTotal: summary.todo?.total
        case .contextUsed: summary.contextUsed
        case .contextLimit: summary.contextLimit
        case .tokensInput: summary.tokens?.input
        case .tokensOutput: summary.tokens?.output
        default: nil
        }
    }

    private func moment(of subject: PushSubject) -> Int64? {
        switch self {
        case .startedAt: subject.summary.startedAt
        case .lastActivityAt: subject.summary.lastActivityAt
        case .endedAt: subject.summary.endedAt
        case .now: subject.now
        case .approvalExpiresAt: subject.approval?.expiresAt
        default: nil
        }
    }
}

public import Foundation

/// The Live Activity that the relay's profile `heliograph` feeds: the part that stays the same as long as a card lives.
///
/// ActivityKit decodes this and `ContentState` with a default `JSONDecoder`: dates are seconds since 2001, a field that is not optional
/// must be present, unknown fields are ignored.
public struct HeliographActivityAttributes: Codable, Hashable, Sendable {
    /// The session; nil if the card shows all sessions of the person.
    public var session: String?
    public var title: String
    public var project: String?
    /// The agent's name.
    public var agent: String
    /// The name of the machine that the agent runs on.
    public var host: String

    public init(session: String?, title: String, project: String? = nil, agent: String, host: String) {
        self.session = session
        self.title = title
        self.project = project
        self.agent = agent
        self.host = host
    }

    /// The part that pushes update.
    public struct ContentState: Codable, Hashable, Sendable {
        public var status: SessionStatus
        public var operation: String?
        public var progress: Progress?
        /// Number of approvals that wait for the person.
        public var approvals: Int
        public var questions: Int
        /// The approval that the person is asked for first.
        public var approval: Approval?
        /// In millionths of a dollar.
        public var costMicroUSD: Int64?
        /// In addition to the cost: a guess of the agent, for a model whose price it does not know.
        public var estimateMicroUSD: Int64?
        /// The highest level of a budget that was crossed, in percent.
        public var budgetLevel: Int?
        /// Number of tools started.
        public var operations: Int
        public var messages: Int
        /// Number of sessions that the card shows; on the card of all sessions only.
        public var sessions: Int?
        public var error: String?
        public var startedAt: Date
        public var updatedAt: Date

        public init(
            status: SessionStatus, operation: String? = nil, progress: Progress? = nil, approvals: Int = 0, questions: Int = 0,
            approval: Approval? = nil, costMicroUSD: Int64? = nil, estimateMicroUSD: Int64? = nil, budgetLevel: Int? = nil,
            operations: Int = 0, messages: Int = 0, sessions: Int? = nil, error: String? = nil, startedAt: Date, updatedAt: Date
        ) {
            self.status = status
            self.operation = operation
            self.progress = progress
            self.approvals = approvals
            self.questions = questions
            self.approval = approval
            self.costMicroUSD = costMicroUSD
            self.estimateMicroUSD = estimateMicroUSD
            self.budgetLevel = budgetLevel
            self.operations = operations
            self.messages = messages
            self.sessions = sessions
            self.error = error
            self.startedAt = startedAt
            self.updatedAt = updatedAt
        }
    }

    /// The agent's own list of things to do.
    public struct Progress: Codable, Hashable, Sendable {
        public var completed: Int
        public var total: Int
        public var current: String?

        public init(completed: Int, total: Int, current: String? = nil) {
            self.completed = completed
            self.total = total
            self.current = current
        }
    }

    /// A tool to allow, or a question to answer.
    public struct Approval: Codable, Hashable, Sendable {
        public var id: String
        public var tool: String
        public var summary: String
        public var isQuestion: Bool
        /// The session of this approval, if the card shows all sessions.
        public var session: String?
        /// True if `summary` is the whole input of the tool. If it is absent the card does not offer to allow.
        public var isWhole: Bool?

        public init(
            id: String, tool: String, summary: String, isQuestion: Bool = false, session: String? = nil, isWhole: Bool? = nil
        ) {
            self.id = id
            self.tool = tool
            self.summary = summary
            self.isQuestion = isQuestion
            self.session = session
            self.isWhole = isWhole
        }
    }
}

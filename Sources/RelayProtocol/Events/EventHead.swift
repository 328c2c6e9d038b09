/// The part of an event that the reducer, the lists and the pushes read.
///
/// Stored by reference (`indirect`): an event is passed on a dozen times until it is staged, and the head of an approval has 200
/// bytes.
package indirect enum EventHead: Sendable, Equatable {
    case sessionStarted(SessionFacts)
    case sessionRenamed(title: String)
    case sessionEnded(reason: String?, failed: Bool)
    case statusChanged(SessionStatus, reason: String?)
    case message(MessageRole, summary: String?, message: String? = nil, agent: String? = nil)
    case toolStarted(ToolStart)
    case toolFinished(ToolFinish)
    case fileChanged(path: String, added: Int64, removed: Int64, call: String? = nil)
    case todoChanged(TodoProgress)
    case usage(Usage)
    case approvalRequested(ApprovalRequest)
    case approvalDecided(ApprovalID, Decision)
    case approvalDelivered(ApprovalID)
    case approvalApplied(ApprovalID, outcome: ApprovalOutcome)
    case approvalExpired(ApprovalID)
    case approvalCancelled(ApprovalID, reason: String)
    case approvalStale(ApprovalID, reason: String)
    /// `call` is the tool call that started it.
    case subagentStarted(agent: String, name: String? = nil, call: String? = nil)
    case subagentFinished(agent: String, name: String? = nil)
    case budgetCrossed(BudgetCrossing)
    case steeringOffered(SteeringOffer)
    case steeringRequested(SteeringCall)
    case steeringChanged(SteeringChange)
    /// Number of bytes typed at the session's terminal; no event holds the bytes.
    case steeringTyped(by: Named<ClientTag>, bytes: Int64)
    case error(message: String, recoverable: Bool)
    case truncated(count: Int64?)
    case rewound(to: Int64)
    /// A kind of a newer version, carried unchanged.
    case unsupported(kind: String)
}

package enum MessageRole: String, Sendable, CaseIterable {
    case user, assistant, thought
}

/// Outcome of an approval, as the agent reports it.
package enum ApprovalOutcome: String, Sendable, CaseIterable {
    case ran, denied, answered
}

package enum ApprovalKind: String, Sendable, CaseIterable {
    case tool, question
}

/// Spending reached a level of a budget.
package struct BudgetCrossing: Sendable, Equatable {
    /// The level in percent.
    package var level: Int64
    package var scope: Budget.ScopeName?
    package var limitMicroUSD: Int64?
    /// Spent under this budget by then.
    package var spentMicroUSD: Int64?

    package init(
        level: Int64, scope: Budget.ScopeName? = nil, limitMicroUSD: Int64? = nil, spentMicroUSD: Int64? = nil
    ) {
        self.level = level
        self.scope = scope
        self.limitMicroUSD = limitMicroUSD
        self.spentMicroUSD = spentMicroUSD
    }
}

/// Facts about a session at its start; later starts (a resumed run) add to them.
package struct SessionFacts: Sendable, Equatable {
    package var agentName: String
    package var agentVersion: String?
    package var model: String?
    package var title: String?
    package var project: String?
    package var workingDirectory: String?
    /// The full path, if `workingDirectory` is shortened with `~`: only the host knows whose home that is.
    package var folder: String?
    /// The Git branch of the folder.
    package var branch: String?
    /// Identifies one process of the agent; tokens and cost are cumulative within it.
    package var run: String?
    package var isResumed = false

    package init(agentName: String) { self.agentName = agentName }
}

package struct ToolStart: Sendable, Equatable {
    package var call: String
    package var tool: String
    /// The current action in a few words, for lists and the Lock Screen.
    package var operation: String
    package var file: String?
    package var agent: String?
    package var isRedacted = false

    package init(call: String, tool: String, operation: String) {
        self.call = call
        self.tool = tool
        self.operation = operation
    }
}

package struct ToolFinish: Sendable, Equatable {
    package var call: String
    package var tool: String
    package var succeeded: Bool
    package var exitCode: Int64?
    package var durationMilliseconds: Int64?
    package var summary: String?
    package var agent: String?

    package init(call: String, tool: String, succeeded: Bool) {
        self.call = call
        self.tool = tool
        self.succeeded = succeeded
    }
}

package struct TodoProgress: Sendable, Equatable {
    package var completed: Int64
    package var total: Int64
    package var current: String?

    package init(completed: Int64, total: Int64, current: String? = nil) {
        self.completed = completed
        self.total = total
        self.current = current
    }
}

package struct Tokens: Sendable, Equatable {
    package var input: Int64 = 0
    package var output: Int64 = 0
    package var cacheRead: Int64 = 0
    package var cacheWrite: Int64 = 0

    package init(input: Int64 = 0, output: Int64 = 0, cacheRead: Int64 = 0, cacheWrite: Int64 = 0) {
        self.input = input
        self.output = output
        self.cacheRead = cacheRead
        self.cacheWrite = cacheWrite
    }

    package func plus(_ other: Tokens) -> Tokens {
        Tokens(
            input: input.sumSaturating(other.input), output: output.sumSaturating(other.output),
            cacheRead: cacheRead.sumSaturating(other.cacheRead), cacheWrite: cacheWrite.sumSaturating(other.cacheWrite))
    }

    /// The difference, never below zero.
    package func less(_ other: Tokens) -> Tokens {
        Tokens(
            input: max(0, input - other.input), output: max(0, output - other.output),
            cacheRead: max(0, cacheRead - other.cacheRead), cacheWrite: max(0, cacheWrite - other.cacheWrite))
    }
}

extension Int64 {
    /// The sum, limited to the wire's maximum: a host may send any number that the wire can carry, any number of times.
    package func sumSaturating(_ other: Int64) -> Int64 { Swift.min(self + other, JSONValue.integerMax) }
}

/// Usage of an agent, cumulative within `run`; absent fields are unchanged.
package struct Usage: Sendable, Equatable {
    package var run: String?
    package var model: String?
    package var tokens: Tokens?
    package var costMicroUSD: Int64?
    package var costDeltaMicroUSD: Int64?
    /// The agent's estimate for models whose price it does not know, in addition to the cost. Counted in no budget.
    package var estimateMicroUSD: Int64?
    package var contextUsed: Int64?
    package var contextLimit: Int64?

    package init() {}
}

package struct ApprovalRequest: Sendable, Equatable {
    package var approval: ApprovalID
    package var kind: ApprovalKind
    package var tool: String
    package var title: String
    package var digest: InputDigest
    package var isRedacted = false
    /// The body is incomplete: a client may deny from it, never allow.
    package var isCut = false
    /// The host's owner requires a passkey to allow this.
    package var needsPasskey = false
    /// Milliseconds since 1970.
    package var expiresAt: Int64?
    package var call: String?
    package var agent: String?
    /// The subagent's task.
    package var agentName: String?
    /// The questions with their choices; empty if the host does not send them.
    package var questions: [QuestionOffer] = []
    /// Modes in which the agent can continue once it is allowed; empty if there is no choice.
    package var modes: [String] = []
    /// The agent's own options besides a plain yes and no; the digest includes them.
    package var offers: [Offer] = []
    /// Members of the input that a person may change as they allow the call: each is a text in an input that is shown exactly.
    package var editable: [String] = []
    /// The host's warnings for the person who decides. An empty list is no judgement that all is well.
    package var risks: [String] = []
    /// Texts for alerts; nil if the host has none besides the title.
    package var alert: RequestWords?
    /// The rule that has answered the request; nil if people are asked.
    package var rule: AppliedRule?
    /// The part that a device signs; only of a host that seals.
    package var consent: RequestConsent?

    package init(approval: ApprovalID, kind: ApprovalKind, tool: String, title: String, digest: InputDigest) {
        self.approval = approval
        self.kind = kind
        self.tool = tool
        self.title = title
        self.digest = digest
    }
}

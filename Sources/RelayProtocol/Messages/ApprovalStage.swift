/// Progress of an approval: each stage has only the fields that belong to it. Fields of all stages are in `Approval`.
package enum ApprovalStage: Sendable, Equatable {
    /// The stage's name on the wire, on disk and in the audit log.
    package enum Word: String, Sendable, CaseIterable {
        case pending, decided, delivered, applied
        case expired, cancelled, stale

        /// True if the stage cannot change any more.
        package var isFinal: Bool {
            switch self {
            case .pending, .decided, .delivered: false
            case .applied, .expired, .cancelled, .stale: true
            }
        }
    }

    /// The decision, and the time at which it reached the agent; nil if it never did.
    package struct Given: Sendable, Equatable {
        package let decision: Decision
        package let deliveredAt: Int64?

        package init(_ decision: Decision, deliveredAt: Int64? = nil) {
            self.decision = decision
            self.deliveredAt = deliveredAt
        }
    }

    /// No decision yet. Becomes `decided` by the first decision; `expired` if its host stops waiting; `cancelled` or `stale` if its
    /// host says so.
    case pending
    /// The decision is on the relay's disk, and waits for the host. Becomes `delivered` or `applied` once the agent has it;
    /// `expired`, `cancelled` or `stale` if it no longer can.
    case decided(Decision)
    /// The agent has the decision: only the host can report the outcome, however long that takes. Becomes `applied`, `cancelled` or
    /// `stale`.
    case delivered(Decision, at: Int64)
    /// The agent has carried out the decision. Final, as are all that follow.
    case applied(Given, ApprovalOutcome, at: Int64)
    /// The agent no longer waits: there was no decision, or it did not reach the host in time.
    case expired(Decision?, at: Int64)
    /// Settled elsewhere, or withdrawn by the agent.
    case cancelled(Given?, reason: String, at: Int64)
    /// The decision was not applied, or the approval was never one that could be decided.
    case stale(Given?, reason: String, at: Int64)

    package var word: Word {
        switch self {
        case .pending: .pending
        case .decided: .decided
        case .delivered: .delivered
        case .applied: .applied
        case .expired: .expired
        case .cancelled: .cancelled
        case .stale: .stale
        }
    }

    /// The reason that the relay gives for `stale`, and hosts for `cancelled`.
    package static let sessionEnded = "sessionEnded"

    package var isFinal: Bool { word.isFinal }

    /// The decision and its delivery, in every stage that has one.
    package var given: Given? {
        switch self {
        case .pending: nil
        case .decided(let decision): Given(decision)
        case .delivered(let decision, let time): Given(decision, deliveredAt: time)
        case .applied(let given, _, _): given
        case .expired(let decision, _): decision.map { Given($0) }
        case .cancelled(let given, _, _), .stale(let given, _, _): given
        }
    }

    package var resolvedAt: Int64? {
        switch self {
        case .pending, .decided, .delivered: nil
        case .applied(_, _, let time), .expired(_, let time), .cancelled(_, _, let time), .stale(_, _, let time): time
        }
    }

    package var outcome: ApprovalOutcome? { if case .applied(_, let outcome, _) = self { outcome } else { nil } }

    /// Reason of `cancelled` or `stale`.
    package var reason: String? {
        switch self {
        case .cancelled(_, let reason, _), .stale(_, let reason, _): reason
        case .pending, .decided, .delivered, .applied, .expired: nil
        }
    }

    // MARK: - What becomes of it

    // Transitions. Hosts may report anything: each method returns false and changes nothing if its step does not follow from the
    // present stage. The first final stage is kept.

    package mutating func becomeDecided(_ decision: Decision) -> Bool {
        guard word == .pending else { return false }
        self = .decided(decision)
        return true
    }

    package mutating func becomeDelivered(at time: Int64) -> Bool {
        guard case .decided(let decision) = self else { return false }
        self = .delivered(decision, at: time)
        return true
    }

    package mutating func becomeApplied(_ outcome: ApprovalOutcome, at time: Int64) -> Bool {
        guard !isFinal, let given else { return false }
        self = .applied(given, outcome, at: time)
        return true
    }

    package mutating func becomeExpired(at time: Int64) -> Bool {
        switch self {
        case .pending, .decided:
            self = .expired(given?.decision, at: time)
            return true
        case .delivered, .applied, .expired, .cancelled, .stale: return false
        }
    }

    package mutating func becomeCancelled(reason: String, at time: Int64) -> Bool {
        guard !isFinal else { return false }
        self = .cancelled(given, reason: reason, at: time)
        return true
    }

    package mutating func becomeStale(reason: String, at time: Int64) -> Bool {
        guard !isFinal else { return false }
        self = .stale(given, reason: reason, at: time)
        return true
    }

    // MARK: - As fields of the approval

    /// Decodes a record; fields that do not belong to its stage are ignored.
    init(from value: JSONValue) throws(WireError) {
        func decision() throws(WireError) -> Decision { try Decision(from: value.required("decision")) }
        func decisionIfAny() throws(WireError) -> Decision? {
            try value.optional("decision").map { given throws(WireError) in try Decision(from: given) }
        }
        func given() throws(WireError) -> Given? {
            guard let decision = try decisionIfAny() else { return nil }
            return Given(decision, deliveredAt: try value.optionalInteger("deliveredAt"))
        }
        switch try value.word("stage", Word.self) {
        case .pending: self = .pending
        case .decided: self = .decided(try decision())
        case .delivered: self = .delivered(try decision(), at: try value.integer("deliveredAt"))
        case .applied:
            let given = Given(try decision(), deliveredAt: try value.optionalInteger("deliveredAt"))
            self = .applied(given, try value.word("outcome"), at: try value.integer("resolvedAt"))
        case .expired: self = .expired(try decisionIfAny(), at: try value.integer("resolvedAt"))
        case .cancelled:
            self = .cancelled(try given(), reason: try value.string("reason"), at: try value.integer("resolvedAt"))
        case .stale: self = .stale(try given(), reason: try value.string("reason"), at: try value.integer("resolvedAt"))
        }
    }

    /// Writes the fields besides the stage's name.
    func write(to writer: inout JSONWriter) {
        if let given {
            writer.object("decision") { given.decision.write(to: &$0) }
            writer.field("deliveredAt", given.deliveredAt)
        }
        writer.field("resolvedAt", resolvedAt)
        writer.field("outcome", outcome?.rawValue)
        writer.field("reason", reason)
    }
}

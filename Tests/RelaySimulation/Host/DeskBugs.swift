import HostCore
import RelayProtocol

/// Simulates a desk with a bug: alters the facts that it receives and the orders that it gives. Changes nothing unless such a fault is
/// planted.
struct DeskBugs {
    let plant: Plant?
    /// Hooks of ended questions, which a desk with a bug keeps waiting.
    private var waiting: [ApprovalID: HookToken] = [:]
    private var forgotten: ApprovalID?
    /// The last answer for each input.
    private var answers: [InputDigest: [UInt8]] = [:]

    init(plant: Plant?) { self.plant = plant }

    /// True if answers are handed over before they are on disk.
    var isUnrecorded: Bool { plant == .unrecordedAnswer }

    /// A second end of an approval that ends so.
    func end(after end: EventHead) -> EventHead? {
        guard plant == .secondEnd, case .approvalApplied(let id, _) = end else { return nil }
        return .approvalStale(id, reason: "unknownApproval")
    }

    /// One answer for all that ask the same.
    func answer(beforeAsking question: ApprovalQuestion<SimulatedForm>) -> [UInt8]? {
        plant == .repeatedAnswer ? answers[question.digest] : nil
    }

    mutating func delivered(_ output: [UInt8], _ digest: InputDigest) { answers[digest] = output }

    /// Confuses a hook with another that asks the same, of any session.
    func altered(
        _ question: ApprovalQuestion<SimulatedForm>, _ desk: ApprovalDesk<SimulatedForm>
    ) -> ApprovalQuestion<SimulatedForm> {
        guard plant == .strangersAnswer,
            let known = desk.approvals.first(where: { $0.digest == question.digest })
        else { return question }
        var altered = question
        (altered.session, altered.run, altered.attempt) = (known.session, known.run, 2)
        return altered
    }

    /// The digest of a decision is not looked at, or more is taken than was chosen.
    func altered(_ fact: ApprovalFact<SimulatedForm>, _ desk: ApprovalDesk<SimulatedForm>) -> ApprovalFact<SimulatedForm> {
        if plant == .eagerOffer, case .decided(let session, let id, let digest, var decision) = fact,
            decision.verdict == .allow, let offer = desk[id]?.offers.first
        {
            decision.verdict = .allowWith(offer: offer.id)
            return .decided(session, id, digest, decision)
        }
        guard plant == .carelessDigest, case .decided(let session, let id, _, let decision) = fact, decision.verdict == .allow,
            let approval = desk[id]
        else { return fact }
        return .decided(session, id, approval.digest, decision)
    }

    /// A hook that waits for an ended question keeps waiting.
    mutating func altered(_ order: ApprovalOrder) -> ApprovalOrder? {
        guard plant == .lateAnswer else { return order }
        switch order {
        case .remember(let id, nil): forgotten = id
        case .abstain(let token):
            guard let id = forgotten else { return order }
            waiting[id] = token
            forgotten = nil
            return nil
        default: forgotten = nil
        }
        return order
    }

    /// The hook that still waits gets the answer of a later decision.
    func answer(late id: ApprovalID, _ decision: Decision) -> (HookToken, [UInt8])? {
        guard decision.verdict == .allow, let token = waiting[id] else { return nil }
        return (token, SimulatedForm.allowed)
    }
}

import HostCore
import RelayProtocol

/// A desk with a planted bug: alters the facts that it receives and the orders that it gives. Without a planted bug it changes
/// nothing.
struct DeskBugs {
    let plant: Plant?
    /// Hooks of ended questions, which a desk with that bug keeps waiting.
    private var waiting: [ApprovalID: HookToken] = [:]
    private var forgotten: ApprovalID?
    /// The last answer for each input.
    private var answers: [InputDigest: [UInt8]] = [:]

    init(plant: Plant?) { self.plant = plant }

    /// True if answers are given before they are on disk.
    var isUnrecorded: Bool { plant == .unrecordedAnswer }

    /// A second end of an approval that has ended like this.
    func end(after end: EventHead) -> EventHead? {
        guard plant == .secondEnd, case .approvalApplied(let id, _) = end else { return nil }
        return .approvalStale(id, reason: "unknownApproval")
    }

    /// The answer given before to the same input (planted).
    func answer(beforeAsking question: ApprovalQuestion<SimulatedForm>) -> [UInt8]? {
        plant == .repeatedAnswer ? answers[question.digest] : nil
    }

    mutating func delivered(_ output: [UInt8], _ digest: InputDigest) { answers[digest] = output }

    /// Confuses the hook with another that asks the same, in any session (planted).
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

    /// Ignores the digest of a decision, or grants more than was chosen (planted).
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

    /// Keeps a hook waiting whose question has ended (planted).
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

    /// Answers the hook that still waits with a later decision (planted).
    func answer(late id: ApprovalID, _ decision: Decision) -> (HookToken, [UInt8])? {
        guard decision.verdict == .allow, let token = waiting[id] else { return nil }
        return (token, SimulatedForm.allowed)
    }
}

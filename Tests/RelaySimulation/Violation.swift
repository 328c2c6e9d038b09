/// A broken promise: the checker that noticed it, and a description.
package struct Violation: Sendable, Equatable, CustomStringConvertible {
    package let checker: CheckerName
    package let sentence: String
    /// Virtual time, in milliseconds.
    package let at: Int64

    package var description: String { "\(checker.rawValue) at \(at) ms: \(sentence)\n  (\(checker.promise))" }
}

/// Name of a checker and of the promise that it checks.
package enum CheckerName: String, Sendable, CaseIterable {
    case view, durability, decision, freedom, pending, memory, replay, convergence, completeness, retention, budget, steering
    case status, consent, sealing
    case order, edge, phase, reserve, presence, ring, crossing, start, code, channel, pace, browser, gathering

    /// True for a promise that hosts and devices keep even if their relay forges and replays. All others depend on the relay's
    /// messages.
    var holdsAgainstBadRelay: Bool { self == .consent || self == .sealing }

    package var promise: String {
        switch self {
        case .view: "every client's view of a session is an exact stretch of the log, or a reset or a snapshot said so"
        case .durability: "nothing is shown, acknowledged or handed to a host before it is on disk"
        case .decision: "an approval is decided at most once, with one winner for everybody, and every decision has an end"
        case .freedom: "an agent runs a tool for a client only by an allow for exactly that input, in that run, before a cancel"
        case .pending: "after quiet, the relay, every client and every host agree on what is pending"
        case .memory: "queues, readers and waiters are bounded, and nothing is held for those who have left"
        case .replay: "what the log gives back is what was live, by the stored state and by reducing every event again"
        case .convergence: "once faults stop, everybody is connected, spools are empty, views are level, nothing is stuck"
        case .completeness: "what an agent did is in the log, in order, once, or a truncated event counts it"
        case .budget: "each level of a budget is crossed once, by what was spent, and hosts hold what is spent"
        case .steering:
            "what steers an agent is taken once at most, from those who may, while it asks nothing, and has a true end"
        case .consent: "an agent of a signing host does what a trusted device signed for exactly that, once, and nothing else"
        case .sealing:
            "what a host seals is read exactly by the devices that it trusts, and by nobody else; what a relay leaves out, repeats or swaps is noticed"
        case .status: "after quiet, the reported state of a session is its agent's, and all that it asks is asked"
        case .order: "each push to a card is later than the one before, and nothing follows its end"
        case .edge: "what is coalesced is sent in the end: at rest every card shows exactly what is committed, or has ended"
        case .phase: "an approval that waits is soon on every card that can be reached"
        case .reserve: "the last pushes of priority 10 are for a person who is waited for"
        case .presence: "a device that looks is spared, but for approvals that it has not seen"
        case .ring: "an approval rings once on every device that wants it, and again only where APNs may not have it"
        case .crossing:
            "a budget's level that is crossed alerts once: again only where APNs may not have it, and in the end it has"
        case .start: "cards are started four times an hour at most, one at a time, and a session has one that may be unanswered"
        case .pace: "a card is told something a few times a minute at most"
        case .browser:
            "a browser may allow only where its person chose so and sees all; nothing goes where it is gone, nor what is settled to Apple's"
        case .gathering: "what is to be gathered rings by itself never, and is told in the end"
        case .code: "a code decides once, in time, and only what it was for"
        case .channel: "a channel is deleted when its card is over, not before, and nothing is published to it after"
        case .retention: "numbers go on for ever, and what is no longer held is never passed over in silence"
        }
    }
}

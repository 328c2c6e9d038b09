/// The stage of a question's life.
package enum ApprovalPhase: Equatable {
    /// A hook waits. Becomes answered, lost, or is resolved.
    case open(HookToken)
    /// The hook is gone. Resolved once the reason is known; the agent is asked about it at `until`, unless the hook calls again
    /// before.
    case lost(until: Int64)
    /// The question was put to an earlier life of this daemon. Becomes open or answered when the hook calls again, else is
    /// resolved.
    case orphaned(until: Int64)
    /// Our answer was handed over. Resolved by the agent's next action.
    case answered(HandedAnswer)

    package var name: String {
        switch self {
        case .open: "open"
        case .lost: "lost"
        case .orphaned: "orphaned"
        case .answered: "answered"
        }
    }
}

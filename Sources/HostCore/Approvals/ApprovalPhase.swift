/// The stage of a question's life.
package enum ApprovalPhase: Equatable {
    /// A hook waits. Becomes answered, lost, or is resolved.
    case open(HookToken)
    /// The hook is gone. Resolved as soon as it is known what that meant; asked about at `until`, unless the hook calls again before.
    case lost(until: Int64)
    /// An earlier life of this daemon was asked. Becomes open or answered when the hook calls again, else is resolved.
    case orphaned(until: Int64)
    /// Our answer was handed over. Resolved by what the agent does next.
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

package import RelayCore
package import RelayModel

/// The attempts to commit one batch. After a disk error it is unknown whether the batch is stored, so the same batch is committed
/// again, which takes effect once.
package struct CommitTries {
    package enum Outcome: Sendable {
        /// Committed; the log already had approvals with these names.
        case committed([ApprovalName])
        /// Nothing of the batch is on disk.
        case refused(String)
        /// Unknown whether the batch is on disk.
        case unknown(String)
    }

    package enum Step: Sendable {
        /// Commit the same batch again, after this many milliseconds.
        case again(after: Int64)
        case ended(Outcome)
    }

    /// Time for further attempts after the first, in milliseconds: enough for a short fault of the disk. If the store was locked,
    /// the commit has waited already, and nothing of the batch is on disk.
    package static let patience: Int64 = 2_000
    package static let interval: Int64 = 250

    private let deadline: Int64
    /// True if an earlier attempt may have written the batch.
    private var isInDoubt = false

    /// `now`: milliseconds of a clock that is never set.
    package init(at now: Int64) { deadline = now + Self.patience }

    package mutating func failed(_ error: LogError, at now: Int64) -> Step {
        switch error.code {
        case .inDoubt: break
        case .unreachable(isPassing: true) where isInDoubt: break
        case .conflict, .fenced: return .ended(.unknown("\(error)"))
        // This attempt has written nothing, but an earlier one may have.
        case .full, .damaged, .unfit, .unreachable:
            return .ended(isInDoubt ? .unknown("\(error)") : .refused("\(error)"))
        }
        guard now < deadline else { return .ended(.unknown("\(error)")) }
        isInDoubt = true
        return .again(after: Self.interval)
    }
}

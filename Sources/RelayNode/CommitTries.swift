package import RelayCore
package import RelayModel

/// The attempts to commit one batch. An error of the disk does not say whether the batch is on it, so the same batch is committed again,
/// which takes effect once.
package struct CommitTries {
    package enum Outcome: Sendable {
        /// The log has had approvals of these names.
        case committed([ApprovalName])
        /// Nothing of the batch is on disk.
        case refused(String)
        /// The batch is on disk, or it is not.
        case unknown(String)
    }

    package enum Step: Sendable {
        /// Commit the same batch again, after this many milliseconds.
        case again(after: Int64)
        case ended(Outcome)
    }

    /// In milliseconds. A disk that is back by then had a hiccup. A locked store has made the commit wait already, and nothing of the batch is
    /// on disk.
    package static let patience: Int64 = 2_000
    package static let interval: Int64 = 250

    private let deadline: Int64
    /// An earlier attempt may have written the batch.
    private var isInDoubt = false

    /// `now` is in milliseconds, by a clock that is never set.
    package init(at now: Int64) { deadline = now + Self.patience }

    package mutating func failed(_ error: LogError, at now: Int64) -> Step {
        switch error.code {
        case .inDoubt: break
        case .unreachable(isPassing: true) where isInDoubt: break
        case .conflict, .fenced: return .ended(.unknown("\(error)"))
        // That nothing was written by this attempt says nothing about an earlier one.
        case .full, .damaged, .unfit, .unreachable:
            return .ended(isInDoubt ? .unknown("\(error)") : .refused("\(error)"))
        }
        guard now < deadline else { return .ended(.unknown("\(error)")) }
        isInDoubt = true
        return .again(after: Self.interval)
    }
}

/// Decides when the write-ahead log is copied into the data file, and on which thread.
///
/// Nearly all of it is copied while commits continue. But SQLite starts the log from its beginning only if nothing is left to copy
/// when a commit begins. So once little is left, the committing thread copies that.
struct CheckpointPlan {
    enum Step: Equatable {
        case none
        /// Copy while commits continue, then call `copied`.
        case copy
        /// Copy the rest before the next commit, then call `finished`.
        case finish
    }

    private enum State {
        /// The number of pages written since the whole log was last in the file. Becomes `copying`.
        case writing(Int)
        /// A copy is in progress, the `round`th in a row; `since` pages were written meanwhile. Becomes `copied`, or `writing` if
        /// it failed or is incomplete.
        case copying(round: Int, since: Int)
        /// `left` pages remain. Becomes `finishing`, or `copying` if they are too many.
        case copied(round: Int, left: Int)
        /// The committing thread copies the rest. Becomes `writing`.
        case finishing
    }

    private var state = State.writing(0)

    /// A commit has written `pages` pages.
    mutating func committed(pages: Int) -> Step {
        switch state {
        case .writing(let before):
            state = .writing(before + pages)
            guard before + pages >= Self.pagesMax else { return .none }
            state = .copying(round: 1, since: 0)
            return .copy
        case .copying(let round, let since):
            state = .copying(round: round, since: since + pages)
            return .none
        case .copied(let round, let left):
            guard left + pages > Self.finishPagesMax, round < Self.roundsMax else {
                state = .finishing
                return .finish
            }
            state = .copying(round: round + 1, since: 0)
            return .copy
        case .finishing: preconditionFailure("a commit waits for what its thread copies")
        }
    }

    /// A copy has ended. `isWhole`: false if it did not copy everything that was in the log when it began: it failed, another
    /// process copies, or a reader needs the pages that the rest would overwrite. Then the committing thread does not copy the
    /// rest, however little was added meanwhile.
    mutating func copied(isWhole: Bool) {
        guard case .copying(let round, let since) = state else { preconditionFailure("a copy ends once") }
        state = isWhole ? .copied(round: round, left: since) : .writing(Self.pagesMax - Self.retryPages)
    }

    /// The rest was copied. `isWhole`: false if a reader or a disk error prevented it.
    mutating func finished(isWhole: Bool) {
        guard case .finishing = state else { preconditionFailure("a copy is finished once") }
        state = .writing(isWhole ? 0 : Self.pagesMax - Self.retryPages)
    }

    /// Pages after which a copy starts: 16 MB. With SQLite's default of 1,000, pages that every commit changes were copied four
    /// times as often.
    static let pagesMax = 4_000
    /// Pages that the committing thread copies at most: one megabyte, which takes a millisecond or two.
    static let finishPagesMax = 256
    /// Copies in a row before the committing thread has to finish. Each leaves what was written during it; if that does not shrink,
    /// the disk is slower than the writes, which then have to wait.
    static let roundsMax = 6
    /// Pages written before the next attempt.
    static let retryPages = 1_000
}

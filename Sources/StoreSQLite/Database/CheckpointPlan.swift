/// When the write-ahead log is copied into the file, and what copies it.
///
/// Nearly all of it is copied while commits go on; but SQLite begins the log again only if nothing is left to copy
/// when a commit begins. So once little is left, the thread that commits copies that.
struct CheckpointPlan {
    enum Step: Equatable {
        case none
        /// Copy while commits go on, then say so by `copied`.
        case copy
        /// Copy what is left before the next commit, then say so by `finished`.
        case finish
    }

    private enum State {
        /// Pages written since the whole log was in the file. Becomes `copying`.
        case writing(Int)
        /// A copy is in progress, the `round`th in a row; `since` pages were written meanwhile. Becomes `copied`, or `writing` if it
        /// failed or is incomplete.
        case copying(round: Int, since: Int)
        /// `left` pages remain. Becomes `finishing`, or `copying` if they are too many.
        case copied(round: Int, left: Int)
        /// The commit's thread copies. Becomes `writing`.
        case finishing
    }

    private var state = State.writing(0)

    /// A commit has written so many pages.
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

    /// The copy has ended. False: not all that was in the log when it began is in the file, as it failed, another process copies, or somebody
    /// reads what the rest would write over. What is left then is no commit's to copy, however little came meanwhile.
    mutating func copied(isWhole: Bool) {
        guard case .copying(let round, let since) = state else { preconditionFailure("a copy ends once") }
        state = isWhole ? .copied(round: round, left: since) : .writing(Self.pagesMax - Self.retryPages)
    }

    /// The rest was copied; false if a reader, or the disk, was in the way.
    mutating func finished(isWhole: Bool) {
        guard case .finishing = state else { preconditionFailure("a copy is finished once") }
        state = .writing(isWhole ? 0 : Self.pagesMax - Self.retryPages)
    }

    /// 16 MB. With SQLite's own thousand the pages that every commit changes were copied four times as often.
    static let pagesMax = 4_000
    /// One megabyte, which a commit copies in a millisecond or two.
    static let finishPagesMax = 256
    /// Each round leaves what was written during it. Where that does not become less, the disk is slower than what comes, and must not be outrun.
    static let roundsMax = 6
    /// Pages written before the next attempt.
    static let retryPages = 1_000
}

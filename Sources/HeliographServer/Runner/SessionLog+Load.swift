import RelayCore
import RelayModel

extension SessionLog {
    /// What a core begins with. Of its commands all that were kept: the core forgets them, by a clock that a jump does not move.
    func loadForCore() throws(LogError) -> LogState {
        try load(resolvedSince: WallClock.milliseconds - SessionLimits.resolvedApprovalsAge, commandsSince: 0)
    }
}

import RelayCore
import RelayModel

extension SessionLog {
    /// A core's initial state. It includes all commands that were kept: the core forgets them, by a clock that a jump does not move.
    func loadForCore() throws(LogError) -> LogState {
        try load(resolvedSince: WallClock.milliseconds - SessionLimits.resolvedApprovalsAge, commandsSince: 0)
    }
}

import RelayCore
import RelayModel

extension SessionLog {
    /// A core's initial state. It includes all recorded commands: the core forgets old ones by a clock that does not jump.
    func loadForCore() throws(LogError) -> LogState {
        try load(resolvedSince: WallClock.milliseconds - SessionLimits.resolvedApprovalsAge, commandsSince: 0)
    }
}

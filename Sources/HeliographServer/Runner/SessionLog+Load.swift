import RelayCore
import RelayModel

extension SessionLog {
    /// A core's initial state.
    func loadForCore() throws(LogError) -> LogState {
        try load(resolvedSince: WallClock.milliseconds - SessionLimits.resolvedApprovalsAge)
    }
}

/// The timers of a host; each is armed at most once, and arming it again replaces it.
package enum HostTimer: Sendable, CaseIterable {
    /// To connect again.
    case retry
    /// For the relay's `welcome`.
    case welcome
    /// To send again what the relay could not store.
    case resend
    /// To send what was added.
    case flush
    /// To bring to disk what is not sent.
    case sync
    /// To try a disk again that failed.
    case disk
    /// For the adapters.
    case agents
}

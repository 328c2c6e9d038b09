/// The timers of a host; each is armed at most once, and arming it again replaces it.
package enum HostTimer: Sendable, CaseIterable {
    /// Connects again.
    case retry
    /// Ends the wait for the relay's `welcome`.
    case welcome
    /// Sends again the events that the relay could not store.
    case resend
    /// Sends added events.
    case flush
    /// Brings unsent events to disk.
    case sync
    /// Tries a failed disk again.
    case disk
    /// Wakes the adapters.
    case agents
}

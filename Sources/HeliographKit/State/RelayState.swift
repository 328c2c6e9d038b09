public import Foundation

/// Everything that an app shows, as the relay last reported it.
public struct RelayState: Sendable {
    public enum Link: Sendable, Hashable {
        /// The app is in the background, or was not started.
        case off
        case connecting
        case live
        /// The client retries by itself. The content is as old as `RelayState.heardAt`.
        case waiting(reason: String)
        /// The client does not reconnect, as that would be pointless. `reason` is a sentence for the person. With `mustPair` the
        /// relay no longer knows this app.
        case over(reason: String, mustPair: Bool)
    }

    public internal(set) var link = Link.off
    /// Time of the last message from the relay; nil: none yet.
    public internal(set) var heardAt: Date?
    /// True if sessions and approvals are complete. If false, an empty list means that none are known yet, not that there are none.
    public internal(set) var isComplete = false
    /// Sessions, the most recently active first.
    public internal(set) var sessions: [SessionRow] = []
    /// Approvals that wait for a person, oldest first.
    public internal(set) var approvals: [PendingApproval] = []
    /// The last events of the session on the screen, at most `eventsMax`.
    public internal(set) var events: [SessionEvent] = []

    /// The devices that each host that trusts this one says it trusts, newest first.
    public internal(set) var devices: [TrustedDevice] = []
    /// A device that asks to join by the link of `RelayClient.invite`. A person compares the codes on both screens.
    public internal(set) var newcomer: Newcomer?
    /// A sentence if this device could not store something.
    public internal(set) var trouble: String?

    public static let eventsMax = 500

    /// Nothing is known yet.
    public init() {}
}

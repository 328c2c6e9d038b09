package import RelayProtocol

/// The planner's state of a device, for checks.
package struct KnownDevice: Sendable {
    package struct KnownCard: Sendable {
        /// The session; nil for the aggregate card.
        package var session: SessionID?
        package var id: CardID?
        package var token: String?
        package var channel: String?
        package var isActive: Bool
    }

    package var device: Device
    package var client: ClientID
    package var cards: [KnownCard]
    /// Time of the first alert deferred for the digest, in milliseconds since 1970.
    package var deferredSince: Int64?
}

/// A broadcast channel that its service has not deleted, as far as the planner knows.
package struct KnownChannel: Sendable {
    package var name: String
    /// True if it is to be deleted.
    package var isOver: Bool
}

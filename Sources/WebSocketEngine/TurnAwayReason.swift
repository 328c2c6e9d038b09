/// The listener's limit that refused a peer, or cut it off.
package enum TurnAwayReason: String, Sendable, CaseIterable {
    /// `Limits.pendingPerAddressMax`
    case address
    /// `Limits.pendingMax`
    case pending
    /// `Limits.connectionsMax`
    case connections
    /// `Limits.unfinishedBytesMax`: it held the most incomplete input
    case unfinished
    /// The process has too few descriptors left, which are reserved for other uses.
    case descriptors
    /// `Limits.handshakeDeadline`, or `bodyDeadline`
    case handshake
    /// `ListenerConfiguration.expectsProxyHeader`: the header is missing, or its sender is not trusted
    case proxyHeader
    /// `EventLoop.Configuration.headerBytesMax`
    case headerKilobytes

    /// HTTP status of the refusal: 429 and 431 blame the peer, 503 does not.
    var status: UInt16 {
        switch self {
        case .address: 429
        case .headerKilobytes: 431
        case .pending, .connections, .unfinished, .descriptors, .handshake, .proxyHeader: 503
        }
    }
}

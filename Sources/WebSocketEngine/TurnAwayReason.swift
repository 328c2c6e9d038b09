/// The listener's limit that refused a peer, or cut it off.
package enum TurnAwayReason: String, Sendable, CaseIterable {
    /// `Limits.pendingPerAddressMax`
    case address
    /// `Limits.pendingMax`
    case pending
    /// `Limits.connectionsMax`
    case connections
    /// `Limits.unfinishedBytesMax`: it held most of what had been begun
    case unfinished
    /// The process has too few left; they are for others.
    case descriptors
    /// `Limits.handshakeDeadline`, or `bodyDeadline`
    case handshake
    /// `ListenerConfiguration.expectsProxyHeader`: it did not begin with one, or came from somebody who may not say who it is
    case proxyHeader
    /// `EventLoop.Configuration.headerBytesMax`
    case headerKilobytes

    /// 429 and 431 blame the peer, 503 does not.
    var status: UInt16 {
        switch self {
        case .address: 429
        case .headerKilobytes: 431
        case .pending, .connections, .unfinished, .descriptors, .handshake, .proxyHeader: 503
        }
    }
}

/// Which limit of a listener did not let somebody in.
package enum TurnAwayReason: String, Sendable, CaseIterable {
    /// `Limits.pendingPerAddressMax`
    case address
    /// `Limits.pendingMax`
    case pending
    /// `Limits.connectionsMax`
    case connections
    /// Of the process; what is left of them is for others.
    case descriptors

    /// 429 blames the peer, 503 does not.
    var status: UInt16 { self == .address ? 429 : 503 }
}

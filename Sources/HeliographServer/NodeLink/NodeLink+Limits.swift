import RelayCluster
import WebSocketEngine

extension WebSocketEngine.Limits {
    /// The limits of either end of a link.
    static var ofNodeLink: Self {
        var limits = Self()
        limits.messageBytesMax = NodeLinkLimits.messageBytesMax
        limits.outboxBytesMax = NodeLinkLimits.outboxBytesMax
        limits.outboxMessagesMax = NodeLinkLimits.outboxBytesMax / 64
        limits.congestedBytes = NodeLinkLimits.congestedBytes
        limits.drainedBytes = NodeLinkLimits.drainedBytes
        return limits
    }
}

extension Liveness {
    /// A node that is stopped or disconnected is detected before its lease expires, and its peers go to another one.
    static let ofNodeLink = Liveness(pingAfter: .seconds(2), hangUpAfter: .seconds(6))
}

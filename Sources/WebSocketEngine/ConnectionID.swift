/// Names one WebSocket connection of one event loop; never used again.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var description: String { loop == 0 ? "\(rawValue)" : "\(loop).\(rawValue & EventLoop.countMask)" }

    /// Which loop of a group serves it; 0 is the main or only one.
    var loop: Int { Int(rawValue >> EventLoop.countBits) }
}

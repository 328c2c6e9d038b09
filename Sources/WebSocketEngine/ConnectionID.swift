/// Names one WebSocket connection of one event loop; never used again.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var description: String { "\(rawValue)" }
}

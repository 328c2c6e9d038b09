/// Names one WebSocket connection of one event loop; never reused.
package struct ConnectionID: Hashable, Sendable, CustomStringConvertible {
    /// Bits of an identifier that count from 1 on each loop; the loop's number is above them.
    static let countBits = 48
    private static let countMask: UInt64 = 1 << countBits - 1

    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var description: String { loop == 0 ? "\(rawValue)" : "\(loop).\(rawValue & Self.countMask)" }

    /// Loop of the group that serves the connection; 0 is the main or only one.
    var loop: Int { Int(rawValue >> Self.countBits) }
}

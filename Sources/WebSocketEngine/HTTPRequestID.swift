/// Names one plain HTTP request that waits for `EventLoop.respond(to:_:)`; never reused.
package struct HTTPRequestID: Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt64

    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    package var description: String { "\(rawValue)" }

    /// Loop of the group that received the request; 0 is the main or only one.
    var loop: Int { Int(rawValue >> ConnectionID.countBits) }
}

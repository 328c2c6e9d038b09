/// A moment on both clocks: the wall clock for people and the wire, the monotonic one for waiting.
package struct HostInstant: Sendable, Equatable {
    /// Milliseconds since 1970.
    package var wall: Int64
    /// Milliseconds on the monotonic clock.
    package var monotonic: Int64

    package init(wall: Int64, monotonic: Int64) {
        self.wall = wall
        self.monotonic = monotonic
    }

    package static func - (left: HostInstant, right: HostInstant) -> Duration {
        .milliseconds(left.monotonic - right.monotonic)
    }
}

/// A time as both clocks show it, passed in by the runner: the core has no clock.
package struct Instant: Sendable, Equatable {
    /// Milliseconds since 1970; may jump. For times that people read, and for deadlines that outlive a restart.
    package let wall: Int64
    /// Milliseconds of a clock that never jumps and continues while the machine sleeps; for deadlines within one life of the relay.
    package let uptime: Int64

    /// Nanoseconds, the unit of token buckets.
    package var uptimeNanoseconds: Int64 { uptime * 1_000_000 }

    package init(wall: Int64, uptime: Int64) {
        self.wall = wall
        self.uptime = uptime
    }
}

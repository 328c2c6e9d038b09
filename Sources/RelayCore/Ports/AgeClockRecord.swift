/// The log's record of the time that retention uses. All clocks are in milliseconds.
package struct AgeClockRecord: Sendable, Equatable {
    /// The time that retention uses, since 1970.
    package var time: Int64
    /// The wall clock at that time, since 1970.
    package var wall: Int64
    /// The steady clock at that time.
    package var uptime: Int64
    /// Identifies the machine's start, from which the steady clock counts.
    package var boot: String
    /// Time since the wall clock's last jump; nil while it is trusted.
    package var steadyFor: Int64?

    package init(time: Int64, wall: Int64, uptime: Int64, boot: String, steadyFor: Int64?) {
        self.time = time
        self.wall = wall
        self.uptime = uptime
        self.boot = boot
        self.steadyFor = steadyFor
    }
}

/// The log's record of the time that history ages by. All clocks in milliseconds.
package struct AgeClockRecord: Sendable, Equatable {
    /// Since 1970.
    package var time: Int64
    /// The wall clock at that time, since 1970.
    package var wall: Int64
    /// The steady clock at that time.
    package var uptime: Int64
    /// The start of the machine from which the steady clock counts.
    package var boot: String
    /// For how long the wall clock has gone on without another jump; nil: it is believed.
    package var steadyFor: Int64?

    package init(time: Int64, wall: Int64, uptime: Int64, boot: String, steadyFor: Int64?) {
        self.time = time
        self.wall = wall
        self.uptime = uptime
        self.boot = boot
        self.steadyFor = steadyFor
    }
}

/// What the log keeps of the time that history ages by. All clocks in milliseconds.
package struct AgeClockRecord: Sendable, Equatable {
    /// Since 1970.
    package var time: Int64
    /// What the wall clock showed then, since 1970.
    package var wall: Int64
    /// What the steady clock showed then.
    package var uptime: Int64
    /// Which start of the machine the steady clock counts from.
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

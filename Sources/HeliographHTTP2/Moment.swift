/// A reading of both clocks. The client's machines have no clock of their own.
package struct Moment: Equatable, Sendable {
    /// The monotonic time, for waits and ages.
    package var instant: MonotonicTime
    /// Seconds since 1970, for times that a server compares with its own clock. May jump.
    package var unixSeconds: Int64

    package init(instant: MonotonicTime, unixSeconds: Int64) {
        self.instant = instant
        self.unixSeconds = unixSeconds
    }
}

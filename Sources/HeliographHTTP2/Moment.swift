/// One reading of the clocks. The machines that use the client have none of their own.
package struct Moment: Equatable, Sendable {
    /// For waits and ages: never jumps.
    package var instant: MonotonicTime
    /// For what a server compares with its own clock; seconds since 1970. May jump.
    package var unixSeconds: Int64

    package init(instant: MonotonicTime, unixSeconds: Int64) {
        self.instant = instant
        self.unixSeconds = unixSeconds
    }
}

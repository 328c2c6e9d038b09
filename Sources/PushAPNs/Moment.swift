internal import HeliographHTTP2

/// What the clocks say. The machines have none of their own.
struct Moment: Equatable, Sendable {
    /// For waits and ages: never jumps.
    var instant: MonotonicTime
    /// For what Apple compares with its own clock; seconds since 1970. May jump.
    var unixSeconds: Int64
}

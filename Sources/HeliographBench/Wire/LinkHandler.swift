/// What a scenario does with what comes.
protocol LinkHandler: AnyObject {
    /// The upgrade was granted.
    func opened(_ link: Link) throws(BenchError)

    /// A message, in a buffer that is the driver's own; `now` is when it was read.
    func received(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError)

    /// The upgrade was refused with this status, or, where it is 0, the connection was cut before it was answered. It is closed.
    func turnedAway(_ link: Link, status: Int) throws(BenchError)

    /// A connection that was open is none any more.
    func ended(_ link: Link, _ end: LinkEnd) throws(BenchError)

    /// Where nobody listens is turned away from, and is not the end of the run.
    var outlivesRelays: Bool { get }
}

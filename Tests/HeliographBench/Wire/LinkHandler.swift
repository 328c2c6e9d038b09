/// Receives a scenario's input.
protocol LinkHandler: AnyObject {
    /// The upgrade was granted.
    func opened(_ link: Link) throws(BenchError)

    /// A message, in a buffer that is the driver's own; `now` is when it was read.
    func received(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError)

    /// The upgrade was refused with this status, or the connection was cut before a response if that is 0. The link is closed.
    func turnedAway(_ link: Link, status: Int) throws(BenchError)

    /// A connection that was open is none any more.
    func ended(_ link: Link, _ end: LinkEnd) throws(BenchError)

    /// If set, an address at which nothing listens counts as refused, and does not end the run.
    var outlivesRelays: Bool { get }
}

/// Receives a scenario's input.
protocol LinkHandler: AnyObject {
    /// The upgrade was granted.
    func opened(_ link: Link) throws(BenchError)

    /// A message, in a buffer of the driver that is valid during the call; `now` is the time of reading.
    func received(_ message: UnsafeRawBufferPointer, on link: Link, at now: Int64) throws(BenchError)

    /// The upgrade was refused with this status, or the connection was cut before a response if that is 0. The link is closed.
    func turnedAway(_ link: Link, status: Int) throws(BenchError)

    /// An open connection has ended.
    func ended(_ link: Link, _ end: LinkEnd) throws(BenchError)

    /// If true, an address at which nothing listens counts as refused, and does not end the run.
    var outlivesRelays: Bool { get }
}

/// HTTP on one connection, as a machine of bytes: input is passed to `receive(_:)`, output comes from `produce(into:upTo:)`, and
/// either adds to `events`.
///
/// Confined to the loop's thread.
protocol HTTPSession: AnyObject {
    var events: [HTTP2Session.Event] { get set }
    /// Streams that have not ended.
    var streams: [Int32: HTTP2Session.Stream] { get set }
    /// The peer's mistake, in words.
    var complaint: String? { get }
    /// True if neither side has anything left to send.
    var isOver: Bool { get }
    /// The number of streams that the peer permits us.
    var peerStreamsMax: Int { get }

    func receive(_ bytes: [UInt8]) throws(HTTP2Error)
    /// The peer has closed its side.
    func endOfInput()
    func produce(into bytes: inout [UInt8], upTo countMax: Int) throws(HTTP2Error)
    /// Sends a request. Returns the new stream's number; nil if no more are permitted.
    func sendRequest(_ message: HTTP2Message) -> Int32?
    func reset(_ number: Int32, _ code: HTTP2ErrorCode, _ end: HTTP2StreamEnd)
    func ping()
    func goAway(_ code: HTTP2ErrorCode, lastStream: Int32?, debug: [UInt8])
}

extension HTTPSession {
    func goAway(_ code: HTTP2ErrorCode) { goAway(code, lastStream: nil, debug: []) }
}

/// HTTP on one connection, as a machine of bytes: input goes in by `receive(_:)`, output comes out of `produce(into:upTo:)`, and what
/// they mean is in `events` after either.
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
    /// The number of streams that the peer lets us begin.
    var peerStreamsMax: Int { get }

    func receive(_ bytes: [UInt8]) throws(HTTP2Error)
    /// The peer said that nothing more will come.
    func endOfInput()
    func produce(into bytes: inout [UInt8], upTo countMax: Int) throws(HTTP2Error)
    /// A new stream's number; nil where none is taken any more.
    func sendRequest(_ message: HTTP2Message) -> Int32?
    func reset(_ number: Int32, _ code: HTTP2ErrorCode, _ end: HTTP2StreamEnd)
    func ping()
    func goAway(_ code: HTTP2ErrorCode, lastStream: Int32?, debug: [UInt8])
}

extension HTTPSession {
    func goAway(_ code: HTTP2ErrorCode) { goAway(code, lastStream: nil, debug: []) }
}

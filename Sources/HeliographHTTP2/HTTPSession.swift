/// What speaks HTTP on one connection, as a machine of bytes: what came goes in by `receive(_:)`, what shall leave comes out of
/// `produce(into:upTo:)`, and what that means is in `events` after either.
///
/// Belongs to the loop's thread.
protocol HTTPSession: AnyObject {
    var events: [HTTP2Session.Event] { get set }
    /// Those that have not ended.
    var streams: [Int32: HTTP2Session.Stream] { get set }
    /// What the peer did wrong.
    var complaint: String? { get }
    /// Whether both sides have said all they had to.
    var isOver: Bool { get }
    /// How many streams the peer allows us.
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

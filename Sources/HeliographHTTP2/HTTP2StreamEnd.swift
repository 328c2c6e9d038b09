/// The cause of a stream's end, other than a whole response.
package enum HTTP2StreamEnd: Equatable, Sendable {
    /// The server has answered in full. Told to the server's handler only; a client's is given the response.
    case answered
    /// The peer reset it. `refusedStream` also means a stream above the last one of a GOAWAY: the server has not looked
    /// at it.
    case reset(HTTP2ErrorCode)
    /// We reset it, or a rule of HTTP was broken and the engine did.
    case resetHere(HTTP2ErrorCode)
    /// The deadline passed; the stream was reset with CANCEL.
    case deadlinePassed
    /// The connection ended under it. `wasSent`: all that this side had to send was handed to the network, so that the server may
    /// have acted on it. Where that is false it cannot have.
    case connectionLost(wasSent: Bool)
    /// The body of the message was longer than the limit; it was reset with CANCEL.
    case tooLarge
}

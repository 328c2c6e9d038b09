/// Cause of a stream's end.
package enum HTTP2StreamEnd: Equatable, Sendable {
    /// The server has answered in full. Reported to the server's handler only; a client's gets the response.
    case answered
    /// The peer reset it. `refusedStream` also means a stream above the last one of a GOAWAY: the server has not processed it.
    case reset(HTTP2ErrorCode)
    /// We reset it, or the engine did because the peer violated HTTP.
    case resetHere(HTTP2ErrorCode)
    /// The deadline passed; the stream was reset with CANCEL.
    case deadlinePassed
    /// The connection ended first. `wasSent`: our whole message was given to the network, so that the server may have acted on it.
    /// If false, it cannot have.
    case connectionLost(wasSent: Bool)
    /// The body was longer than the limit; the stream was reset with CANCEL.
    case tooLarge
}

/// The bounds of a connection, each with its reason.
package struct HTTP2Limits: Sendable {
    /// From the first packet to the peer's SETTINGS; over all addresses of the host.
    package var openDeadline: Duration = .seconds(10)

    /// For the farewell: what is queued, GOAWAY and the end of TLS.
    package var closeDeadline: Duration = .seconds(3)

    /// For a stream that the peer began, from its first frame to our last: a server answers for no longer than this. A client gives
    /// each request a deadline of its own.
    package var streamDeadline: Duration = .seconds(60)

    /// The longest body of a message; a stream that brings more is reset. APNs takes 5,120 bytes and answers with a hundred.
    package var bodyBytesMax = 1 << 16

    /// All header fields of one message; what comes past that resets the stream.
    package var headerBytesMax = 1 << 14

    /// Bytes that wait for a slow peer before nghttp2 is asked for more.
    package var outputBytesMax = 1 << 18

    /// Connections of one listener at a time.
    package var connectionsMax = 1024

    package init() {}
}

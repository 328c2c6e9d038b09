/// The bounds of a connection, each with its reason.
package struct HTTP2Limits: Sendable {
    /// Time from the first packet to the peer's SETTINGS, for all addresses of the host together.
    package var openDeadline: Duration = .seconds(10)

    /// Time to close: queued output, GOAWAY and the end of TLS.
    package var closeDeadline: Duration = .seconds(3)

    /// Time for a stream that the peer began, from its first frame to our last. A client gives each request a deadline of its own.
    package var streamDeadline: Duration = .seconds(60)

    /// The longest body of a message; a stream with more is reset. APNs accepts 5,120 bytes and answers with a hundred.
    package var bodyBytesMax = 1 << 16

    /// All header fields of one message; a stream with more is reset.
    package var headerBytesMax = 1 << 14

    /// Bytes that wait for a slow peer, above which nghttp2 is not asked for more.
    package var outputBytesMax = 1 << 18

    /// Connections of one listener at a time.
    package var connectionsMax = 1024

    package init() {}
}

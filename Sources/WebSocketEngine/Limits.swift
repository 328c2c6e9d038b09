/// The bounds of one connection, or of all connections of one listener, each with its reason.
package struct Limits: Sendable {
    /// Largest message. A larger one is refused with 1009 while it is received, so that it is never in memory.
    package var messageBytesMax = 1 << 20

    /// Frames of one message; tiny fragments cost more than they carry.
    package var fragmentsMax = 4096

    /// Time for a message to arrive, from its first piece: a megabyte at 17 kB/s. It starts anew after reading was paused.
    package var messageDeadline: Duration = .seconds(60)

    /// Largest body; a larger one is answered with 413.
    package var httpBodyBytesMax = 1 << 20

    /// Bytes of incomplete messages and bodies that all connections of one loop together may hold. Above it the connections with
    /// the most are closed until half of it is left: one peer can begin as many messages as it has connections.
    package var unfinishedBytesMax = 64 << 20

    /// Close code for those connections; see `tooSlowCloseCode`.
    package var unfinishedCloseCode: UInt16 = 1013

    /// Unsent bytes for one slow peer: a phone on 3G reads this in half a minute.
    package var outboxBytesMax = 4 << 20

    /// Unsent bytes above which the handler is told (`congested`), so that it can stop adding to the queue.
    package var congestedBytes = 512 << 10

    /// Unsent bytes down to which a congested handler is told (`drained`).
    package var drainedBytes = 64 << 10

    /// Unsent messages for one slow peer: bounds the bookkeeping if messages are tiny.
    package var outboxMessagesMax = 16_384

    /// Close code for a peer that reads too slowly. 1013 is "try again later"; a libwebsockets 4.1.6 client sees it as 1002, so a
    /// code of 4000 or more is clearer to it.
    package var tooSlowCloseCode: UInt16 = 1013

    /// Time from accept to a complete request or an open WebSocket: slow handshakes hold descriptors.
    package var handshakeDeadline: Duration = .seconds(10)

    /// Time for a body to arrive after its headers: a megabyte at 35 kB/s.
    package var bodyDeadline: Duration = .seconds(30)

    /// Time for a response to be sent and the next request to arrive on the same connection.
    package var responseDeadline: Duration = .seconds(120)

    /// Time for the close handshake, including messages that wait to be sent.
    package var closeDeadline: Duration = .seconds(5)

    /// Connections of one address that are not (yet) WebSockets: several times what a browser opens. Loopback and Unix sockets are
    /// exempt, as a reverse proxy is one peer with many clients behind it.
    package var pendingPerAddressMax = 32

    /// All connections of this listener that are not (yet) WebSockets. Above it new connections wait in the kernel until one of
    /// these is a WebSocket or has ended; silent ones are closed first.
    package var pendingMax = 1024

    /// Silence after which a connection may be closed in that case: for one that has sent nothing, and for one without a complete
    /// request. A phone's TLS handshake has pauses of half a second.
    package var silenceMax: (ofNothing: Duration, ofRequest: Duration) = (.milliseconds(250), .seconds(1))

    /// All connections of this listener. The process's limit of descriptors applies, too.
    package var connectionsMax = 20_000

    /// Connections accepted in one turn; the others wait in the kernel. Their handshakes and requests cost a few milliseconds, and
    /// connected peers are served in between, however many connect.
    package var acceptsPerTurnMax = 32

    /// Connections above a limit that a TLS listener answers at once, each after a handshake, without counting them elsewhere. Any
    /// more are closed without a response, because handshakes cost us more than their peers.
    package var toldMax = 16

    /// Time for the handshake and the request of a connection that is turned away: a phone needs four round trips.
    package var toldDeadline: Duration = .seconds(3)

    /// A refused peer is told to retry after 1 to this many seconds, chosen at random, so that peers do not all return at once.
    package var retryAfterSecondsMax = 8

    package init() {}
}

/// The bounds of one connection, or of all connections of one listener, each with its reason.
package struct Limits: Sendable {
    /// A larger message is refused with 1009 while it streams in: it is never in memory.
    package var messageBytesMax = 1 << 20

    /// Frames of one message; tiny fragments cost more than they carry.
    package var fragmentsMax = 4096

    /// For a message to come in whole, from its first piece: a megabyte at 17 kB/s. A peer that is not read meanwhile begins again.
    package var messageDeadline: Duration = .seconds(60)

    /// A larger body is answered with 413.
    package var httpBodyBytesMax = 1 << 20

    /// Bytes of incomplete messages and bodies that all connections of one loop together may hold. Above it the connections that hold the
    /// most are closed until half of it is left: one peer can begin as many messages as it has connections.
    package var unfinishedBytesMax = 64 << 20

    /// The close code for them; see `tooSlowCloseCode`.
    package var unfinishedCloseCode: UInt16 = 1013

    /// Unsent bytes for one slow peer: a phone on 3G reads this in half a minute.
    package var outboxBytesMax = 4 << 20

    /// More than this waits: the handler is told (`congested`), so that it can hold back what would only wait.
    package var congestedBytes = 512 << 10

    /// No more than this waits: a congested handler is told (`drained`).
    package var drainedBytes = 64 << 10

    /// Bounds the bookkeeping when messages are tiny.
    package var outboxMessagesMax = 16_384

    /// The close code for a peer that does not read as fast as it is sent to. 1013 is "try again later"; note that a
    /// libwebsockets 4.1.6 client sees it as 1002, so a code of 4000 or more tells it more.
    package var tooSlowCloseCode: UInt16 = 1013

    /// From accept to a complete request or an open WebSocket: slow handshakes hold descriptors.
    package var handshakeDeadline: Duration = .seconds(10)

    /// For a body to come in whole, after its headers: a megabyte at 35 kB/s.
    package var bodyDeadline: Duration = .seconds(30)

    /// For a response to go out and the next request to come on the same connection.
    package var responseDeadline: Duration = .seconds(120)

    /// For the close handshake, what waits to be sent included.
    package var closeDeadline: Duration = .seconds(5)

    /// Connections of one address that are not (yet) WebSockets: what a browser opens, several times over. Loopback and Unix
    /// sockets are exempt, as a reverse proxy is one peer with many clients behind it.
    package var pendingPerAddressMax = 32

    /// All connections of this listener that are not (yet) WebSockets. Above it new connections wait in the kernel until one of them is a
    /// WebSocket or gone; those that are silent go first.
    package var pendingMax = 1024

    /// Silence after which a connection counts as silent in that case: one that has sent nothing at all, and one whose request is
    /// incomplete, or that has none in progress. A phone's TLS handshake has pauses of half a second.
    package var silenceMax: (ofNothing: Duration, ofRequest: Duration) = (.milliseconds(250), .seconds(1))

    /// All connections of this listener. The descriptors of the process bound it too.
    package var connectionsMax = 20_000

    /// Taken in one turn; the others wait in the kernel. So many handshakes, and what follows on them, cost a few milliseconds, and
    /// connected peers are served in between, however many storm in.
    package var acceptsPerTurnMax = 32

    /// One too many at a listener with TLS is told so after a handshake of its own, and counts nowhere else: so many at once, and who comes
    /// beyond them is hung up on. Handshakes cost us more than their peers.
    package var toldMax = 16

    /// For such a handshake and the request that is answered: a phone needs four round trips.
    package var toldDeadline: Duration = .seconds(3)

    /// A peer that is turned away is told to come back after 1 to so many seconds, each another number, so that they do not storm again.
    package var retryAfterSecondsMax = 8

    package init() {}
}

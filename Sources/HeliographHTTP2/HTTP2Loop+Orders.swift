internal import HeliographCrypto
internal import Glibc

/// Orders of handlers of either role to a connection or a stream. An order to one that has ended has no effect: its end is reported
/// anyway.
extension HTTP2Loop {
    /// Ends a stream. The last event of it is `.resetHere`.
    package func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        preconditionOnLoop()
        guard let connection = connections[stream.connection.rawValue] else { return }
        connection.session.reset(stream.number, code, .resetHere(code))
        touch(connection)
    }

    /// Asks the peer for a sign of life: `pingAnswered`.
    package func ping(_ connection: HTTP2ConnectionID) {
        order(connection) { $0.session.ping() }
    }

    /// Says that no stream will be begun or taken any more, lets those that are open end, and closes then. `lastStream`: the last
    /// one of the peer's that will be looked at, which may be lower than what has come; nil: what has come.
    package func goAway(
        _ connection: HTTP2ConnectionID, _ code: HTTP2ErrorCode = .noError, lastStream: Int32? = nil, debug: [UInt8] = []
    ) {
        order(connection) { $0.session.goAway(code, lastStream: lastStream, debug: debug) }
    }

    /// Like `goAway`, with a wait of `HTTP2Limits.closeDeadline` at most.
    package func close(_ connection: HTTP2ConnectionID, _ code: HTTP2ErrorCode = .noError) {
        order(connection) { connection in
            guard connection.phase == .open || connection.phase == .greeting else {
                if connection.phase != .closing { finish(connection, .here) }
                return
            }
            connection.session.goAway(code)
            connection.phase = .closing
            connection.closeReason = .here
            let deadline = now + connection.limits.closeDeadline
            connection.deadline = deadline
            expect(by: deadline)
        }
    }

    /// Hangs up without a word: the end of TCP, or its reset.
    package func drop(_ connection: HTTP2ConnectionID, byReset: Bool = false) {
        order(connection) { connection in
            if byReset, let socket = connection.socket {
                var now = linger(l_onoff: 1, l_linger: 0)
                _ = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            }
            finish(connection, .here)
        }
    }

    /// Fault: exactly so many more bytes of HTTP/2 leave, then the socket closes, inside a frame if need be. What the handler is
    /// told of streams is as if all had left.
    package func cut(_ connection: HTTP2ConnectionID, afterBytes count: Int) {
        order(connection) { $0.bytesUntilCut = max(0, count) }
    }

    /// Fault: from here on the peer's bytes are neither read nor acknowledged by HTTP/2, and none leave. The socket stays.
    package func stall(_ connection: HTTP2ConnectionID) {
        order(connection) { connection in
            guard !connection.isStalled, let socket = connection.socket else { return }
            connection.isStalled = true
            poller.remove(socket)
        }
    }

    /// The state of a connection; nil if it has ended.
    package func state(of connection: HTTP2ConnectionID) -> HTTP2ConnectionState? {
        preconditionOnLoop()
        return connections[connection.rawValue].map { connection in
            HTTP2ConnectionState(
                peer: connection.peer, tlsVersion: connection.tls.version, isOpen: connection.phase == .open,
                streamsOpen: connection.session.streams.count, peerStreamsMax: connection.session.peerStreamsMax)
        }
    }

    func order(_ id: HTTP2ConnectionID, _ body: (HTTP2Connection) -> Void) {
        preconditionOnLoop()
        guard let connection = connections[id.rawValue] else { return }
        body(connection)
        touch(connection)
    }
}

/// A look at a connection.
package struct HTTP2ConnectionState: Equatable, Sendable {
    /// An address.
    package var peer: String
    /// The version's name, such as `TLSv1.3`.
    package var tlsVersion: String
    /// The peer's SETTINGS are here and neither side closes.
    package var isOpen: Bool
    package var streamsOpen: Int
    /// The number of streams that the peer lets us begin.
    package var peerStreamsMax: Int
}

internal import HeliographCrypto
internal import Glibc

/// Orders of handlers of either role to a connection or a stream. They have no effect after its end, which is reported anyway.
extension HTTP2Loop {
    /// Ends a stream. Its last event is `.resetHere`.
    package func reset(_ stream: HTTP2StreamID, _ code: HTTP2ErrorCode) {
        preconditionOnLoop()
        guard let connection = connections[stream.connection.rawValue] else { return }
        connection.session.reset(stream.number, code, .resetHere(code))
        touch(connection)
    }

    /// Sends a PING; the answer is reported as `pingAnswered`.
    package func ping(_ connection: HTTP2ConnectionID) {
        order(connection) { $0.session.ping() }
    }

    /// Announces that no stream will be begun or accepted any more, lets open ones finish, and then closes. `lastStream`: the last
    /// stream of the peer that will be processed, which may be lower than the last received; nil for the last received.
    package func goAway(
        _ connection: HTTP2ConnectionID, _ code: HTTP2ErrorCode = .noError, lastStream: Int32? = nil, debug: [UInt8] = []
    ) {
        order(connection) { $0.session.goAway(code, lastStream: lastStream, debug: debug) }
    }

    /// Like `goAway`, but waits for `HTTP2Limits.closeDeadline` at most.
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

    /// Ends the connection without GOAWAY: by the end of TCP, or its reset.
    package func drop(_ connection: HTTP2ConnectionID, byReset: Bool = false) {
        order(connection) { connection in
            if byReset, let socket = connection.socket {
                var now = linger(l_onoff: 1, l_linger: 0)
                _ = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
            }
            finish(connection, .here)
        }
    }

    /// Fault: sends exactly `count` more bytes of HTTP/2, then closes the socket, inside a frame if need be. Handlers get the
    /// events as if everything had been sent.
    package func cut(_ connection: HTTP2ConnectionID, afterBytes count: Int) {
        order(connection) { $0.bytesUntilCut = max(0, count) }
    }

    /// Fault: from here on the peer's bytes are neither read nor acknowledged by HTTP/2, and none are sent. The socket stays open.
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

/// A snapshot of a connection's state.
package struct HTTP2ConnectionState: Equatable, Sendable {
    /// The peer's address.
    package var peer: String
    /// The version's name, such as `TLSv1.3`.
    package var tlsVersion: String
    /// True if the peer's SETTINGS have arrived and neither side is closing.
    package var isOpen: Bool
    package var streamsOpen: Int
    /// The number of streams that the peer permits us.
    package var peerStreamsMax: Int
}

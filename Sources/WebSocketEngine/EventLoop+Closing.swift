internal import CHeliographLibwebsockets
internal import DequeModule

/// The end of connections: requested, forced, or noticed.
extension EventLoop {
    /// Sends what is queued, then a close frame, then waits for the peer's; `Limits.closeDeadline` bounds it all. `reason` is
    /// cut to 123 bytes.
    package func close(_ connection: ConnectionID, code: UInt16, reason: String) {
        preconditionOnLoop()
        guard let connection = connections[connection.rawValue] else { return }
        guard connection.phase == .open else {
            // Before the WebSocket is open no close frame can be sent.
            if connection.phase == .connecting || connection.phase == .upgrading {
                end(connection, .local(code: code))
            }
            return
        }
        beginClosing(connection, code: code, reason: reason, .local(code: code))
    }

    /// Ends the connection without a close frame.
    package func drop(_ connection: ConnectionID) {
        preconditionOnLoop()
        guard let connection = connections[connection.rawValue] else { return }
        end(connection, .failed("dropped"))
    }

    /// Ends a connection whose outbox is over its limit. The outbox is dropped; the peer still gets a close frame if it reads.
    func fellBehind(_ connection: Connection) {
        connection.outbox = []
        connection.outboxBytes = 0
        beginClosing(connection, code: connection.limits.tooSlowCloseCode, reason: "too slow", .tooSlow)
    }

    /// Like `close`, but drops messages that wait to be sent.
    package func cutOff(_ connection: ConnectionID, code: UInt16, reason: String) {
        preconditionOnLoop()
        guard let connection = connections[connection.rawValue], connection.phase == .open else { return }
        connection.outbox = []
        connection.outboxBytes = 0
        beginClosing(connection, code: code, reason: reason, .local(code: code))
    }

    private func beginClosing(_ connection: Connection, code: UInt16, reason: String, _ closeReason: CloseReason) {
        guard let wsi = unsafe connection.socket else { return }
        sendBatch(of: connection)
        guard connection.phase == .open else { return }
        var reason = Array(reason.utf8.prefix(123))
        // A cut inside a character would be a protocol error of ours.
        while String(validating: reason, as: UTF8.self) == nil { reason.removeLast() }
        connection.phase = .closing
        connection.closeReason = connection.closeReason ?? closeReason
        connection.closeFrame = (code, reason)
        setDeadline(of: connection, after: connection.limits.closeDeadline)
        // The peer's close frame has to be read.
        resumeReading(connection)
        letGo(connection)
        unsafe lws_callback_on_writable(wsi)
    }

    /// Closes after the peer broke a rule. Its further input is parsed and ignored until the close frame is sent: a receive
    /// callback must not return nonzero, because the client of 4.1.6 then keeps filling a buffer that it no longer empties.
    func violated(_ connection: Connection, code: UInt16, _ sentence: String) {
        connection.assembly.clear()
        connection.messageBegan = nil
        countUnfinished(of: connection)
        connection.outbox = []
        connection.outboxBytes = 0
        beginClosing(connection, code: code, reason: sentence, .local(code: code))
    }

    /// LWS_CALLBACK_WS_PEER_INITIATED_CLOSE: libwebsockets echoes `input` when this returns 0.
    func peerCloses(_ connection: Connection, _ input: UnsafeMutableRawBufferPointer) -> Int32 {
        guard connection.phase == .open || connection.phase == .closing else { return 0 }
        if unsafe String(validating: input.dropFirst(2), as: UTF8.self) == nil { unsafe Self.refuseReason(in: input) }
        connection.phase = .closing
        connection.closeFrame = nil
        connection.outbox = []
        connection.outboxBytes = 0
        setDeadline(of: connection, after: connection.limits.closeDeadline)
        let code = unsafe input.count >= 2 ? UInt16(input[0]) << 8 | UInt16(input[1]) : nil
        let reason = unsafe String(decoding: input.dropFirst(2), as: UTF8.self)
        connection.closeReason = connection.closeReason ?? .peer(code: code, reason: reason)
        return 0
    }

    /// A close reason that is not UTF-8 is answered with 1007, like such a message, and not echoed.
    private static func refuseReason(in input: UnsafeMutableRawBufferPointer) {
        unsafe input[0] = UInt8(1007 >> 8)
        unsafe input[1] = UInt8(1007 & 0xFF)
        for index in 2..<input.count where unsafe input[index] >= 0x80 { unsafe input[index] = UInt8(ascii: "?") }
    }

    func setCloseReason(_ wsi: OpaquePointer, code: UInt16, _ reason: [UInt8]) {
        var reason = reason
        unsafe reason.withUnsafeMutableBufferPointer { buffer in
            unsafe lws_close_reason(wsi, lws_close_status(UInt32(code)), buffer.baseAddress, buffer.count)
        }
    }

    func failed(_ connection: Connection, _ sentence: String) {
        end(connection, .failed(sentence))
    }

    /// Makes libwebsockets close the socket on its next turn, when the handler is told, too.
    func end(_ connection: Connection, _ reason: CloseReason) {
        guard connection.phase != .dropped else { return }
        connection.phase = .dropped
        connection.closeReason = connection.closeReason ?? reason
        connection.deadline = nil
        connection.outbox = []
        connection.outboxBytes = 0
        connection.clientAttempt.addresses = []
        if let wsi = unsafe connection.socket {
            unsafe clws_kill(wsi)
            noteActivity()
        } else {
            runLater { [weak self] in self?.finish(connection) }
        }
    }

    /// LWS_CALLBACK_WSI_DESTROY.
    func socketDestroyed(of connection: Connection) {
        if EngineLog.takeHeaderOverrun(), let listener = connection.listener, connection.phase == .http {
            noteTurnedAway(from: listener, .headerKilobytes)
        }
        if let wsi = unsafe connection.socket, connection.exchange?.isDeferred == true {
            departures?.forget(descriptor: unsafe lws_get_socket_fd(wsi))
        }
        unsafe connection.socket = nil
        if connection.clientAttempt.isStarting {
            connection.clientAttempt.diedWhileStarting = true
        } else if connection.phase == .connecting {
            runLater { [weak self] in self?.startNextAttempt(of: connection) }
        } else {
            finish(connection)
        }
    }

    /// Removes the connection from the table and tells its handler, once.
    func finish(_ connection: Connection) {
        guard connections.remove(connection.id.rawValue) != nil else { return }
        connection.assembly.clear()
        connection.incomingRequest = nil
        countUnfinished(of: connection)
        noteActivity()
        let reason = connection.closeReason ?? .failed("the connection was lost")
        connection.phase = .dropped
        switch connection.role {
        case .client(let handler, _):
            handler.closed(connection.id, reason: reason)
        case .server(let listener):
            stopCountingAsPending(connection)
            if connection.refusal == nil { listener.admission.left(connection.place) } else { listener.admission.wasTold() }
            if let exchange = connection.exchange {
                requests[exchange.id] = nil
                connection.exchange = nil
                listener.handler.requestAborted(exchange.id)
            }
            if connection.wasOpened {
                listener.handler.closed(connection.id, reason: reason)
            } else if connection.wasAccepted {
                listener.handler.upgradeAbandoned(connection.id)
            }
        }
    }
}

internal import HeliographCrypto
internal import Glibc

/// Bytes between sockets, TLS and HTTP/2, and the end of connections.
extension HTTP2Loop {
    func socketBecameReady(_ ready: Poller.Ready) {
        if let listener = listeners[ready.number] { return accept(listener) }
        // Closed earlier in this turn.
        guard let connection = connections[ready.number] else { return }
        if connection.phase == .connecting { return tcpAnswered(connection) }
        if ready.isReadable { receive(connection) }
        if ready.isWritable { touch(connection) }
    }

    // MARK: In

    private func receive(_ connection: HTTP2Connection) {
        guard let socket = connection.socket, !connection.isStalled else { return }
        let count = unsafe withUnsafeTemporaryAllocation(byteCount: Self.readBytesMax, alignment: 16) { buffer in
            let count = unsafe recv(socket, buffer.baseAddress, buffer.count, 0)
            if count > 0 { unsafe connection.tls.receive(UnsafeRawBufferPointer(rebasing: buffer.prefix(count))) }
            return count
        }
        if count > 0 {
            process(connection)
        } else if count == 0 {
            if let plain = connection.tls as? PlainSession {
                plain.isClosedByPeer = true
                return process(connection)
            }
            // Input before the end was processed when it arrived.
            finish(connection, connection.closeReason ?? .byPeer)
        } else if errno != EAGAIN, errno != EINTR {
            finish(connection, connection.closeReason ?? .networkFailed(String(errno: errno)))
        }
    }

    /// Processes the input that has arrived.
    func process(_ connection: HTTP2Connection) {
        do {
            try connection.tls.advanceHandshake()
            touch(connection)
            guard connection.tls.isEstablished else { return }
            if connection.phase == .handshaking { try tlsEstablished(connection) }
            guard !connection.isHoldingSettings else { return }
            var bytes: [UInt8] = []
            while try connection.tls.read(into: &bytes, countMax: 1 << 14) {}
            try connection.session.receive(bytes)
            if connection.tls.isClosedByPeer { connection.session.endOfInput() }
            sessionSpoke(connection)
            if connection.tls.isClosedByPeer { finish(connection, connection.closeReason ?? .byPeer) }
        } catch let error as CryptoError {
            // Tries to send the TLS alert with the reason.
            sendRecords(connection)
            finish(connection, error.code == .notTrusted ? .notTrusted(error.message) : .tlsFailed(error.message))
        } catch let error as HTTP2Error {
            sessionSpoke(connection)
            breakOff(connection, error.message)
        } catch {
            preconditionFailure("an error of no known kind: \(error)")
        }
    }

    private func tlsEstablished(_ connection: HTTP2Connection) throws(CryptoError) {
        let isHTTP2 = connection.tls.negotiatedProtocol == "h2"
        if !isHTTP2, case .client(_, let configuration) = connection.role, configuration.allowsHTTP1 {
            connection.session = HTTP1Session(limits: connection.limits)
            connection.phase = .greeting
            return
        }
        guard isHTTP2 else { throw CryptoError(.tlsFailed, "\(connection.peer) does not speak HTTP/2") }
        connection.phase = .greeting
        switch connection.role {
        case .client:
            connection.http2.sendSettings(streamsMax: nil)
        case .server(_, let configuration, _):
            if !connection.isHoldingSettings {
                connection.http2.sendSettings(
                    streamsMax: configuration.streamsMax, streamWindowBytes: configuration.streamWindowBytes)
            }
            report(HTTP2ServerEvent.opened(peer: connection.peer), connection)
        }
    }

    /// Acts on the events of nghttp2's last call.
    private func sessionSpoke(_ connection: HTTP2Connection) {
        let events = connection.session.events
        connection.session.events = []
        for event in events {
            switch event {
            case .settingsReceived(let streamsMax):
                if connection.phase == .greeting {
                    connection.phase = .open
                    connection.deadline = nil
                }
                report(HTTP2ClientEvent.settingsReceived(streamsMax: streamsMax), connection)
            case .settingsAcknowledged:
                report(HTTP2ServerEvent.settingsAcknowledged, connection)
            case .goAwayReceived(let lastStream, let code, let debug):
                connection.closeReason = connection.closeReason ?? .byPeer
                report(HTTP2ServerEvent.goAwayReceived(code), connection)
                report(HTTP2ClientEvent.goAwayReceived(lastStream: lastStream, code, debug: debug), connection)
            case .pingAnswered:
                report(HTTP2ClientEvent.pingAnswered, connection)
            case .streamBegan(let number):
                setDeadline(now + connection.limits.streamDeadline, ofStream: number, connection)
            case .messageReceived(let message, let number):
                let stream = HTTP2StreamID(connection: connection.id, number: number)
                report(HTTP2ServerEvent.requestReceived(message, stream), connection)
                report(HTTP2ClientEvent.responseReceived(message, stream), connection)
            case .streamEnded(let end, let number):
                connection.streamDeadlines[number] = nil
                reportEnd(end, of: number, connection)
            }
        }
    }

    func setDeadline(_ deadline: MonotonicTime, ofStream number: Int32, _ connection: HTTP2Connection) {
        connection.streamDeadlines[number] = deadline
        expect(by: deadline)
    }

    func reportEnd(_ end: HTTP2StreamEnd, of number: Int32, _ connection: HTTP2Connection) {
        let stream = HTTP2StreamID(connection: connection.id, number: number)
        report(HTTP2ServerEvent.streamEnded(stream, end), connection)
        // A client got the response when it arrived.
        if end != .answered { report(HTTP2ClientEvent.streamEnded(stream, end), connection) }
    }

    // MARK: Out

    /// Sends as much as is queued and the network accepts.
    func flush(_ connection: HTTP2Connection) {
        guard connection.phase != .closed, connection.phase != .connecting, !connection.isStalled else { return }
        repeat {
            guard sendRecords(connection), !connection.hasOutput else { break }
            guard connection.tls.isEstablished, fill(connection) else { break }
        } while connection.hasOutput
        guard connection.phase != .closed else { return }
        wait(connection)
        guard !connection.hasOutput else { return }
        if connection.bytesUntilCut == 0 { return finish(connection, .here) }
        if connection.phase != .handshaking, connection.session.isOver { sayGoodbye(connection) }
    }

    /// Encrypts frames into records. Returns false if that ended the connection.
    private func fill(_ connection: HTTP2Connection) -> Bool {
        var bytes = connection.plaintext
        connection.plaintext = []
        bytes.removeAll(keepingCapacity: true)
        do {
            try connection.session.produce(into: &bytes, upTo: connection.limits.outputBytesMax)
            if let left = connection.bytesUntilCut {
                bytes.removeLast(max(0, bytes.count - left))
                connection.bytesUntilCut = left - bytes.count
            }
            try connection.tls.write(bytes)
        } catch let error as CryptoError {
            finish(connection, .tlsFailed(error.message))
            return false
        } catch let error as HTTP2Error {
            finish(connection, .protocolBroken(error.message))
            return false
        } catch {
            preconditionFailure("an error of no known kind: \(error)")
        }
        connection.plaintext = bytes
        sessionSpoke(connection)
        connection.tls.takeOutput(into: &connection.output)
        return true
    }

    /// - Returns: false if that ended the connection.
    @discardableResult
    private func sendRecords(_ connection: HTTP2Connection) -> Bool {
        guard let socket = connection.socket else { return false }
        connection.tls.takeOutput(into: &connection.output)
        while connection.hasOutput {
            let count = unsafe connection.output.withUnsafeBytes { bytes in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[connection.outputOffset...])
                return unsafe send(socket, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                connection.outputOffset += count
            } else if errno == EAGAIN {
                return true
            } else if errno != EINTR {
                finish(connection, connection.closeReason ?? .networkFailed(String(errno: errno)))
                return false
            }
        }
        connection.output.removeAll(keepingCapacity: true)
        connection.outputOffset = 0
        return true
    }

    private func wait(_ connection: HTTP2Connection) {
        guard let socket = connection.socket, connection.hasOutput != connection.isWaitingForWritable else { return }
        connection.isWaitingForWritable = connection.hasOutput
        poller.change(socket, writable: connection.hasOutput)
    }

    // MARK: The end

    /// Ends TLS, then TCP, once neither side has anything left to send.
    private func sayGoodbye(_ connection: HTTP2Connection) {
        connection.tls.close()
        guard sendRecords(connection) else { return }
        let complaint = connection.session.complaint.map(HTTP2CloseReason.protocolBroken)
        finish(connection, connection.closeReason ?? complaint ?? .here)
    }

    /// The peer violated HTTP/2: tries to send nghttp2's GOAWAY with the reason.
    private func breakOff(_ connection: HTTP2Connection, _ sentence: String) {
        guard connection.phase != .closed else { return }
        connection.closeReason = connection.closeReason ?? .protocolBroken(sentence)
        connection.session.goAway(.protocolError)
        if fill(connection), sendRecords(connection) { finish(connection, .protocolBroken(sentence)) }
    }

    /// Removes the connection; its streams end first.
    func finish(_ connection: HTTP2Connection, _ reason: HTTP2CloseReason) {
        guard connection.phase != .closed else { return }
        connection.phase = .closed
        if let socket = connection.socket {
            if !connection.isStalled { poller.remove(socket) }
            Glibc.close(socket)
            connection.socket = nil
        }
        let streams = connection.session.streams.sorted { $0.key < $1.key }
        connection.session.streams = [:]
        for (number, stream) in streams {
            reportEnd(stream.end ?? .connectionLost(wasSent: stream.isSent), of: number, connection)
        }
        connections[connection.id.rawValue] = nil
        report(HTTP2ServerEvent.closed(reason), connection)
        report(HTTP2ClientEvent.closed(reason), connection)
        if case .server(_, _, let listener) = connection.role { listeners[listener]?.connectionCount -= 1 }
    }
}

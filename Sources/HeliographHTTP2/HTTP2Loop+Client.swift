internal import HeliographCrypto
internal import Glibc
internal import HeliographPlatform

/// The client's role.
extension HTTP2Loop {
    /// Begins to open a connection: name, TCP, TLS, SETTINGS, all within `HTTP2Limits.openDeadline`. The result is reported by
    /// `settingsReceived` or `closed`. `handler` is retained until `closed`.
    package func connect(_ configuration: HTTP2ClientConfiguration, handler: any HTTP2ClientHandler) -> HTTP2ConnectionID {
        preconditionOnLoop()
        let deadline = now + configuration.limits.openDeadline
        let connection = HTTP2Connection(
            id: HTTP2ConnectionID(rawValue: makeID()), role: .client(handler, configuration), phase: .connecting,
            deadline: deadline)
        connections[connection.id.rawValue] = connection
        expect(by: deadline)
        let host = configuration.address ?? configuration.host
        if SocketAddress(host, port: 0) != nil {
            connection.addresses = [host]
            connectToNextAddress(connection)
        } else {
            let (queue, id) = (queue, connection.id.rawValue)
            Resolver.resolve(host) { addresses in
                // No effect if the loop has ended.
                _ = queue.add { $0.resolved(id, host, addresses) }
            }
        }
        return connection.id
    }

    private func resolved(_ id: UInt64, _ host: String, _ addresses: [String]) {
        guard let connection = connections[id] else { return }
        connection.addresses = addresses
        if addresses.isEmpty { connection.failure = "no address is known for \(host)" }
        connectToNextAddress(connection)
    }

    /// Connects to the next address. Ends the connection if none is left.
    func connectToNextAddress(_ connection: HTTP2Connection) {
        forgetAttempt(connection)
        guard case .client(_, let configuration) = connection.role, let deadline = connection.deadline else { return }
        while !connection.addresses.isEmpty {
            // Each address gets its share of the remaining time.
            let share = now.duration(to: deadline) / connection.addresses.count
            let text = connection.addresses.removeFirst()
            guard configuration.allowsAddress(text) else {
                connection.failure = "\(configuration.host) is at \(text), which is not called"
                continue
            }
            connection.peer = text
            if let socket = begin(text, configuration.port, connection) {
                connection.socket = socket
                connection.attemptDeadline = now + share
                expect(by: now + share)
                poller.add(socket, connection.id.rawValue, writable: true)
                connection.isWaitingForWritable = true
                return
            }
        }
        finish(connection, .unreachable(connection.failure ?? "no address was tried"))
    }

    private func forgetAttempt(_ connection: HTTP2Connection) {
        connection.attemptDeadline = nil
        guard let socket = connection.socket else { return }
        poller.remove(socket)
        Glibc.close(socket)
        connection.socket = nil
    }

    private func begin(_ text: String, _ port: UInt16, _ connection: HTTP2Connection) -> Int32? {
        guard let address = SocketAddress(text, port: port) else { return nil }
        let socket = Glibc.socket(address.family, SocketAddress.stream, 0)
        guard socket >= 0 else {
            connection.failure = "no socket: \(String(errno: errno))"
            return nil
        }
        SocketAddress.set(socket, Int32(IPPROTO_TCP), TCP_NODELAY)
        let result = unsafe address.withPointer { unsafe Glibc.connect(socket, $0, $1) }
        if result == 0 || errno == EINPROGRESS { return socket }
        connection.failure = "cannot connect to \(text) port \(port): \(String(errno: errno))"
        Glibc.close(socket)
        return nil
    }

    /// The pending connect has succeeded or failed.
    func tcpAnswered(_ connection: HTTP2Connection) {
        guard let socket = connection.socket, case .client(_, let configuration) = connection.role else { return }
        var error: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        _ = unsafe getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &count)
        guard error == 0 else {
            connection.failure =
                "cannot connect to \(connection.peer) port \(configuration.port): \(String(errno: error))"
            return connectToNextAddress(connection)
        }
        connection.attemptDeadline = nil
        connection.phase = .handshaking
        // Without TLS there is no handshake: the client sends first.
        if configuration.tls == nil { return process(connection) }
        do {
            try connection.tls.advanceHandshake()
        } catch {
            return finish(connection, .tlsFailed(error.message))
        }
        touch(connection)
    }

    // MARK: Requests

    /// Sends a whole request. The result is reported by `responseReceived` or `streamEnded`, by `deadline` at the latest. Throws
    /// `notOpen`, `streamLimit` or `invalidMessage`; nothing was sent then.
    package func request(
        _ message: HTTP2Message, on id: HTTP2ConnectionID, deadline: MonotonicTime
    ) throws(HTTP2Error) -> HTTP2StreamID {
        preconditionOnLoop()
        guard let connection = connections[id.rawValue], connection.phase == .open else {
            throw HTTP2Error(.notOpen, "the connection is not open")
        }
        guard connection.session.streams.count < connection.session.peerStreamsMax else {
            throw HTTP2Error(.streamLimit, "as many streams are open as the peer allows")
        }
        guard message.headers.allSatisfy(Self.isValid) else {
            throw HTTP2Error(.invalidMessage, "a header has a name or value that cannot be sent")
        }
        guard let number = connection.session.sendRequest(message) else {
            throw HTTP2Error(.notOpen, "the connection takes no new streams")
        }
        setDeadline(deadline, ofStream: number, connection)
        touch(connection)
        return HTTP2StreamID(connection: id, number: number)
    }

    /// True if the header may be sent. nghttp2 does not check, and a line break in a value would be another header for the next
    /// HTTP/1 proxy.
    private static func isValid(_ header: HTTP2Header) -> Bool {
        !header.name.isEmpty && holds(header.name) { $0 > 0x20 && $0 < 0x7F && !($0 >= 0x41 && $0 <= 0x5A) }
            && isValidValue(header.value)
    }

    /// True if all characters are printable or tabs. Each push has 600 bytes of values, so they are checked eight at a time.
    private static func isValidValue(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var index = 0
            while index + 8 <= bytes.count {
                let word = unsafe UnsafeRawPointer(bytes.baseAddress! + index).loadUnaligned(as: UInt64.self)
                // Finds a byte below 0x20 or equal to 0x7F. Source: Sean Eron Anderson, "Bit Twiddling Hacks".
                let (small, deleted) = (word &- 0x2020_2020_2020_2020, word ^ 0x7F7F_7F7F_7F7F_7F7F)
                let marks = (small & ~word) | ((deleted &- 0x0101_0101_0101_0101) & ~deleted)
                if marks & 0x8080_8080_8080_8080 != 0, unsafe !bytes[index..<index + 8].allSatisfy(isValid) { return false }
                index += 8
            }
            return unsafe bytes[index...].allSatisfy(isValid)
        }
    }

    private static func isValid(_ byte: UInt8) -> Bool { (byte >= 0x20 && byte != 0x7F) || byte == 0x09 }

    /// True if every byte satisfies the rule. Each push checks 700 of them.
    @inline(__always)
    private static func holds(_ text: String, _ rule: (UInt8) -> Bool) -> Bool {
        let isValid = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe $0.allSatisfy(rule) }
        return isValid ?? text.utf8.allSatisfy(rule)
    }
}

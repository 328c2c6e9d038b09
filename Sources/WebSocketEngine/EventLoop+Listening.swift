internal import CHeliographLibwebsockets
internal import CHeliographLinux
internal import Glibc
internal import HeliographPlatform

/// Listening and accepting. libwebsockets could do both, but it would spin when descriptors run out, open socket files to the
/// group, and has no limits on connections.
extension EventLoop {
    package func listen(
        _ configuration: ListenerConfiguration, handler: any ServerHandler
    ) throws(WebSocketEngineError) -> Listener {
        try listen(configuration, handler: handler, Admission(loops: 1), [])
    }

    /// Connections are served by the loops of `branches`, or by this one if there are none.
    func listen(
        _ configuration: ListenerConfiguration, handler: any ServerHandler, _ admission: Admission,
        _ branches: [ListenerBranch]
    ) throws(WebSocketEngineError) -> Listener {
        preconditionOnLoop()
        guard unsafe context != nil else { throw WebSocketEngineError(.stopped, "the event loop is stopping") }
        let vhost = unsafe try vhost(for: configuration.tls)
        let descriptor: Int32
        var port: UInt16?
        var path: String?
        switch configuration.address {
        case .tcp(let host, let wanted):
            let bound = try Binding.tcp(host: host, port: wanted)
            descriptor = bound.descriptor
            port = bound.port
        case .unix(let wanted):
            descriptor = try Binding.unix(path: wanted)
            path = wanted
        case .passed(let socket):
            _ = fcntl(socket.descriptor, F_SETFL, fcntl(socket.descriptor, F_GETFL) | O_NONBLOCK)
            descriptor = socket.descriptor
            port = socket.port
        }
        if port != nil, configuration.expectsProxyHeader {
            Self.deferAccepting(descriptor, until: configuration.limits.handshakeDeadline)
        }
        let id = makeID()
        let listener = unsafe Listener(
            id: id, configuration: configuration, handler: handler, admission: admission, vhost: vhost, port: port, path: path,
            loop: self)
        guard let wsi = unsafe clws_adopt_readable(vhost, descriptor, UnsafeMutableRawPointer(bitPattern: UInt(id))) else {
            throw WebSocketEngineError(.cannotListen, "libwebsockets did not take the listening socket")
        }
        unsafe listening[id] = ListenSocket(listener: listener, descriptor: descriptor, wsi: wsi, branches: branches)
        return listener
    }

    /// A listener without a socket of its own: another loop accepts for it.
    func makeListener(
        _ configuration: ListenerConfiguration, handler: any ServerHandler, _ admission: Admission
    ) throws(WebSocketEngineError) -> Listener {
        preconditionOnLoop()
        return unsafe Listener(
            id: makeID(), configuration: configuration, handler: handler, admission: admission,
            vhost: try vhost(for: configuration.tls), port: nil, path: nil, loop: self)
    }

    func stopListening(_ listener: Listener) {
        preconditionOnLoop()
        guard let socket = listening.removeValue(forKey: listener.id) else { return }
        if let path = listener.path, listener.isAtItsPath { unsafe unlink(path) }
        // Stops new connections until libwebsockets closes the descriptor in the next turn. A socket that other processes hold is
        // not shut down, as that would stop it for them as well: its connections wait for the next process that accepts.
        if !listener.isPassed { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
        unsafe clws_kill(socket.wsi)
    }

    /// LWS_CALLBACK_RAW_RX_FILE: a listening socket, the alarm, the call for an interlude, or the departure watch.
    func descriptorBecameReadable(_ id: UInt64) {
        if let socket = listening[id] {
            accept(from: socket)
        } else if id == alarm?.id {
            alarm?.rang()
        } else if id == interludeCall?.id {
            interlude()
        } else if id == departures?.id {
            departures?.becameReadable()
        }
    }

    private func accept(from socket: ListenSocket) {
        let listener = socket.listener
        for _ in 0..<listener.configuration.limits.acceptsPerTurnMax {
            guard listener.admission.hasRoom(listener.configuration.limits) else { return makeRoom(for: socket) }
            var address = sockaddr_storage()
            let descriptor = Self.accept(from: socket.descriptor, &address)
            guard descriptor >= 0 else {
                switch errno {
                case EMFILE, ENFILE, ENOBUFS, ENOMEM:
                    EngineLog.write(level: 1, line: "out of file descriptors: accepting rests for a second")
                    return rest(socket, .seconds(1))
                case EINTR, ECONNABORTED: continue
                default: return
                }
            }
            let peer = Self.peer(of: descriptor, &address)
            if listener.configuration.expectsProxyHeader {
                guard let visitor = readProxyHeader(descriptor, from: peer, to: listener) else { continue }
                admit(descriptor, visitor, isNamedByProxy: true, to: socket)
            } else {
                admit(descriptor, peer, isNamedByProxy: false, to: socket)
            }
        }
    }

    private func admit(_ descriptor: Int32, _ peer: Peer, isNamedByProxy: Bool, to socket: ListenSocket) {
        let listener = socket.listener
        let limits = listener.configuration.limits
        let counted = listener.handler.countedPeer(for: peer)
        let accepted: AcceptedSocket
        switch listener.admission.admit(
            counted, limits, isTLS: listener.configuration.tls != nil, hasDescriptor: Int(descriptor) < usableDescriptors)
        {
        case .turnAway(let reason): return turnAway(descriptor, from: listener, reason)
        case .tell(let reason, let place):
            noteTurnedAway(from: listener, reason)
            accepted = AcceptedSocket(
                descriptor, peer, isNamedByProxy: isNamedByProxy, counted: nil, place: place, refusal: reason)
        case .serve(let place):
            accepted = AcceptedSocket(descriptor, peer, isNamedByProxy: isNamedByProxy, counted: counted, place: place)
        }
        if socket.branches.isEmpty { serve(accepted, for: listener) } else { socket.branches[accepted.place].serve(accepted) }
    }

    /// Serves a socket that this loop or the group's main loop has accepted.
    func serve(_ socket: AcceptedSocket, for listener: Listener) {
        let (descriptor, peer) = (socket.take(), socket.peer)
        if case .ip = peer {
            var on: Int32 = 1
            unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        let connection = connections.add(.server(listener), peer, .http, makeID: makeID)
        connection.refusal = socket.refusal
        if socket.refusal == nil {
            connection.isPending = true
            pending.insert(connection.id.rawValue)
        }
        connection.place = socket.place
        connection.isNamedByProxy = socket.isNamedByProxy
        connection.countedPeer = socket.counted
        connection.lastHeard = .now
        let limits = listener.configuration.limits
        setDeadline(of: connection, after: socket.refusal == nil ? limits.handshakeDeadline : limits.toldDeadline)
        let wsi = unsafe clws_adopt_socket(
            listener.vhost, descriptor, listener.configuration.tls == nil ? 0 : 1,
            UnsafeMutableRawPointer(bitPattern: UInt(connection.id.rawValue)))
        if let wsi = unsafe wsi {
            unsafe connection.socket = wsi
        } else {
            // libwebsockets has closed the descriptor, perhaps with a callback.
            finish(connection)
        }
    }

    /// Refuses as cheaply as possible: one response, whatever was requested, and none if it would take a TLS handshake beyond the limit.
    private func turnAway(_ descriptor: Int32, from listener: Listener, _ reason: TurnAwayReason) {
        if listener.configuration.tls == nil {
            let response = turnAwayResponse(reason, listener)
            let answer =
                "HTTP/1.1 \(reason.status) \(Self.phrase(reason.status))\r\n"
                + response.headers.map { "\($0): \($1)\r\n" }.joined()
                + "content-length: \(response.body.count)\r\nconnection: close\r\n\r\n\(Self.turnAwaySentence)"
            // Unread input would make the kernel reset the connection before the response arrives.
            unsafe withUnsafeTemporaryAllocation(byteCount: Int(configuration.headerBytesMax), alignment: 1) { buffer in
                _ = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            }
            let bytes = Array(answer.utf8)
            _ = unsafe Glibc.send(descriptor, bytes, bytes.count, 0)
            shutdown(descriptor, Int32(SHUT_WR))
        }
        Glibc.close(descriptor)
        noteTurnedAway(from: listener, reason)
    }

    private static let turnAwaySentence = "too many connections at once; come back later\n"

    func turnAwayResponse(_ reason: TurnAwayReason, _ listener: Listener) -> HTTPResponse {
        HTTPResponse(
            status: reason.status,
            headers: [
                ("content-type", "text/plain; charset=utf-8"),
                ("retry-after", "\(Int.random(in: 1...listener.configuration.limits.retryAfterSecondsMax))"),
            ], body: .bytes(Array(Self.turnAwaySentence.utf8)))
    }

    func noteTurnedAway(from listener: Listener, _ reason: TurnAwayReason) {
        EngineLog.write(level: 0, line: "a connection was turned away (\(reason.rawValue))")
        noteActivity()
        listener.handler.turnedAway(reason)
    }

    func stopCountingAsPending(_ connection: Connection) {
        guard let listener = connection.listener, connection.isPending else { return }
        connection.isPending = false
        pending.remove(connection.id.rawValue)
        stopCountingForwardedPeer(of: connection)
        listener.admission.isNoLongerPending(connection.countedPeer)
        connection.countedPeer = nil
    }

    /// To be called when the request that came through a proxy is answered, or has become a WebSocket.
    func stopCountingForwardedPeer(of connection: Connection) {
        guard let listener = connection.listener, let visitor = connection.forwardedPeer else { return }
        connection.forwardedPeer = nil
        listener.admission.wasAnswered(visitor)
    }

    /// Stops accepting for a while; new connections wait in the kernel. Otherwise the loop would spin.
    func rest(_ socket: ListenSocket, _ duration: Duration) {
        guard listening[socket.listener.id]?.isResting == false else { return }
        listening[socket.listener.id]?.isResting = true
        unsafe lws_rx_flow_control(socket.wsi, 0)
        armTimer(after: duration) { [weak self] in
            guard let self, let socket = listening[socket.listener.id] else { return }
            listening[socket.listener.id]?.isResting = false
            unsafe lws_rx_flow_control(socket.wsi, 1)
        }
    }

    private static func accept(from descriptor: Int32, _ address: inout sockaddr_storage) -> Int32 {
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe accept4(descriptor, $0, &size, Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
            }
        }
    }

    /// Number of descriptors for connections; the rest is reserved for other uses.
    private var usableDescriptors: Int {
        max(16, Int(min(DescriptorLimit.current, UInt64(configuration.descriptorsMax))) - configuration.fileDescriptorReserve)
    }

    private static func peer(of descriptor: Int32, _ address: inout sockaddr_storage) -> Peer {
        switch Int32(address.ss_family) {
        case AF_INET, AF_INET6:
            let text = unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
                        let size = socklen_t(MemoryLayout<sockaddr_storage>.size)
                        let result = unsafe getnameinfo(
                            pointer, size, buffer.baseAddress, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
                        return unsafe result == 0 ? String(cString: buffer.baseAddress!) : "unknown"
                    }
                }
            }
            return .ip(text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text)
        default:
            // A `ucred`, which glibc shows to _GNU_SOURCE only.
            var credentials = (process: Int32(0), user: UInt32.max, group: UInt32.max)
            var size = socklen_t(MemoryLayout.size(ofValue: credentials))
            unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
            return .unix(userID: credentials.user, processID: credentials.process)
        }
    }
}

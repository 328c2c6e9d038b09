internal import Glibc

/// Identifies a listener of one loop, with its port.
package struct HTTP2ListenerID: Hashable, Sendable {
    let rawValue: UInt64
    package let port: UInt16
}

/// A listening socket.
struct HTTP2Listener {
    let id: UInt64
    let socket: Int32
    let configuration: HTTP2ServerConfiguration
    let handler: any HTTP2ServerHandler
    var connectionCount = 0
    /// True while the listener is not polled.
    var isResting = false
}

/// The server's role.
extension HTTP2Loop {
    /// Accepts connections on an address from now on. `handler` is retained until the listener and its last connection are closed.
    /// Throws `cannotListen`.
    package func listen(
        _ configuration: HTTP2ServerConfiguration, handler: any HTTP2ServerHandler
    ) throws(HTTP2Error) -> HTTP2ListenerID {
        preconditionOnLoop()
        guard let address = SocketAddress(configuration.address, port: configuration.port) else {
            throw HTTP2Error(.cannotListen, "\(configuration.address) is not an address")
        }
        let socket = Glibc.socket(address.family, SocketAddress.stream, 0)
        guard socket >= 0 else { throw HTTP2Error(.cannotListen, "no socket: \(String(errno: errno))") }
        SocketAddress.set(socket, SOL_SOCKET, SO_REUSEADDR)
        let result = unsafe address.withPointer { unsafe Glibc.bind(socket, $0, $1) }
        guard result == 0, Glibc.listen(socket, 128) == 0, let port = SocketAddress.local(of: socket)?.port else {
            let reason = String(errno: errno)
            Glibc.close(socket)
            throw HTTP2Error(.cannotListen, "cannot listen on \(configuration.address) port \(configuration.port): \(reason)")
        }
        let id = makeID()
        listeners[id] = HTTP2Listener(id: id, socket: socket, configuration: configuration, handler: handler)
        poller.add(socket, id)
        return HTTP2ListenerID(rawValue: id, port: port)
    }

    /// Stops accepting; open connections stay.
    package func close(_ listener: HTTP2ListenerID) {
        preconditionOnLoop()
        if let listener = listeners[listener.rawValue] { close(listener) }
    }

    func close(_ listener: HTTP2Listener) {
        let isResting = listeners.removeValue(forKey: listener.id)?.isResting ?? false
        if !isResting { poller.remove(listener.socket) }
        Glibc.close(listener.socket)
    }

    /// Its connections that are not closed, in order of arrival.
    package func connections(of listener: HTTP2ListenerID) -> [HTTP2ConnectionID] {
        preconditionOnLoop()
        return connections.values.filter { connection in
            if case .server(_, _, let id) = connection.role { id == listener.rawValue } else { false }
        }.map(\.id).sorted { $0.rawValue < $1.rawValue }
    }

    func accept(_ listener: HTTP2Listener) {
        while let listener = listeners[listener.id] {
            let socket = Glibc.accept(listener.socket, nil, nil)
            guard socket >= 0 else {
                // The connection was aborted before we accepted it; others may follow.
                if errno == ECONNABORTED || errno == EINTR { continue }
                if errno != EAGAIN { rest(listener) }
                return
            }
            guard listener.connectionCount < listener.configuration.limits.connectionsMax else {
                Glibc.close(socket)
                continue
            }
            SocketAddress.setFlags(socket)
            let connection = HTTP2Connection(
                id: HTTP2ConnectionID(rawValue: makeID()),
                role: .server(listener.handler, listener.configuration, listener: listener.id), phase: .handshaking,
                deadline: now + listener.configuration.limits.openDeadline)
            connection.socket = socket
            connection.peer = SocketAddress.remote(of: socket)?.text ?? "an unknown address"
            SocketAddress.set(socket, Int32(IPPROTO_TCP), TCP_NODELAY)
            listeners[listener.id]?.connectionCount += 1
            connections[connection.id.rawValue] = connection
            connection.isStalled = listener.configuration.faults.isSilent
            if connection.isStalled {
                connection.deadline = nil
            } else {
                poller.add(socket, connection.id.rawValue)
                expect(by: connection.deadline!)
            }
        }
    }

    /// Pauses accepting: the process is out of descriptors or memory, and trying again at once would only use a processor.
    private func rest(_ listener: HTTP2Listener) {
        poller.remove(listener.socket)
        listeners[listener.id]?.isResting = true
        schedule(after: .milliseconds(100)) { loop in
            guard loop.listeners[listener.id] != nil else { return }
            loop.listeners[listener.id]?.isResting = false
            loop.poller.add(listener.socket, listener.id)
        }
    }

    // MARK: Answers

    /// Sends a whole response.
    package func respond(_ message: HTTP2Message, to stream: HTTP2StreamID) {
        order(stream.connection) { connection in
            connection.http2.sendHeaders(message.headers, on: stream.number, isWhole: message.body.isEmpty)
            if !message.body.isEmpty { connection.http2.sendBody(message.body, on: stream.number, isWhole: true) }
        }
    }

    /// Sends the head of a response, `:status` first. Its body is sent by `sendBody`, or never.
    package func sendHeaders(_ headers: [HTTP2Header], to stream: HTTP2StreamID) {
        order(stream.connection) { $0.http2.sendHeaders(headers, on: stream.number, isWhole: false) }
    }

    /// Sends a piece of a body, after `sendHeaders`.
    package func sendBody(_ bytes: [UInt8], to stream: HTTP2StreamID, isWhole: Bool) {
        order(stream.connection) { $0.http2.sendBody(bytes, on: stream.number, isWhole: isWhole) }
    }

    /// Sends a new SETTINGS_MAX_CONCURRENT_STREAMS, in force once `settingsAcknowledged` arrives; or the first SETTINGS, if they
    /// were held. Until then a stream above the limit is refused; after that it ends the connection.
    package func sendSettings(_ connection: HTTP2ConnectionID, streamsMax: Int) {
        order(connection) { connection in
            connection.http2.sendSettings(streamsMax: streamsMax)
            guard connection.isHoldingSettings, connection.phase != .handshaking else { return }
            connection.isHoldingSettings = false
            process(connection)
        }
    }

    /// Sends the WINDOW_UPDATEs that `Faults.holdsWindow` held back.
    package func releaseWindow(_ connection: HTTP2ConnectionID) {
        order(connection) { $0.http2.releaseWindow() }
    }
}

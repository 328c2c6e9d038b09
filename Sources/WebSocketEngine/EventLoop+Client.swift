internal import CHeliographLibwebsockets
internal import Glibc
internal import HeliographPlatform

/// Outbound WebSockets.
extension EventLoop {
    /// Connects. Names are resolved on a separate thread, because libwebsockets would block the loop; addresses are tried one after
    /// another.
    package func connect(
        _ configuration: ClientConfiguration, handler: any ClientHandler
    ) throws(WebSocketEngineError) -> ConnectionID {
        preconditionOnLoop()
        guard unsafe context != nil else { throw WebSocketEngineError(.stopped, "the event loop is stopping") }
        try validate(configuration)
        _ = unsafe try clientVhost(configuration)
        let connection = connections.add(
            .client(handler, configuration), .ip(configuration.host), .connecting, makeID: makeID)
        setDeadline(of: connection, after: configuration.connectTimeout)
        if let dial = configuration.dial {
            self.dial(dial, for: connection)
        } else if let path = configuration.unixPath {
            connection.clientAttempt.addresses = ["+" + path]
            runLater { [weak self] in self?.startNextAttempt(of: connection) }
        } else if Self.isAddress(configuration.host) {
            connection.clientAttempt.addresses = [configuration.host]
            runLater { [weak self] in self?.startNextAttempt(of: connection) }
        } else {
            resolve(configuration.host, for: connection)
        }
        return connection.id
    }

    private func validate(_ configuration: ClientConfiguration) throws(WebSocketEngineError) {
        var texts = [configuration.host, configuration.path, configuration.subprotocol ?? ""]
        for (name, value) in configuration.headers { texts += [name, value] }
        guard texts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }), configuration.path.hasPrefix("/"),
            !configuration.host.isEmpty
        else { throw WebSocketEngineError(.invalidConfiguration, "the host, path or a header cannot be sent") }
        if let path = configuration.unixPath { _ = try Binding.unixAddress(path) }
    }

    // MARK: Names

    private func resolve(_ host: String, for connection: Connection) {
        let id = connection.id.rawValue
        let loop = LoopBound(self, loop: self)
        let handle = handle
        Resolver.resolve(host) { addresses in
            handle.execute { loop.value.resolved(id, host, addresses) }
        }
    }

    private func resolved(_ id: UInt64, _ host: String, _ addresses: [String]) {
        guard let connection = connections[id], connection.phase == .connecting else { return }
        connection.clientAttempt.addresses = addresses
        if addresses.isEmpty { connection.clientAttempt.failure = .failed("no address is known for \(host)") }
        startNextAttempt(of: connection)
    }

    private static func isAddress(_ host: String) -> Bool {
        var four = in_addr()
        var six = in6_addr()
        return unsafe inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1
    }

    // MARK: Dialling

    private func dial(_ dial: @escaping @Sendable () -> Result<Int32, WebSocketEngineError>, for connection: Connection) {
        let id = connection.id.rawValue
        let loop = LoopBound(self, loop: self)
        let handle = handle
        let isStarted = BackgroundThread.start {
            let dialled = dial().flatMap { SocketBridge.open(to: $0) }
            handle.execute { loop.value.dialled(id, dialled) }
            if case .success(let bridge) = dialled { bridge.run() }
        }
        if !isStarted {
            runLater { [weak self] in
                self?.dialled(id, .failure(WebSocketEngineError(.cannotConnect, "no thread can be started")))
            }
        }
    }

    private func dialled(_ id: UInt64, _ dialled: Result<SocketBridge, WebSocketEngineError>) {
        guard let connection = connections[id], connection.phase == .connecting else { return }
        switch dialled {
        case .success(let bridge):
            connection.bridge = bridge
            connection.clientAttempt.addresses = ["+" + bridge.path]
        case .failure(let error): connection.clientAttempt.failure = .failed(error.message)
        }
        startNextAttempt(of: connection)
    }

    // MARK: Attempts

    /// Called at the end of a turn only: `lws_client_connect_via_info` may fail, and call back, before it returns.
    func startNextAttempt(of connection: Connection) {
        guard connection.phase == .connecting, unsafe context != nil, case .client(_, let configuration) = connection.role
        else {
            return finish(connection)
        }
        while !connection.clientAttempt.addresses.isEmpty {
            let address = connection.clientAttempt.addresses.removeFirst()
            if start(connection, address, configuration) { return }
            connection.clientAttempt.failure = connection.clientAttempt.failure ?? .failed("cannot connect to \(address)")
        }
        connection.closeReason = connection.closeReason ?? connection.clientAttempt.failure
        finish(connection)
    }

    private func start(_ connection: Connection, _ address: String, _ configuration: ClientConfiguration) -> Bool {
        guard let vhost = unsafe try? clientVhost(configuration) else { return false }
        connection.clientAttempt.isStarting = true
        connection.clientAttempt.diedWhileStarting = false
        let wsi = unsafe Self.withCStrings([
            address, configuration.path, Self.hostHeader(configuration), configuration.subprotocol ?? "", "http/1.1",
            "heliograph",
        ]) { texts in
            var info = unsafe lws_client_connect_info()
            unsafe info.context = context
            unsafe info.vhost = vhost
            unsafe info.address = texts[0]
            unsafe info.port = Int32(configuration.port)
            unsafe info.path = texts[1]
            unsafe info.host = texts[2]
            unsafe info.protocol = configuration.subprotocol == nil ? nil : texts[3]
            unsafe info.alpn = texts[4]
            unsafe info.local_protocol_name = texts[5]
            // A redirect could send the token to any server.
            unsafe info.ssl_connection = Int32(
                bitPattern: LCCSCF_HTTP_NO_FOLLOW_REDIRECT.rawValue | (configuration.tls ? LCCSCF_USE_SSL.rawValue : 0))
            unsafe info.ietf_version_or_minus_one = -1
            unsafe info.opaque_user_data = UnsafeMutableRawPointer(bitPattern: UInt(connection.id.rawValue))
            unsafe info.retry_and_idle_policy = UnsafePointer(storage.noKeepAlive)
            return unsafe lws_client_connect_via_info(&info)
        }
        connection.clientAttempt.isStarting = false
        guard let wsi = unsafe wsi, !connection.clientAttempt.diedWhileStarting else { return false }
        unsafe connection.socket = wsi
        return true
    }

    private static func hostHeader(_ configuration: ClientConfiguration) -> String {
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        let isDefault = configuration.unixPath != nil || configuration.port == (configuration.tls ? 443 : 80)
        return isDefault ? host : "\(host):\(configuration.port)"
    }

    /// The pointers are valid during the call, in which libwebsockets copies the texts.
    private static func withCStrings<Result>(
        _ texts: [String], _ body: ([UnsafePointer<CChar>]) -> Result
    ) -> Result {
        let copies = unsafe texts.map { unsafe strdup($0)! }
        defer { unsafe copies.forEach { unsafe free($0) } }
        return unsafe body(copies.map { unsafe UnsafePointer($0) })
    }

    // MARK: Callbacks

    /// LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER: `input` has a pointer to the write position and, as its count, the room there.
    func appendHandshakeHeaders(
        of connection: Connection, _ wsi: OpaquePointer, _ input: UnsafeMutableRawBufferPointer
    ) -> Int32 {
        guard case .client(_, let configuration) = connection.role, let base = input.baseAddress else { return -1 }
        let position = unsafe base.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self)
        guard let start = unsafe position.pointee else { return -1 }
        let end = unsafe start + input.count
        for (name, value) in configuration.headers {
            let bytes = Array(value.utf8)
            let result = unsafe lws_add_http_header_by_name(wsi, name + ":", bytes, Int32(bytes.count), position, end)
            guard result == 0 else {
                connection.clientAttempt.failure = .failed("the headers of the handshake are too long")
                return -1
            }
        }
        return 0
    }

    /// LWS_CALLBACK_CLIENT_CONNECTION_ERROR.
    func clientFailed(_ connection: Connection, _ wsi: OpaquePointer, _ input: UnsafeRawBufferPointer) {
        let status = unsafe lws_http_client_http_response(wsi)
        if status != 0, status != 101 {
            connection.clientAttempt.failure = unsafe .refused(
                status: UInt16(clamping: status), retryAfter: HeaderReader(wsi).retryAfter)
            // The server has answered; its other addresses would give the same response.
            connection.clientAttempt.addresses = []
        } else if connection.clientAttempt.failure == nil || !connection.clientAttempt.addresses.isEmpty {
            let sentence = unsafe String(decoding: input.prefix { $0 != 0 }, as: UTF8.self)
            connection.clientAttempt.failure = .failed(sentence.isEmpty ? "cannot connect" : sentence)
        }
    }
}

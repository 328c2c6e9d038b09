internal import CHeliographLibwebsockets
internal import Glibc
internal import Logging

/// The opening handshake of a WebSocket, server side. libwebsockets 4.1.6 is lax, so its form is checked here.
extension EventLoop {
    /// LWS_CALLBACK_HTTP_CONFIRM_UPGRADE. Its `in` may point to freed memory (CVE-2025-11677) and is never read.
    func upgradeRequested(on connection: Connection, _ wsi: OpaquePointer) -> Int32 {
        guard let listener = connection.listener, connection.phase == .http else { return -1 }
        let reader = unsafe HeaderReader(wsi)
        // Also refuses `h2c`, whose code in 4.1.6 has known holes; absent means that libwebsockets has already answered.
        guard let upgrade = reader.value(WSI_TOKEN_UPGRADE) else { return -1 }
        connection.hasAsked = true
        if let refusal = refusal(of: connection, reader, listener) { return unsafe refuse(wsi, with: refusal) }
        guard upgrade.lowercased() == "websocket" else { return unsafe refuse(wsi, status: 400, "unknown upgrade") }
        guard
            var request = reader.request(peer: connection.peer, extraHeaders: listener.configuration.extraHeaders),
            request.method == "GET", reader.value(WSI_TOKEN_HTTP) == "HTTP/1.1", reader.occurrences(WSI_TOKEN_HOST) == 1,
            (request.header("content-length") ?? "0") == "0",
            reader.occurrences(WSI_TOKEN_HTTP_TRANSFER_ENCODING) == 0,
            !reader.hasBlankBeforeColon(listener.blankFields),
            reader.occurrences(WSI_TOKEN_KEY) == 1, let key = reader.value(WSI_TOKEN_KEY), Self.isWebSocketKey(key)
        else { return unsafe refuse(wsi, status: 400, "not a WebSocket handshake") }
        guard reader.value(WSI_TOKEN_VERSION) == "13" else {
            return unsafe refuse(
                wsi, status: 426, headers: [("sec-websocket-version", "13")], "only version 13 of WebSocket is spoken here")
        }
        if let refusal = headReceived(&request, on: connection, listener) { return unsafe refuse(wsi, with: refusal) }
        noteActivity()
        switch listener.handler.upgradeRequested(request, on: connection.id) {
        case .refuse(let status, let headers, let body):
            return unsafe refuse(wsi, status: status, headers: headers, body)
        case .accept(let subprotocol, let limits):
            if let limits { connection.limits = limits }
            connection.phase = .upgrading
            connection.wasAccepted = true
            connection.subprotocol = subprotocol
            return unsafe select(subprotocol, for: request, on: connection, listener, wsi)
        }
    }

    /// libwebsockets insists on picking the subprotocol itself, from the names in its vhost, right after this returns. So the
    /// second name is made to be the one that the handler chose.
    private func select(
        _ subprotocol: String?, for request: HTTPRequest, on connection: Connection, _ listener: Listener,
        _ wsi: OpaquePointer
    ) -> Int32 {
        let offered = request.offeredSubprotocols
        guard let first = offered.first else { return 0 }
        let name = subprotocol ?? first
        guard subprotocol == nil || offered.contains(name) && listener.configuration.subprotocols.contains(name) else {
            logger.error("a handler accepted a subprotocol that was not offered or not configured")
            return unsafe refuse(wsi, status: 500, "no common subprotocol")
        }
        guard let slot = unsafe slot(of: wsi) else { return -1 }
        // A name that is not ours is kept only until `subprotocolSelected`, the next callback if any.
        unsafe clws_rename_protocol(slot, subprotocol == nil ? storage.borrowed(name) : storage.intern(name))
        return 0
    }

    /// LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: libwebsockets has picked the subprotocol, but not yet answered.
    func subprotocolSelected(on connection: Connection, _ wsi: OpaquePointer) -> Int32 {
        guard connection.phase == .upgrading else { return -1 }
        if connection.subprotocol == nil, let chosen = unsafe lws_get_protocol(wsi) {
            // An empty name gives a response without Sec-WebSocket-Protocol.
            if unsafe chosen == storage.slots[lws_get_vhost(wsi)!] { unsafe clws_rename_protocol(chosen, storage.empty) }
        }
        return 0
    }

    /// LWS_CALLBACK_ESTABLISHED and LWS_CALLBACK_CLIENT_ESTABLISHED.
    func opened(_ connection: Connection, _ wsi: OpaquePointer) -> Int32 {
        guard connection.phase == .upgrading || connection.phase == .connecting else { return -1 }
        connection.phase = .open
        if unsafe lws_is_ssl(wsi) == 0 { unsafe connection.plainDescriptor = lws_get_socket_fd(wsi) }
        connection.wasOpened = true
        connection.deadline = nil
        connection.lastHeard = .now
        watch(connection, at: connection.lastHeard + connection.liveness.pingAfter)
        stopCountingAsPending(connection)
        noteActivity()
        switch connection.role {
        case .server(let listener): listener.handler.opened(connection.id)
        case .client(let handler, _): handler.opened(connection.id, subprotocol: connection.clientAttempt.subprotocol)
        }
        return 0
    }

    private func slot(of wsi: OpaquePointer) -> UnsafePointer<lws_protocols>? {
        guard let vhost = unsafe lws_get_vhost(wsi) else { return nil }
        if let known = unsafe storage.slots[vhost] { return unsafe known }
        let slot = unsafe lws_vhost_name_to_protocol(vhost, ContextStorage.slotName)
        unsafe storage.slots[vhost] = slot
        return unsafe slot
    }

    /// True for 16 bytes in base64: 22 digits, of which the last carries two bits, and `==`.
    private static func isWebSocketKey(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 24, bytes[22] == UInt8(ascii: "="), bytes[23] == UInt8(ascii: "=") else { return false }
        let isBase64 = bytes[..<22].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        return isBase64 && "AQgw".utf8.contains(bytes[21])
    }
}

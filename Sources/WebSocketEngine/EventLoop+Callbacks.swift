internal import CHeliographLibwebsockets

/// The only callback given to libwebsockets. `user` and even `wsi` have other meanings for some reasons, so the reason is checked
/// first, and only sockets with an id of ours are touched.
func engineCallback(
    _ wsi: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ input: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
    switch reason {
    case LWS_CALLBACK_HTTP, LWS_CALLBACK_HTTP_BODY, LWS_CALLBACK_HTTP_BODY_COMPLETION, LWS_CALLBACK_HTTP_WRITEABLE,
        LWS_CALLBACK_HTTP_CONFIRM_UPGRADE, LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION, LWS_CALLBACK_ESTABLISHED,
        LWS_CALLBACK_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE, LWS_CALLBACK_RECEIVE_PONG, LWS_CALLBACK_CLIENT_RECEIVE_PONG,
        LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_CLIENT_WRITEABLE, LWS_CALLBACK_WS_PEER_INITIATED_CLOSE,
        LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER, LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH,
        LWS_CALLBACK_CLIENT_ESTABLISHED, LWS_CALLBACK_CLIENT_CONNECTION_ERROR, LWS_CALLBACK_WSI_DESTROY,
        LWS_CALLBACK_RAW_RX_FILE, LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        break
    case LWS_CALLBACK_RAW_ADOPT, LWS_CALLBACK_RAW_RX, LWS_CALLBACK_HTTP_PMO, LWS_CALLBACK_PROCESS_HTML:
        // CONNECT would turn the socket into a raw one; none of our code handles that.
        return -1
    default:
        return 0
    }
    guard let wsi = unsafe wsi, let context = unsafe lws_get_context(wsi), let owner = unsafe lws_context_user(context) else {
        return 0
    }
    // The loop outlives its context, see `EventLoop.run`.
    let loop = unsafe Unmanaged<EventLoop>.fromOpaque(owner).takeUnretainedValue()
    if reason == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS {
        // A vhost with its own TLS settings is being made; `wsi` is not a socket here.
        unsafe loop.storage.tlsContext = user
        return 0
    }
    let id = unsafe UInt64(UInt(bitPattern: lws_get_opaque_user_data(wsi)))
    if reason == LWS_CALLBACK_RAW_RX_FILE {
        loop.descriptorBecameReadable(id)
        return 0
    }
    guard let connection = loop.connections[id] else { return 0 }
    return unsafe loop.dispatch(reason, on: connection, wsi, UnsafeMutableRawBufferPointer(start: input, count: count))
}

extension EventLoop {
    /// Returns nonzero to make libwebsockets end the connection. `input` is borrowed.
    fileprivate func dispatch(
        _ reason: lws_callback_reasons, on connection: Connection, _ wsi: OpaquePointer,
        _ input: UnsafeMutableRawBufferPointer
    ) -> Int32 {
        switch reason {
        case LWS_CALLBACK_RECEIVE, LWS_CALLBACK_CLIENT_RECEIVE:
            unsafe receive(input, on: connection, wsi)
            return 0
        case LWS_CALLBACK_SERVER_WRITEABLE, LWS_CALLBACK_CLIENT_WRITEABLE:
            return unsafe flush(connection, wsi)
        case LWS_CALLBACK_RECEIVE_PONG, LWS_CALLBACK_CLIENT_RECEIVE_PONG:
            connection.lastHeard = .now
            return 0
        case LWS_CALLBACK_HTTP:
            return unsafe httpHeadReceived(on: connection, wsi)
        case LWS_CALLBACK_HTTP_BODY:
            return unsafe httpBodyReceived(input, on: connection)
        case LWS_CALLBACK_HTTP_BODY_COMPLETION:
            return unsafe httpBodyCompleted(on: connection, wsi)
        case LWS_CALLBACK_HTTP_WRITEABLE:
            return unsafe writeResponse(of: connection, wsi)
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
            return unsafe upgradeRequested(on: connection, wsi)
        case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
            return unsafe subprotocolSelected(on: connection, wsi)
        case LWS_CALLBACK_ESTABLISHED:
            return unsafe opened(connection, wsi)
        case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
            return unsafe peerCloses(connection, input)
        case LWS_CALLBACK_CLIENT_APPEND_HANDSHAKE_HEADER:
            return unsafe appendHandshakeHeaders(of: connection, wsi, input)
        case LWS_CALLBACK_CLIENT_FILTER_PRE_ESTABLISH:
            unsafe connection.clientAttempt.subprotocol = HeaderReader(wsi).value(WSI_TOKEN_PROTOCOL)
            return 0
        case LWS_CALLBACK_CLIENT_ESTABLISHED:
            return unsafe opened(connection, wsi)
        case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
            unsafe clientFailed(connection, wsi, UnsafeRawBufferPointer(input))
            return 0
        case LWS_CALLBACK_WSI_DESTROY:
            socketDestroyed(of: connection)
            return 0
        default:
            return 0
        }
    }
}

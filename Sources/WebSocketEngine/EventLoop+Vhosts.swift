internal import CHeliographLibwebsockets
internal import Glibc

extension EventLoop {
    /// Makes a vhost for its TLS settings; nothing else of it is used, and it does not listen: we accept ourselves.
    ///
    /// When a request names a host, libwebsockets moves the socket to the first vhost with the same `port`. Plain and client vhosts
    /// share one number and TLS vhosts another, and no decision of ours depends on the vhost of an accepted socket.
    func makeVhost(named name: String, _ role: VhostRole) throws(WebSocketEngineError) -> OpaquePointer {
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.vhost_name = UnsafePointer(storage.intern("heliograph.\(name).invalid"))
        unsafe info.protocols = UnsafePointer(storage.protocols)
        unsafe info.retry_and_idle_policy = UnsafePointer(storage.noKeepAlive)
        unsafe clws_log_use(&info, storage.log)
        unsafe info.keepalive_timeout = configuration.keepAliveSeconds
        // HTTP/2 in 4.1.6 has known holes.
        unsafe info.alpn = UnsafePointer(storage.intern("http/1.1"))
        // An empty proxy: otherwise the environment's `http_proxy` would apply, even to Unix sockets.
        unsafe info.http_proxy_address = UnsafePointer(storage.intern(":0"))
        switch role {
        case .plain:
            break
        case .server(let tls):
            unsafe info.port = CONTEXT_PORT_NO_LISTEN_SERVER
            unsafe info.options = clws_tls_server_options()
            unsafe info.ssl_cert_filepath = UnsafePointer(storage.intern(tls.certificateFile))
            unsafe info.ssl_private_key_filepath = UnsafePointer(storage.intern(tls.privateKeyFile))
            unsafe info.ssl_options_set = clws_tls_options_at_least_1_2()
        case .client(let authorityFile):
            unsafe info.options = clws_tls_client_options()
            unsafe info.ssl_client_options_set = clws_tls_options_at_least_1_2()
            if let authorityFile { unsafe info.client_ssl_ca_filepath = UnsafePointer(storage.intern(authorityFile)) }
        }
        guard let vhost = unsafe lws_create_vhost(context, &info) else {
            if case .server(let tls) = role {
                throw WebSocketEngineError(
                    .invalidCertificate, "cannot use the certificate \(tls.certificateFile) with the key \(tls.privateKeyFile)")
            }
            throw WebSocketEngineError(.initialisationFailed, "libwebsockets could not make a vhost")
        }
        return unsafe vhost
    }

    /// TLS settings of a vhost.
    enum VhostRole {
        case plain
        case server(ListenerConfiguration.TLS)
        case client(authorityFile: String?)
    }

    func vhost(for tls: ListenerConfiguration.TLS?) throws(WebSocketEngineError) -> OpaquePointer {
        guard let tls else { return unsafe storage.plainVhost! }
        if let known = unsafe storage.tlsVhost {
            // libwebsockets takes the certificate of the first TLS vhost, whichever socket was accepted.
            guard unsafe known.identity == tls else {
                throw WebSocketEngineError(.invalidConfiguration, "all TLS listeners of one event loop share one certificate")
            }
            return unsafe known.vhost
        }
        try checkReadable(tls.certificateFile)
        try checkReadable(tls.privateKeyFile)
        let vhost = unsafe try makeVhost(named: "tls", .server(tls))
        unsafe storage.tlsVhost = (vhost, tls)
        return unsafe vhost
    }

    func clientVhost(_ configuration: ClientConfiguration) throws(WebSocketEngineError) -> OpaquePointer {
        let authority = configuration.tls ? configuration.certificateAuthorityFile ?? "" : "none"
        if let known = unsafe storage.clientVhosts[authority] { return unsafe known }
        if configuration.tls, let file = configuration.certificateAuthorityFile { try checkReadable(file) }
        let vhost = unsafe try makeVhost(
            named: "client\(storage.clientVhosts.count)",
            configuration.tls ? .client(authorityFile: configuration.certificateAuthorityFile) : .plain)
        unsafe storage.clientVhosts[authority] = vhost
        return unsafe vhost
    }

    private func checkReadable(_ file: String) throws(WebSocketEngineError) {
        guard unsafe access(file, R_OK) == 0 else {
            throw WebSocketEngineError(.invalidCertificate, "cannot read \(file): \(String(errno: errno))")
        }
    }
}

extension String {
    /// The C library's text for an error number.
    init(errno number: Int32) {
        self = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
    }
}

internal import CHeliographOpenSSL

/// Settings shared by all TLS sessions of one kind: trusted or presented certificates, protocols, and TLS 1.2 as the minimum.
///
/// Immutable, so usable from any thread.
@safe package final class TLSContext: @unchecked Sendable {
    // Invariant of @unchecked: the SSL_CTX is never changed after `init`, and OpenSSL counts its references atomically.
    let context: OpaquePointer
    let isServer: Bool
    /// Protocol names in ALPN's form, each preceded by its length; the callback below points into it. Freed with this object, which
    /// every session retains.
    private let protocols: UnsafeMutableBufferPointer<UInt8>

    /// Settings of a client: accepts servers whose certificate the system, or `authorityFile` (PEM), trusts, and that support one
    /// of `protocols`. Throws `invalidCertificate`.
    package convenience init(clientProtocols protocols: [String], authorityFile: String? = nil) throws(CryptoError) {
        try self.init(isServer: false, protocols: protocols)
        guard unsafe SSL_CTX_set_default_verify_paths(context) == 1 else {
            throw CryptoError(.invalidCertificate, "the system's certificates cannot be read: \(CryptoError.takeReason())")
        }
        if let authorityFile {
            guard unsafe SSL_CTX_load_verify_locations(context, authorityFile, nil) == 1 else {
                throw CryptoError(
                    .invalidCertificate, "\(authorityFile) cannot be read as certificates: \(CryptoError.takeReason())")
            }
        }
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        var list = unsafe Array(self.protocols)
        // Unlike all others, this function returns 0 on success.
        guard unsafe SSL_CTX_set_alpn_protos(context, &list, UInt32(list.count)) == 0 else {
            fatalError("OpenSSL could not keep the names of the protocols")
        }
    }

    /// Settings of a server that presents the certificates in `certificateFile` (PEM, its own first) with their key. A client that
    /// supports none of `protocols` is refused. Throws `invalidCertificate`.
    package convenience init(
        serverProtocols protocols: [String], certificateFile: String, privateKeyFile: String
    ) throws(CryptoError) {
        try self.init(isServer: true, protocols: protocols)
        guard unsafe SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
            throw CryptoError(
                .invalidCertificate, "\(certificateFile) cannot be read as certificates: \(CryptoError.takeReason())")
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, privateKeyFile, SSL_FILETYPE_PEM) == 1,
            unsafe SSL_CTX_check_private_key(context) == 1
        else {
            throw CryptoError(
                .invalidCertificate, "\(privateKeyFile) is not the key of the certificate: \(CryptoError.takeReason())")
        }
        unsafe SSL_CTX_set_alpn_select_cb(
            context,
            { _, chosen, chosenCount, offered, offeredCount, list in
                // The session that calls back retains its context.
                let bytes = unsafe Unmanaged<TLSContext>.fromOpaque(list!).takeUnretainedValue().protocols
                var name: UnsafeMutablePointer<UInt8>?
                let result = unsafe SSL_select_next_proto(
                    &name, chosenCount, bytes.baseAddress, UInt32(bytes.count), offered, offeredCount)
                unsafe chosen!.pointee = UnsafePointer(name)
                return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private init(isServer: Bool, protocols: [String]) throws(CryptoError) {
        guard let context = unsafe SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            fatalError("OpenSSL could not allocate a TLS context: \(CryptoError.takeReason())")
        }
        unsafe self.context = unsafe context
        self.isServer = isServer
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        unsafe self.protocols = .allocate(capacity: list.count)
        _ = unsafe self.protocols.initialize(from: list)
        guard unsafe SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil) == 1 else {
            fatalError("OpenSSL has no TLS 1.2: its configuration must allow it")
        }
        // Disables renegotiation, with which a peer could cost us more than itself. (SSL_OP_NO_RENEGOTIATION is a macro.)
        _ = unsafe SSL_CTX_set_options(context, 1 << 30)
    }

    deinit {
        unsafe SSL_CTX_free(context)
        unsafe protocols.deallocate()
    }
}

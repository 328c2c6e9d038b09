internal import CHeliographOpenSSL

/// Certificate, chain and key for new TLS sessions of a server, in a separate SSL_CTX without sessions. Reading new files into the
/// one with sessions would keep a pair for each kind of key, and present the old one to most peers.
///
/// Confined to the thread of the sessions that present it.
@safe package final class ServerIdentity {
    /// Nil until a pair was read.
    private var holder: OpaquePointer?

    package init() {}

    deinit { unsafe SSL_CTX_free(holder) }

    /// Reads the two files (PEM, the server's own certificate first). If they are not a usable pair, it throws `invalidCertificate`
    /// and keeps the previous one.
    package func read(certificateFile: String, privateKeyFile: String) throws(CryptoError) {
        let holder = unsafe SSL_CTX_new(TLS_server_method())
        guard unsafe holder != nil, unsafe SSL_CTX_use_certificate_chain_file(holder, certificateFile) == 1,
            unsafe SSL_CTX_use_PrivateKey_file(holder, privateKeyFile, SSL_FILETYPE_PEM) == 1,
            unsafe SSL_CTX_check_private_key(holder) == 1
        else {
            unsafe SSL_CTX_free(holder)
            throw CryptoError(.invalidCertificate, "\(certificateFile) is of no use: \(CryptoError.takeReason())")
        }
        unsafe SSL_CTX_free(self.holder)
        unsafe self.holder = holder
    }

    /// Presents this identity in future sessions of this SSL_CTX. A pair must have been read, and this object must outlive the
    /// sessions.
    package func show(in context: UnsafeMutableRawPointer) {
        precondition(unsafe holder != nil, "an identity is read before it is shown")
        // OpenSSL calls this before it picks a certificate; the result 0 ends the handshake.
        unsafe SSL_CTX_set_cert_cb(
            OpaquePointer(context),
            { session, identity in
                let holder = unsafe Unmanaged<ServerIdentity>.fromOpaque(identity!).takeUnretainedValue().holder
                var chain: OpaquePointer?
                unsafe SSL_CTX_ctrl(holder, SSL_CTRL_GET_CHAIN_CERTS, 0, &chain)
                unsafe SSL_certs_clear(session)
                return unsafe SSL_use_cert_and_key(
                    session, SSL_CTX_get0_certificate(holder), SSL_CTX_get0_privatekey(holder), chain, 1)
            }, Unmanaged.passUnretained(self).toOpaque())
    }
}

internal import CHeliographOpenSSL

/// Certificate, chain and key for new TLS sessions of a server, in an SSL_CTX of their own that serves no session. Reading new files into
/// the one that serves would keep a pair of each kind of key, and show most peers the old one.
///
/// Confined to the thread of the sessions that present it.
@safe package final class ServerIdentity {
    /// Nil until a pair was read.
    private var holder: OpaquePointer?

    package init() {}

    deinit { unsafe SSL_CTX_free(holder) }

    /// Takes what the two files (PEM, the server's own certificate first) hold. Where they are no pair that can be used, it throws
    /// `invalidCertificate` and stays as it was.
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

    /// For sessions to come of this SSL_CTX. A pair has been read, and this object outlives them.
    package func show(in context: UnsafeMutableRawPointer) {
        precondition(unsafe holder != nil, "an identity is read before it is shown")
        // OpenSSL asks before it picks a certificate; 0 ends the handshake.
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

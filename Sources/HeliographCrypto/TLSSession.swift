internal import CHeliographOpenSSL

/// One TLS connection as a transformation of bytes: input from the network is passed to `receive(_:)`, output for it is taken by
/// `takeOutput(into:)`. It has no socket.
///
/// Confined to the thread that uses it, one at a time.
@safe package final class TLSSession {
    /// Owned; owns both BIOs.
    private let session: OpaquePointer
    /// Input and output buffers. Borrowed from `session`.
    private let input: OpaquePointer
    private let output: OpaquePointer
    /// Retained because its protocols are read during the handshake.
    private let context: TLSContext
    private let serverName: String?

    package private(set) var isEstablished = false
    /// True if the peer has announced that it sends nothing more.
    package private(set) var isClosedByPeer = false

    /// A client's session with `serverName`, a DNS name or an address, which the server's certificate must name.
    package convenience init(client context: TLSContext, serverName: String) {
        precondition(!context.isServer, "a client's session needs a client's context")
        self.init(context, serverName: serverName)
        unsafe SSL_set_connect_state(session)
        let parameters = unsafe SSL_get0_param(session)
        // Only a literal address is accepted by this call; addresses do not go into SNI.
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, serverName) == 1 { return }
        ERR_clear_error()
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        let isNamed = unsafe X509_VERIFY_PARAM_set1_host(parameters, serverName, serverName.utf8.count) == 1
        let isSent = unsafe serverName.withCString { name in
            unsafe SSL_ctrl(
                session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), UnsafeMutableRawPointer(mutating: name))
                == 1
        }
        precondition(isNamed && isSent, "a server's name has at most 255 bytes")
    }

    /// A server's session.
    package convenience init(server context: TLSContext) {
        precondition(context.isServer, "a server's session needs a server's context")
        self.init(context, serverName: nil)
        unsafe SSL_set_accept_state(session)
    }

    private init(_ context: TLSContext, serverName: String?) {
        guard let session = unsafe SSL_new(context.context), let input = unsafe BIO_new(BIO_s_mem()),
            let output = unsafe BIO_new(BIO_s_mem())
        else { fatalError("OpenSSL could not allocate a TLS session: out of memory") }
        unsafe SSL_set_bio(session, input, output)
        unsafe (self.session, self.input, self.output) = unsafe (session, input, output)
        self.context = context
        self.serverName = serverName
    }

    deinit { unsafe SSL_free(session) }

    /// The protocol that ALPN selected; nil before that, and if the peer does not support ALPN.
    package var negotiatedProtocol: String? {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        unsafe SSL_get0_alpn_selected(session, &name, &count)
        return unsafe name.map { unsafe String(decoding: UnsafeBufferPointer(start: $0, count: Int(count)), as: UTF8.self) }
    }

    /// The version's name, such as `TLSv1.3`.
    package var version: String { unsafe String(cString: SSL_get_version(session)) }

    /// Takes bytes from the network. They are processed by the next `advanceHandshake()` or `read(into:)`.
    package func receive(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count > 0 else { return }
        guard unsafe BIO_write(input, bytes.baseAddress, Int32(bytes.count)) == bytes.count else {
            fatalError("OpenSSL could not keep received bytes: out of memory")
        }
    }

    /// Continues the handshake as far as the received bytes allow. Throws `notTrusted` or `tlsFailed`; the alert for the peer is
    /// then in the output.
    package func advanceHandshake() throws(CryptoError) {
        guard !isEstablished else { return }
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(session)
        if result == 1 {
            isEstablished = true
        } else if unsafe SSL_get_error(session, result) != SSL_ERROR_WANT_READ {
            throw handshakeFailure()
        }
    }

    /// Appends decrypted bytes to `bytes`, at most `countMax`; returns true if there may be more. Throws `tlsFailed`.
    package func read(into bytes: inout [UInt8], countMax: Int) throws(CryptoError) -> Bool {
        ERR_clear_error()
        let result = unsafe withUnsafeTemporaryAllocation(byteCount: countMax, alignment: 16) { buffer in
            var count = 0
            let result = unsafe SSL_read_ex(session, buffer.baseAddress, countMax, &count)
            if result == 1 { unsafe bytes.append(contentsOf: buffer.prefix(count)) }
            return result
        }
        if result == 1 { return true }
        switch unsafe SSL_get_error(session, result) {
        case SSL_ERROR_WANT_READ:
            return false
        case SSL_ERROR_ZERO_RETURN:
            isClosedByPeer = true
            return false
        default:
            throw CryptoError(.tlsFailed, "TLS is broken: \(CryptoError.takeReason())")
        }
    }

    /// Encrypts `bytes` into records in the output, however many there are. After the handshake only. Throws `tlsFailed`.
    package func write(_ bytes: [UInt8]) throws(CryptoError) {
        precondition(isEstablished, "text before the end of a handshake")
        guard !bytes.isEmpty else { return }
        ERR_clear_error()
        var count = 0
        guard unsafe SSL_write_ex(session, bytes, bytes.count, &count) == 1, count == bytes.count else {
            throw CryptoError(.tlsFailed, "TLS takes no more text: \(CryptoError.takeReason())")
        }
    }

    /// Adds the announcement to the output that nothing more is sent.
    package func close() {
        guard isEstablished else { return }
        unsafe SSL_shutdown(session)
        ERR_clear_error()
    }

    /// Appends all output for the network to `bytes`.
    package func takeOutput(into bytes: inout [UInt8]) {
        // The bytes are contiguous in OpenSSL's memory, so they are copied only once.
        var start: UnsafeMutableRawPointer?
        let count = unsafe BIO_ctrl(output, BIO_CTRL_INFO, 0, &start)
        guard count > 0 else { return }
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
        guard unsafe BIO_ctrl(output, BIO_CTRL_RESET, 0, nil) == 1 else { fatalError("OpenSSL could not empty a buffer") }
    }

    private func handshakeFailure() -> CryptoError {
        let reason = CryptoError.takeReason()
        let verdict = unsafe SSL_get_verify_result(session)
        guard !context.isServer, verdict != X509_V_OK else {
            return CryptoError(.tlsFailed, "the TLS handshake failed: \(reason)")
        }
        let sentence = unsafe String(cString: X509_verify_cert_error_string(Int(verdict)))
        return CryptoError(.notTrusted, "the certificate of \(serverName ?? "the peer") is not trusted: \(sentence)")
    }
}

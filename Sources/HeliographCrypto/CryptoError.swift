internal import CHeliographOpenSSL

/// Why something given to OpenSSL could not be used.
package struct CryptoError: Error, Equatable, CustomStringConvertible {
    package enum Code: Sendable {
        /// Not a key in PEM, or not one of the curve P-256, or locked by a password.
        case invalidKey
        /// A certificate, key or authority file cannot be read, or the two do not belong together.
        case invalidCertificate
        /// The sealed bytes were changed, or the key or nonce is another one.
        case notAuthentic
        /// The peer's certificate does not prove that it is the intended server.
        case notTrusted
        /// The peer violated TLS, or disconnected before its end.
        case tlsFailed
    }

    package let code: Code

    /// A sentence for the operator; never a secret.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package var description: String { message }

    /// OpenSSL's error of the last call on this thread. Clears it.
    static func takeReason() -> String {
        let number = ERR_get_error()
        ERR_clear_error()
        guard number != 0, let reason = unsafe ERR_reason_error_string(number) else { return "no reason given" }
        return unsafe String(cString: reason)
    }
}

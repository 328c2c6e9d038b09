/// The port to the elliptic curve: this module has no cryptography of its own.
package protocol TokenVerifier: Sendable {
    /// True if `signature` over `message` (ES256: P-256, SHA-256) is by the private half of `publicKey` (PEM). Accepts both forms
    /// that real senders use: 64 bytes R‖S, and DER.
    func isValid(_ signature: [UInt8], of message: [UInt8], publicKey: String) -> Bool
}

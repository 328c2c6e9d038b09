internal import APNsSimulator
internal import HeliographCrypto

/// Verifies signatures by OpenSSL.
struct ES256Verifier: TokenVerifier {
    func isValid(_ signature: [UInt8], of message: [UInt8], publicKey: String) -> Bool {
        guard let key = try? ES256PublicKey(pem: publicKey) else { return false }
        return key.isSignature(signature, of: message)
    }
}

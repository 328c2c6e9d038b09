package import Consent
internal import HeliographCrypto

extension ConsentCrypto {
    package static let openSSL = ConsentCrypto(
        sha256: { Crypto.sha256($0) },
        hmacSHA256: { Crypto.authenticationCode(of: $0, with: $1) },
        verify: { signature, bytes, point in
            // The key also verifies DER signatures; consent has one form only.
            guard signature.count == SignatureText.signatureBytes, let key = PublicKeys.known.key(point) else { return false }
            return key.isSignature(signature, of: bytes)
        },
        isOnCurve: { P256.isPoint($0) },
        seal: { AESGCM.seal($0, with: $1, nonce: $2, authenticating: $3) },
        open: { try? AESGCM.open($0, with: $1, nonce: $2, authenticating: $3) })
}

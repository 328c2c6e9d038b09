#if canImport(CryptoKit)
internal import Consent
internal import CryptoKit
internal import Foundation

extension ConsentCrypto {
    static let cryptoKit = ConsentCrypto(
        sha256: { Array(SHA256.hash(data: $0)) },
        hmacSHA256: { Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: $1))) },
        verify: { signature, bytes, point in
            guard let key = try? P256.Signing.PublicKey(x963Representation: point),
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: bytes)
        },
        isOnCurve: { (try? P256.KeyAgreement.PublicKey(x963Representation: $0)) != nil },
        seal: { text, key, nonce, bound in
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.seal(text, using: SymmetricKey(data: key), nonce: nonce, authenticating: bound)
            else { preconditionFailure("a key of 32 bytes and a nonce of 12 seal anything") }
            return Array(box.ciphertext) + Array(box.tag)
        },
        open: { sealed, key, nonce, bound in
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(
                    nonce: nonce, ciphertext: sealed.dropLast(tagBytes), tag: sealed.suffix(tagBytes)),
                let text = try? AES.GCM.open(box, using: SymmetricKey(data: key), authenticating: bound)
            else { return nil }
            return Array(text)
        })
}
#endif

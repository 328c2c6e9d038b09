/// The cryptography that consent needs. The process supplies it, because pure modules link no library.
package struct ConsentCrypto: Sendable {
    /// 32 bytes.
    package let sha256: @Sendable (_ bytes: [UInt8]) -> [UInt8]
    /// HMAC-SHA-256, 32 bytes.
    package let hmacSHA256: @Sendable (_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8]
    /// True if `signature`, exactly 64 bytes R‖S, is one by ECDSA over SHA-256 of `bytes`. False also for a point that is not on the curve.
    package let verify: @Sendable (_ signature: [UInt8], _ bytes: [UInt8], _ point: [UInt8]) -> Bool
    /// True if the 65 bytes are a point of P-256. Agreeing on a secret with any other point would reveal the private key.
    package let isOnCurve: @Sendable (_ point: [UInt8]) -> Bool
    /// AES-256-GCM: ciphertext and a tag of `tagBytes`. A key is never used twice with the same nonce.
    package let seal: @Sendable (_ text: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ bound: [UInt8]) -> [UInt8]
    /// Nil if the text, or what it is bound to, was changed, or was sealed with another key. `sealed` has a tag at least.
    package let open: @Sendable (_ sealed: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ bound: [UInt8]) -> [UInt8]?

    package static let tagBytes = 16

    package init(
        sha256: @escaping @Sendable ([UInt8]) -> [UInt8],
        hmacSHA256: @escaping @Sendable (_ bytes: [UInt8], _ key: [UInt8]) -> [UInt8],
        verify: @escaping @Sendable (_ signature: [UInt8], _ bytes: [UInt8], _ point: [UInt8]) -> Bool,
        isOnCurve: @escaping @Sendable ([UInt8]) -> Bool,
        seal: @escaping @Sendable (_ text: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ bound: [UInt8]) -> [UInt8],
        open: @escaping @Sendable (_ sealed: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ bound: [UInt8]) -> [UInt8]?
    ) {
        self.sha256 = sha256
        self.hmacSHA256 = hmacSHA256
        self.verify = verify
        self.isOnCurve = isOnCurve
        self.seal = seal
        self.open = open
    }

    /// HKDF-SHA-256 (RFC 5869) with an empty salt; 32 bytes, used only for the purpose that `info` names.
    package func hkdf(_ secret: [UInt8], info: [UInt8]) -> [UInt8] { hmacSHA256(info + [1], hmacSHA256(secret, [])) }

    package func hash(_ bytes: [UInt8]) -> ConsentHash {
        guard let hash = ConsentHash(sha256(bytes)) else { preconditionFailure("a SHA-256 has 32 bytes") }
        return hash
    }

    /// Compares in constant time, which depends on the lengths only, so that timing reveals nothing about a guess.
    func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

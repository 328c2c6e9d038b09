/// Derives keys from a secret that is not a uniform key itself, by HMAC-SHA-256: RFC 5869.
package enum HKDF {
    /// Extracts the entropy of `secret` into a key of `Crypto.digestBytes`.
    package static func extract(_ secret: [UInt8], salt: [UInt8]) -> [UInt8] {
        Crypto.authenticationCode(of: secret, with: salt)
    }

    /// `count` bytes, at most 255 digests, used only for the purpose that `info` names.
    package static func expand(_ key: [UInt8], info: [UInt8], count: Int) -> [UInt8] {
        precondition((0...255 * Crypto.digestBytes).contains(count), "HKDF gives at most 255 digests")
        var bytes: [UInt8] = []
        var block: [UInt8] = []
        while bytes.count < count {
            block = Crypto.authenticationCode(of: block + info + [UInt8(bytes.count / Crypto.digestBytes + 1)], with: key)
            bytes += block
        }
        return Array(bytes.prefix(count))
    }
}

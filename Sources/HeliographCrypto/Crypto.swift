internal import CHeliographOpenSSL

/// Digests, comparison, randomness and their spellings, by OpenSSL. No other module imports OpenSSL.
///
/// Everything here is synchronous, keeps no state between calls and may be called from any thread.
package enum Crypto {
    package static let digestBytes = SHA256.digestBytes

    /// SHA-256 of `bytes`, `digestBytes` long.
    package static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finish()
    }

    /// SHA-256 of a text's UTF-8.
    package static func sha256(_ text: String) -> [UInt8] { sha256(text.utf8) }

    /// HMAC-SHA-256, `digestBytes` long: without `key` it can be neither made nor checked.
    package static func authenticationCode(of bytes: [UInt8], with key: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: digestBytes) { buffer, initialized in
            guard unsafe HMAC(EVP_sha256(), key, Int32(key.count), bytes, bytes.count, buffer.baseAddress, nil) != nil else {
                fatalError("OpenSSL has no HMAC: its configuration must allow it")
            }
            initialized = digestBytes
        }
    }

    /// Compares in constant time, which depends on the lengths only, so that timing reveals nothing about a guess. The lengths are
    /// not secret.
    package static func equal(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard one.count == other.count else { return false }
        return unsafe one.withUnsafeBytes { one in
            unsafe other.withUnsafeBytes { other in
                // An empty array may have no address, which C forbids even for a length of 0.
                guard let first = one.baseAddress, let second = other.baseAddress else { return true }
                return unsafe CRYPTO_memcmp(first, second, one.count) == 0
            }
        }
    }

    /// Unpredictable bytes. Traps if the system has no randomness, because secrets made without it could be guessed.
    package static func random(count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard count > 0 else { return }
            guard unsafe RAND_bytes(buffer.baseAddress, Int32(count)) == 1 else {
                fatalError("OpenSSL could not produce random bytes, so no secret can be made")
            }
            initialized = count
        }
    }
}

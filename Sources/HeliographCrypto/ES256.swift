internal import CHeliographOpenSSL

/// ECDSA on the curve P-256 over SHA-256, with signatures in the form of JSON Web Tokens: R then S, 32 bytes each.
///
/// Keys are immutable, and may be used from any thread.
@safe package final class ES256PrivateKey: @unchecked Sendable {
    // Invariant of @unchecked: neither is changed after `init`, and OpenSSL counts references atomically.
    private let key: OpaquePointer
    /// See `ES256.context`.
    private let ready: OpaquePointer

    /// `pem` is what Apple's `.p8` files hold (PKCS #8), or the older `EC PRIVATE KEY`. Throws `invalidKey`.
    package convenience init(pem: String) throws(CryptoError) {
        unsafe self.init(
            adopting: try ES256.key(pem: pem) { unsafe PEM_read_bio_PrivateKey($0, nil, { _, _, _, _ in -1 }, nil) })
    }

    /// Generates a key. Traps if the system has no randomness.
    package convenience init() {
        let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var made: OpaquePointer?
        guard unsafe EVP_PKEY_keygen_init(context) == 1, unsafe EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            unsafe EVP_PKEY_generate(context, &made) == 1, let made = unsafe made
        else { fatalError("OpenSSL could not make a key on P-256: \(CryptoError.takeReason())") }
        unsafe self.init(adopting: made)
    }

    /// `scalar` is the private number, 32 bytes big-endian. Throws `invalidKey` unless it is between 0 and the order of the curve.
    package convenience init(scalar: [UInt8]) throws(CryptoError) { unsafe self.init(adopting: try P256.key(scalar: scalar)) }

    /// Takes over the caller's reference.
    private init(adopting key: OpaquePointer) {
        unsafe self.key = unsafe key
        unsafe ready = unsafe ES256.context { unsafe EVP_DigestSignInit($0, nil, EVP_sha256(), nil, key) }
    }

    deinit {
        unsafe EVP_MD_CTX_free(ready)
        unsafe EVP_PKEY_free(key)
    }

    /// The number for `init(scalar:)`. Secret.
    package var scalar: [UInt8] { unsafe P256.scalar(of: key) }

    /// Verifies the signatures of this key.
    package var publicKey: ES256PublicKey { unsafe ES256PublicKey(adopting: shared) }

    /// The key with one more reference, which the caller owns.
    var shared: OpaquePointer {
        guard unsafe EVP_PKEY_up_ref(key) == 1 else { fatalError("OpenSSL could not share a key") }
        return unsafe key
    }

    /// PKCS #8, as in a `.p8` file. Secret.
    package var pem: String { unsafe ES256.pem { unsafe PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) } }

    /// A signature of 64 bytes, different each time.
    package func signature(of bytes: [UInt8]) -> [UInt8] {
        let context = unsafe ES256.context { unsafe EVP_MD_CTX_copy_ex($0, ready) }
        defer { unsafe EVP_MD_CTX_free(context) }
        var encoded = [UInt8](repeating: 0, count: ES256.encodedBytesMax)
        var count = encoded.count
        guard unsafe EVP_DigestSign(context, &encoded, &count, bytes, bytes.count) == 1 else {
            fatalError("OpenSSL could not sign: \(CryptoError.takeReason())")
        }
        return ES256.raw(Array(encoded.prefix(count)))
    }
}

/// The public half of an ES256 key.
@safe package final class ES256PublicKey: @unchecked Sendable {
    // Invariant of @unchecked: as in `ES256PrivateKey`.
    private let key: OpaquePointer
    /// See `ES256.context`.
    private let ready: OpaquePointer

    /// `pem` is a `PUBLIC KEY`. Throws `invalidKey`.
    package convenience init(pem: String) throws(CryptoError) {
        unsafe self.init(adopting: try ES256.key(pem: pem) { unsafe PEM_read_bio_PUBKEY($0, nil, { _, _, _, _ in -1 }, nil) })
    }

    /// `point` is the uncompressed form, `P256.pointBytes` long. Throws `invalidKey`, also if it is not on the curve.
    package convenience init(point: [UInt8]) throws(CryptoError) { unsafe self.init(adopting: try P256.key(point: point)) }

    /// Takes over the caller's reference.
    fileprivate init(adopting key: OpaquePointer) {
        unsafe self.key = unsafe key
        unsafe ready = unsafe ES256.context { unsafe EVP_DigestVerifyInit($0, nil, EVP_sha256(), nil, key) }
    }

    deinit {
        unsafe EVP_MD_CTX_free(ready)
        unsafe EVP_PKEY_free(key)
    }

    package var pem: String { unsafe ES256.pem { unsafe PEM_write_bio_PUBKEY($0, key) } }

    /// The uncompressed point, `P256.pointBytes` long.
    package var point: [UInt8] { unsafe P256.point(of: key) }

    /// True if the private key signed `bytes`. `signature` is R then S, 64 bytes, or the DER form that some libraries send.
    package func isSignature(_ signature: [UInt8], of bytes: [UInt8]) -> Bool {
        guard let encoded = signature.count == ES256.signatureBytes ? ES256.encoded(signature) : signature else { return false }
        let context = unsafe ES256.context { unsafe EVP_MD_CTX_copy_ex($0, ready) }
        defer { unsafe EVP_MD_CTX_free(context) }
        defer { ERR_clear_error() }
        return unsafe EVP_DigestVerify(context, encoded, encoded.count, bytes, bytes.count) == 1
    }
}

/// Shared by both halves of a key.
private enum ES256 {
    static let signatureBytes = 64
    /// Largest DER signature: two integers of 33 bytes with a head of 2 each, in a sequence with a head of 2.
    static let encodedBytesMax = 72
    /// Largest PEM text. A key on P-256 has about 240 bytes; if a person configures a huge file, they get an error instead of a
    /// full memory.
    static let pemBytesMax = 16_384

    /// A context that `begin` has made ready; the caller owns it. Each key has one, which is copied for each use: to look the algorithms up
    /// again takes 4 µs, and 20 to 40 where the processor's caches are cold.
    static func context(_ begin: (OpaquePointer) -> Int32) -> OpaquePointer {
        guard let context = unsafe EVP_MD_CTX_new(), unsafe begin(context) == 1 else {
            fatalError("OpenSSL could not begin with a key: \(CryptoError.takeReason())")
        }
        return unsafe context
    }

    /// The caller owns the result.
    static func key(pem: String, _ read: (OpaquePointer?) -> OpaquePointer?) throws(CryptoError) -> OpaquePointer {
        let bytes = Array(pem.utf8)
        guard bytes.count <= pemBytesMax else { throw CryptoError(.invalidKey, "this is too long for a key in PEM") }
        // The BIO reads the bytes in place, so they must not move until it is done.
        let found = unsafe bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            let input = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count))
            defer { unsafe BIO_free(input) }
            return unsafe read(input)
        }
        guard let key = unsafe found else {
            throw CryptoError(.invalidKey, "this is not a key in PEM without a password: \(CryptoError.takeReason())")
        }
        guard unsafe isOnP256(key) else {
            unsafe EVP_PKEY_free(key)
            throw CryptoError(.invalidKey, "the key is not one on the curve P-256")
        }
        return unsafe key
    }

    private static func isOnP256(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 32)
        var count = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else {
            ERR_clear_error()
            return false
        }
        return name.prefix(count).map(UInt8.init(bitPattern:)) == Array("prime256v1".utf8)
    }

    static func pem(_ write: (OpaquePointer?) -> Int32) -> String {
        let output = unsafe BIO_new(BIO_s_mem())
        defer { unsafe BIO_free(output) }
        guard unsafe write(output) == 1 else { fatalError("OpenSSL could not write a key: \(CryptoError.takeReason())") }
        var bytes = [UInt8](repeating: 0, count: unsafe BIO_ctrl_pending(output))
        _ = unsafe BIO_read(output, &bytes, Int32(bytes.count))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// R and S padded to their full width. Unpadded, one signature in 256 would be too short.
    static func raw(_ encoded: [UInt8]) -> [UInt8] {
        let signature = unsafe encoded.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &position, buffer.count)
        }
        defer { unsafe ECDSA_SIG_free(signature) }
        var bytes = [UInt8](repeating: 0, count: signatureBytes)
        let isWhole = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), buffer.baseAddress, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), buffer.baseAddress! + 32, 32) == 32
        }
        guard isWhole else { fatalError("OpenSSL made a signature that is not one of P-256") }
        return bytes
    }

    /// DER of `raw`, which is `signatureBytes` long; nil if OpenSSL cannot encode it.
    static func encoded(_ raw: [UInt8]) -> [UInt8]? {
        let signature = unsafe ECDSA_SIG_new()
        defer { unsafe ECDSA_SIG_free(signature) }
        let set = unsafe raw.withUnsafeBufferPointer { buffer in
            // The signature owns both numbers from here on.
            unsafe ECDSA_SIG_set0(
                signature, BN_bin2bn(buffer.baseAddress, 32, nil), BN_bin2bn(buffer.baseAddress! + 32, 32, nil))
        }
        guard set == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: encodedBytesMax)
        let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var position = buffer.baseAddress
            return unsafe i2d_ECDSA_SIG(signature, &position)
        }
        return count > 0 ? Array(bytes.prefix(Int(count))) : nil
    }
}

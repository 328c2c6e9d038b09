internal import CHeliographOpenSSL

/// Points of the curve P-256 as bytes: 0x04, x and y, as browsers and RFC 8291 write them.
package enum P256 {
    package static let pointBytes = 65
    /// The x coordinate that two keys agree on.
    package static let secretBytes = 32
    /// First byte of an uncompressed point. Every other form is refused, so that a key has one spelling.
    private static let uncompressed: UInt8 = 4

    /// EVP_PKEY_PUBLIC_KEY, a macro that Swift does not see.
    private static let publicKeySelection =
        OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

    /// The caller owns the result. Throws `invalidKey`; with a point off the curve each agreement would reveal a part of our key.
    static func key(point: [UInt8]) throws(CryptoError) -> OpaquePointer {
        guard point.count == pointBytes, point[0] == uncompressed else {
            throw CryptoError(.invalidKey, "this is not an uncompressed point of P-256: 65 bytes, the first of them 4")
        }
        let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var point = point
        var key: OpaquePointer?
        // OpenSSL keeps pointers to all of it until the key is made.
        let isMade = unsafe withCStrings(OSSL_PKEY_PARAM_GROUP_NAME, "P-256", OSSL_PKEY_PARAM_PUB_KEY) { group, name, pub in
            unsafe point.withUnsafeMutableBytes { point in
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(group, UnsafeMutablePointer(mutating: name), 0),
                    OSSL_PARAM_construct_octet_string(pub, point.baseAddress, point.count), OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_PKEY_fromdata_init(context) == 1
                    && EVP_PKEY_fromdata(context, &key, publicKeySelection, &parameters) == 1
            }
        }
        guard isMade, let key = unsafe key else {
            throw CryptoError(.invalidKey, "this is not a point of the curve P-256: \(CryptoError.takeReason())")
        }
        return unsafe key
    }

    private static func withCStrings<Result>(
        _ one: String, _ two: String, _ three: String,
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result
    ) -> Result {
        unsafe one.withCString { one in
            unsafe two.withCString { two in unsafe three.withCString { three in unsafe body(one, two, three) } }
        }
    }

    package static let scalarBytes = 32

    /// True if `key(point:)` accepts it.
    package static func isPoint(_ point: [UInt8]) -> Bool {
        guard let key = unsafe try? key(point: point) else { return false }
        unsafe EVP_PKEY_free(key)
        return true
    }

    /// RFC 5915 around the private number: a sequence of version 1, the number, and the curve's name. OpenSSL computes the point.
    private static let keyHead: [UInt8] = [0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20]
    private static let keyTail: [UInt8] = [0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    /// The caller owns the result. Throws `invalidKey`.
    static func key(scalar: [UInt8]) throws(CryptoError) -> OpaquePointer {
        guard scalar.count == scalarBytes else {
            throw CryptoError(.invalidKey, "a private key of P-256 has 32 bytes")
        }
        let encoded = keyHead + scalar + keyTail
        let found = unsafe encoded.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &position, buffer.count)
        }
        guard let key = unsafe found else {
            throw CryptoError(.invalidKey, "this is not a private key of P-256: \(CryptoError.takeReason())")
        }
        let context = unsafe EVP_PKEY_CTX_new(key, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_pairwise_check(context) == 1, unsafe EVP_PKEY_private_check(context) == 1 else {
            unsafe EVP_PKEY_free(key)
            throw CryptoError(.invalidKey, "this is not a private key of P-256: \(CryptoError.takeReason())")
        }
        return unsafe key
    }

    static func scalar(of key: OpaquePointer) -> [UInt8] {
        var number: OpaquePointer?
        defer { unsafe BN_clear_free(number) }
        var scalar = [UInt8](repeating: 0, count: scalarBytes)
        guard unsafe EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &number) == 1,
            unsafe BN_bn2binpad(number, &scalar, Int32(scalarBytes)) == Int32(scalarBytes)
        else { fatalError("OpenSSL could not spell a private key of P-256: \(CryptoError.takeReason())") }
        return scalar
    }

    static func point(of key: OpaquePointer) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: pointBytes)
        var count = 0
        guard unsafe EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, &point, point.count, &count) == 1,
            count == pointBytes, point[0] == uncompressed
        else { fatalError("OpenSSL could not spell a point of P-256: \(CryptoError.takeReason())") }
        return point
    }
}

/// A key for agreeing on a secret with another one, by Diffie and Hellman. It is not used to sign: RFC 8292 forbids one key for
/// both.
package struct P256AgreementKey: Sendable {
    private let key: ES256PrivateKey
    /// The public key, for the other side.
    package let point: [UInt8]

    /// Generates a key. Traps if the system has no randomness.
    package init() { self.init(ES256PrivateKey()) }

    /// Reads a key as `ES256PrivateKey(pem:)` does. Throws `invalidKey`.
    package init(pem: String) throws(CryptoError) { self.init(try ES256PrivateKey(pem: pem)) }

    /// See `ES256PrivateKey(scalar:)`.
    package init(scalar: [UInt8]) throws(CryptoError) { self.init(try ES256PrivateKey(scalar: scalar)) }

    /// The number for `init(scalar:)`. Secret.
    package var scalar: [UInt8] { key.scalar }

    private init(_ key: ES256PrivateKey) {
        self.key = key
        point = key.publicKey.point
    }

    /// `P256.secretBytes` that only the two sides know; derive a key from them (HKDF) before any use. Throws `invalidKey` if
    /// `point` is invalid.
    package func secret(with point: [UInt8]) throws(CryptoError) -> [UInt8] {
        let peer = unsafe try P256.key(point: point)
        let own = unsafe key.shared
        let context = unsafe EVP_PKEY_CTX_new(own, nil)
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            unsafe EVP_PKEY_free(own)
            unsafe EVP_PKEY_free(peer)
        }
        var secret = [UInt8](repeating: 0, count: P256.secretBytes)
        var count = secret.count
        guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, peer) == 1,
            unsafe EVP_PKEY_derive(context, &secret, &count) == 1, count == P256.secretBytes
        else { throw CryptoError(.invalidKey, "no secret can be agreed on with this key: \(CryptoError.takeReason())") }
        return secret
    }
}

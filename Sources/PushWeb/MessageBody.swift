internal import HeliographCrypto

/// The body of a push, which only the browser can open: RFC 8188 and RFC 8291, one record.
enum MessageBody {
    private static let recordBytes: UInt32 = 4_096
    private static let saltBytes = 16
    /// Marks the end of the last record, before its padding.
    private static let delimiter: UInt8 = 2

    /// Uses a new key and a new salt, as every push must. `size` is that of the padded text. Throws if the subscription's key is invalid,
    /// which was checked before.
    static func seal(_ text: [UInt8], paddedTo size: Int, for subscription: WebPushSubscription) throws(CryptoError) -> [UInt8]
    {
        try seal(
            text, paddedTo: size, for: subscription, key: P256AgreementKey(), salt: Crypto.random(count: saltBytes))
    }

    /// Seals with a new key and salt.
    static func seal(
        _ text: [UInt8], paddedTo size: Int, for subscription: WebPushSubscription, key: P256AgreementKey, salt: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        precondition(text.count <= size && size <= WebPushMessage.textBytesMax && salt.count == saltBytes)
        let shared = try key.secret(with: subscription.publicKey)
        let pair = info("WebPush: info") + subscription.publicKey + key.point
        let secret = HKDF.expand(HKDF.extract(shared, salt: subscription.authentication), info: pair, count: Crypto.digestBytes)
        let pseudorandom = HKDF.extract(secret, salt: salt)
        let record = AESGCM.seal(
            text + [delimiter] + [UInt8](repeating: 0, count: size - text.count),
            with: HKDF.expand(pseudorandom, info: info("Content-Encoding: aes128gcm"), count: AESGCM.shortKeyBytes),
            nonce: HKDF.expand(pseudorandom, info: info("Content-Encoding: nonce"), count: AESGCM.nonceBytes))
        let recordSize = (0..<4).map { UInt8(truncatingIfNeeded: recordBytes >> (24 - 8 * $0)) }
        return salt + recordSize + [UInt8(P256.pointBytes)] + key.point + record
    }

    private static func info(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }
}

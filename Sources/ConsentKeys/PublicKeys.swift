internal import Consent
internal import HeliographCrypto
internal import Synchronization

/// Public keys by their points, ready to verify with: to make one takes as long as to verify a signature.
final class PublicKeys: Sendable {
    static let known = PublicKeys()

    /// The keys of all devices that a host trusts, and as many that send it letters. A full one is emptied: strangers cost it time alone.
    private static let countMax = 2 * PinBook.devicesMax

    private let keys = Mutex<[[UInt8]: ES256PublicKey]>([:])

    /// Nil if it is not a point of P-256.
    func key(_ point: [UInt8]) -> ES256PublicKey? {
        keys.withLock { keys in
            if let known = keys[point] { return known }
            guard let key = try? ES256PublicKey(point: point) else { return nil }
            if keys.count == Self.countMax { keys = [:] }
            keys[point] = key
            return key
        }
    }
}

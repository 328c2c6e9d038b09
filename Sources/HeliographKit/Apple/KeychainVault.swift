#if canImport(CryptoKit) && canImport(Security)
internal import Consent
internal import CryptoKit
internal import Foundation
public import LiveActivityKit
internal import Security

extension DeviceTrust {
    /// Keeps keys in the Secure Enclave if there is one, and all else in the keychain. `keychain` must use the access group that
    /// the app shares with its notification service.
    public convenience init(keychain: Keychain) { self.init(KeychainVault(keychain: keychain), .cryptoKit) }
}

/// Private keys never leave the Secure Enclave: the keychain holds a handle that works on this device only. Without an enclave, as
/// in the simulator, it holds the keys.
struct KeychainVault: TrustVault {
    private static let sign = "consentSign"
    private static let box = "consentBox"

    /// First byte of a stored key: where the private key is.
    private enum Place: UInt8 {
        case keychain = 1
        case enclave = 2
    }

    let keychain: Keychain

    func identity() throws(LiveActivityError) -> ConsentIdentity? {
        guard let sign = try keychain.data(of: Self.sign), let box = try keychain.data(of: Self.box) else { return nil }
        return try Self.using { try Self.identity(sign, box) }
    }

    func makeIdentity() throws(LiveActivityError) -> ConsentIdentity {
        let (sign, box) = try Self.using { try Self.make() }
        // If only one of the two was stored, the next attempt replaces both.
        try keychain.keep(box, as: Self.box)
        try keychain.keep(sign, as: Self.sign)
        return try Self.using { try Self.identity(sign, box) }
    }

    func read(_ item: TrustItem) throws(LiveActivityError) -> Data? { try keychain.data(of: Self.account(item)) }
    func write(_ data: Data, _ item: TrustItem) throws(LiveActivityError) { try keychain.keep(data, as: Self.account(item)) }

    func removeAll() throws(LiveActivityError) {
        for account in [Self.sign, Self.box] + TrustItem.allCases.map(Self.account) { try keychain.remove(account) }
    }

    private static func account(_ item: TrustItem) -> String { "consent." + item.rawValue }

    // MARK: Keys

    /// Makes both keys. The signing key works only while the phone is unlocked; the box key also opens alerts while it is locked.
    private static func make() throws -> (sign: Data, box: Data) {
        guard SecureEnclave.isAvailable else {
            return (
                Data([Place.keychain.rawValue]) + P256.Signing.PrivateKey().rawRepresentation,
                Data([Place.keychain.rawValue]) + P256.KeyAgreement.PrivateKey().rawRepresentation
            )
        }
        let sign = try SecureEnclave.P256.Signing.PrivateKey(
            accessControl: access(kSecAttrAccessibleWhenUnlockedThisDeviceOnly))
        let box = try SecureEnclave.P256.KeyAgreement.PrivateKey(
            accessControl: access(kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly))
        return (
            Data([Place.enclave.rawValue]) + sign.dataRepresentation, Data([Place.enclave.rawValue]) + box.dataRepresentation
        )
    }

    private static func access(_ accessible: CFString) throws -> SecAccessControl {
        guard let access = SecAccessControlCreateWithFlags(nil, accessible, .privateKeyUsage, nil) else {
            throw LiveActivityError(.keychain, "this phone does not protect keys so")
        }
        return access
    }

    private static func identity(_ sign: Data, _ box: Data) throws -> ConsentIdentity {
        let (signer, signPoint) = try signer(sign)
        let (agreement, boxPoint) = try agreement(box)
        guard let signPoint = SigningPoint(Array(signPoint)), let boxPoint = BoxPoint(Array(boxPoint)) else {
            throw LiveActivityError(.keychain, "the keychain holds other keys than this app's")
        }
        // The closures return empty bytes or nil if the key cannot be used now.
        return ConsentIdentity(sign: signPoint, box: boxPoint, .cryptoKit) {
            (try? signer($0)) ?? []
        } agreement: {
            try? agreement($0.bytes)
        }
    }

    private static func signer(_ kept: Data) throws -> (sign: @Sendable ([UInt8]) throws -> [UInt8], point: Data) {
        let key = Data(kept.dropFirst())
        switch try place(of: kept) {
        case .keychain:
            let key = try P256.Signing.PrivateKey(rawRepresentation: key)
            return ({ Array(try key.signature(for: $0).rawRepresentation) }, key.publicKey.x963Representation)
        case .enclave:
            let key = try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: key)
            return ({ Array(try key.signature(for: $0).rawRepresentation) }, key.publicKey.x963Representation)
        }
    }

    private static func agreement(_ kept: Data) throws -> (agree: @Sendable ([UInt8]) throws -> [UInt8], point: Data) {
        let key = Data(kept.dropFirst())
        switch try place(of: kept) {
        case .keychain:
            let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: key)
            return (
                { bytes(of: try key.sharedSecretFromKeyAgreement(with: try point($0))) }, key.publicKey.x963Representation
            )
        case .enclave:
            let key = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: key)
            return (
                { bytes(of: try key.sharedSecretFromKeyAgreement(with: try point($0))) }, key.publicKey.x963Representation
            )
        }
    }

    private static func place(of kept: Data) throws -> Place {
        guard let place = kept.first.flatMap(Place.init) else {
            throw LiveActivityError(.keychain, "the keychain holds other keys than this app's")
        }
        return place
    }

    private static func point(_ bytes: [UInt8]) throws -> P256.KeyAgreement.PublicKey {
        try P256.KeyAgreement.PublicKey(x963Representation: bytes)
    }

    private static func bytes(of secret: SharedSecret) -> [UInt8] { unsafe secret.withUnsafeBytes { unsafe Array($0) } }

    private static func using<Value>(_ body: () throws -> Value) throws(LiveActivityError) -> Value {
        do { return try body() } catch let error as LiveActivityError { throw error } catch {
            throw LiveActivityError(.keychain, "the phone's keys cannot be used: \(error)")
        }
    }
}
#endif

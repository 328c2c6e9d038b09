import Foundation
import HeliographCrypto
import PushWeb
import RelayCore

/// The push secrets that several relays on a database share: each accepts the codes and subscriptions of the others.
struct SharedSecrets: Sendable {
    private enum SecretName {
        static let codes = "push-secret"
        static let browsers = "web-push-key"
    }

    /// The secret of `PushCodes`.
    let codes: [UInt8]
    /// Nil: no browser has asked for a key yet.
    let browsersKey: VAPIDKey?
    private let store: any SecretStore

    /// Reads the secrets from the store. If that has none yet, those in the folder are stored: from a relay that ran here before,
    /// or copied there by hand.
    init(_ store: any SecretStore, adoptingFrom folder: String) throws {
        self.store = store
        let own = PushCodes.kept(in: folder) ?? Crypto.random(count: PushCodes.secretBytes)
        codes = try store.secret(SecretName.codes) ?? store.keep(own, as: SecretName.codes)
        guard codes.count == PushCodes.secretBytes else {
            throw ServerError(
                .push,
                "The database's secret of notification codes is damaged: delete its row (\(SecretName.codes) in secrets).")
        }
        let key = try store.secret(SecretName.browsers)
        let adopted = key == nil ? try WebPushIdentity.storedKey(in: folder).map { Array($0.utf8) } : nil
        browsersKey = try (key ?? adopted.map { try store.keep($0, as: SecretName.browsers) }).map(Self.read)
    }

    /// The key for browsers, created if there is none. Safe on any thread; takes as long as the store.
    func makeBrowsersKey() throws -> VAPIDKey {
        try Self.read(store.keep(Array(VAPIDKey().pem.utf8), as: SecretName.browsers))
    }

    /// Passes the secrets that are files in a folder to `keep`, for a database that replaces the folder's data file.
    static func take(from folder: String, _ keep: (_ secret: [UInt8], _ name: String) throws -> Void) throws {
        if let codes = PushCodes.kept(in: folder) { try keep(codes, SecretName.codes) }
        if let key = try WebPushIdentity.storedKey(in: folder) { try keep(Array(key.utf8), SecretName.browsers) }
    }

    /// Writes a database's secrets as files into the folder of a relay that continues without that database.
    static func put(_ secret: (_ name: String) throws -> [UInt8]?, in folder: String) throws {
        if let codes = try secret(SecretName.codes) { try PushCodes.put(codes, in: folder) }
        if let key = try secret(SecretName.browsers) {
            try WebPushIdentity.restore(String(decoding: key, as: UTF8.self), in: folder)
        }
    }

    private static func read(_ bytes: [UInt8]) throws -> VAPIDKey {
        do throws(WebPushError) { return try VAPIDKey(pem: String(decoding: bytes, as: UTF8.self)) } catch {
            throw ServerError(
                .push,
                "The database's key for browsers cannot be used (\(error.message)): correct it (\(SecretName.browsers) in secrets), or delete its row, and every browser has to subscribe again."
            )
        }
    }
}

#if canImport(Security) && canImport(CryptoKit)
import CryptoKit
public import Foundation
import Security

/// The token from pairing, the key that alerts are sealed for, and what `DeviceTrust` keeps. The app and its extensions can read them as soon as the phone was
/// unlocked once after it started. They never leave this device.
public struct Keychain: RelayCredentials {
    private static let token = "token"
    private static let sealKey = "sealKey"
    private static let relay = "relay"

    private let service: String
    private let group: String?

    /// `group`: the access group that the app shares with its notification extension.
    public init(service: String = "heliograph", group: String? = nil) {
        self.service = service
        self.group = group
    }

    public func token() throws(LiveActivityError) -> String {
        guard let data = try data(of: Self.token) else {
            throw LiveActivityError(.unauthorised, "the app is not paired with a relay")
        }
        return String(decoding: data, as: UTF8.self)
    }

    public func setToken(_ token: String) throws(LiveActivityError) { try keep(Data(token.utf8), as: Self.token) }

    /// The relay that issued the token, for the notification service; nil if none was stored.
    public func relay() throws(LiveActivityError) -> URL? {
        try data(of: Self.relay).flatMap { URL(string: String(decoding: $0, as: UTF8.self)) }
    }

    public func setRelay(_ relay: URL) throws(LiveActivityError) {
        try keep(Data(relay.absoluteString.utf8), as: Self.relay)
    }

    /// The key that alerts are sealed for, as `DeviceRegistration.sealKey` expects it; made on first use.
    public func sealKey() throws(LiveActivityError) -> Data {
        if let key = try data(of: Self.sealKey) { return key }
        let key = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
        try keep(key, as: Self.sealKey)
        return key
    }

    /// Removes all entries, after signing out. `DeviceTrust` removes its own.
    public func removeAll() throws(LiveActivityError) {
        for account in [Self.token, Self.sealKey, Self.relay] { try remove(account) }
    }

    package func remove(_ account: String) throws(LiveActivityError) {
        let status = SecItemDelete(query(account) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
    }

    /// Nil if there is no such entry.
    package func data(of account: String) throws(LiveActivityError) -> Data? {
        var query = query(account)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var item: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = item as? Data else { throw Self.failure(status) }
        return data
    }

    package func keep(_ data: Data, as account: String) throws(LiveActivityError) {
        let value: [String: Any] = [
            kSecValueData as String: data,
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        var status = SecItemUpdate(query(account) as CFDictionary, value as CFDictionary)
        if status == errSecItemNotFound {
            let whole = query(account).merging(value) { _, new in new }
            status = SecItemAdd(whole as CFDictionary, nil)
        }
        guard status == errSecSuccess else { throw Self.failure(status) }
    }

    private func query(_ account: String) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        if let group { query[kSecAttrAccessGroup as String] = group }
        return query
    }

    private static func failure(_ status: OSStatus) -> LiveActivityError {
        let text = SecCopyErrorMessageString(status, nil) as String?
        return LiveActivityError(.keychain, text ?? "the keychain answered \(status)")
    }
}
#endif

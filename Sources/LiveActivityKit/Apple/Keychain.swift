#if canImport(Security) && canImport(CryptoKit)
import CryptoKit
public import Foundation
import Security

/// The token from pairing, and the key that alerts are sealed for. The app and its extensions can read them as soon as the phone was
/// unlocked once after it started. They never leave this device.
public struct Keychain: RelayCredentials {
    private enum Account: String { case token, sealKey }

    private let service: String
    private let group: String?

    /// `group`: the access group that the app shares with its notification extension.
    public init(service: String = "heliograph", group: String? = nil) {
        self.service = service
        self.group = group
    }

    public func token() throws(LiveActivityError) -> String {
        guard let data = try read(.token) else {
            throw LiveActivityError(.unauthorised, "the app is not paired with a relay")
        }
        return String(decoding: data, as: UTF8.self)
    }

    public func setToken(_ token: String) throws(LiveActivityError) { try write(Data(token.utf8), .token) }

    /// The key that alerts are sealed for, as `DeviceRegistration.sealKey` wants it; made when it is asked for first.
    public func sealKey() throws(LiveActivityError) -> Data {
        if let key = try read(.sealKey) { return key }
        let key = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
        try write(key, .sealKey)
        return key
    }

    /// After signing out.
    public func removeAll() throws(LiveActivityError) {
        for account in [Account.token, .sealKey] {
            let status = SecItemDelete(query(account) as CFDictionary)
            guard status == errSecSuccess || status == errSecItemNotFound else { throw Self.failure(status) }
        }
    }

    private func read(_ account: Account) throws(LiveActivityError) -> Data? {
        var query = query(account)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var item: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = item as? Data else { throw Self.failure(status) }
        return data
    }

    private func write(_ data: Data, _ account: Account) throws(LiveActivityError) {
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

    private func query(_ account: Account) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword,
            kSecAttrService as String: service,
            kSecAttrAccount as String: account.rawValue,
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

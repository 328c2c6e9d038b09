import Foundation
import Kit

/// Opens alerts before they are shown: those that the relay sealed for this phone, and those of hosts that seal or want signatures.
final class NotificationService: HeliographNotificationService {
    override var keychain: Keychain { Keychain(group: Bundle.main.object(forInfoDictionaryKey: "KeychainGroup") as? String) }
}

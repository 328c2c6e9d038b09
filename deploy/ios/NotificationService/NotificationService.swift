import Foundation
import Kit

/// Opens alerts that the relay sealed for this phone, before they are shown.
final class NotificationService: SealedNotificationService {
    override var keychain: Keychain { Keychain(group: Bundle.main.object(forInfoDictionaryKey: "KeychainGroup") as? String) }
}

#if canImport(UserNotifications) && canImport(CryptoKit) && !os(tvOS)
import Foundation
public import UserNotifications

/// Opens sealed alerts before they are shown. An app's notification service extension has a class that inherits from this one and overrides
/// `keychain` with the access group that it shares with the app.
///
/// An alert that cannot be opened is shown as it came, as a generic sentence, and cannot be allowed from there.
open class SealedNotificationService: UNNotificationServiceExtension {
    open var keychain: Keychain { Keychain() }

    /// Finishes at once, so that the system's limit of 30 s is never reached.
    override open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else {
            return contentHandler(request.content)
        }
        do { try open(content) } catch {
            // The person has not seen the input, so the alert must not offer to allow it.
            if content.categoryIdentifier == AlertCategory.approval.rawValue {
                content.categoryIdentifier = AlertCategory.review.rawValue
            }
        }
        contentHandler(content)
    }

    private func open(_ content: UNMutableNotificationContent) throws(LiveActivityError) {
        guard let sealed = try AlertPayload(userInfo: content.userInfo).sealed else { return }
        let opened = try SealedText(base64: sealed).open(with: keychain.sealKey())
        content.title = opened.title
        content.subtitle = opened.subtitle ?? ""
        content.body = opened.body
        if let code = opened.code { content.userInfo = AlertPayload.userInfo(content.userInfo, with: code) }
    }
}
#endif

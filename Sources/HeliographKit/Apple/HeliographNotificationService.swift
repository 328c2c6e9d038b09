#if canImport(UserNotifications) && canImport(CryptoKit) && !os(tvOS)
internal import Foundation
public import LiveActivityKit
public import UserNotifications

/// `SealedNotificationService` for hosts that take only signed decisions, or that seal: their alerts show the host's own words. An
/// app's notification service extension has a class that inherits from this one and overrides `keychain` with the access group that
/// it shares with the app, which keeps the relay there: `Keychain.setRelay(_:)`.
///
/// An alert that offers to allow is looked up at the relay first, for 6 s at most. If that fails, it is shown as it came, and
/// decided in the app.
open class HeliographNotificationService: SealedNotificationService {
    private let delivery = Delivery()

    override open func didReceive(
        _ request: UNNotificationRequest, withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
    ) {
        super.didReceive(request) { [self] opened in
            guard let content = opened.mutableCopy() as? UNMutableNotificationContent, let relay = try? keychain.relay(),
                let payload = try? AlertPayload(userInfo: content.userInfo),
                let alerts = try? SignedAlerts(relay: relay, credentials: keychain, trust: DeviceTrust(keychain: keychain))
            else { return contentHandler(opened) }
            let offersAllow = AlertCategory(rawValue: content.categoryIdentifier)?.actions.contains(.allow) == true
            let came = ShownAlert(content)
            delivery.begin(content, contentHandler)
            Task { [delivery] in
                delivery.end(await alerts.reading(of: payload, offersAllow: offersAllow, came: came))
            }
        }
    }

    /// The person has not seen what would be allowed, so the alert can only be reviewed.
    override open func serviceExtensionTimeWillExpire() { delivery.end(.review) }
}

/// Hands one alert to the system, once.
private final class Delivery: Sendable {
    private let pending = Locked<(content: UNMutableNotificationContent, show: (UNNotificationContent) -> Void)?>(nil)

    func begin(_ content: UNMutableNotificationContent, _ show: @escaping (UNNotificationContent) -> Void) {
        pending.set((content, show))
    }

    func end(_ reading: SignedAlerts.Reading) {
        let taken = pending.withLock { pending in
            defer { pending = nil }
            return pending
        }
        guard let (content, show) = taken else { return }
        switch reading {
        case .asItCame: break
        case .words(let words): (content.title, content.subtitle, content.body) = (words.title, words.subtitle, words.body)
        case .review:
            if content.categoryIdentifier == AlertCategory.approval.rawValue {
                content.categoryIdentifier = AlertCategory.review.rawValue
            }
        }
        show(content)
    }
}
#endif

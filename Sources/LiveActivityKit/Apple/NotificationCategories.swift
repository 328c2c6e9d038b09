#if canImport(UserNotifications) && !os(tvOS)
import Foundation
public import UserNotifications

extension AlertCategory {
    /// Registers the categories in addition to the app's own. Call it at every launch, and when the app comes to the front: if the
    /// person never allows previews, no alert offers to allow input that they could not see.
    public static func register() {
        let center = UNUserNotificationCenter.current()
        center.getNotificationSettings { settings in
            let showsText = settings.showPreviewsSetting != .never
            center.getNotificationCategories { existing in
                let ours = allCases.map { $0.category(showsText: showsText) }
                let names = Set(ours.map(\.identifier))
                center.setNotificationCategories(existing.filter { !names.contains($0.identifier) }.union(ours))
            }
        }
    }

    private func category(showsText: Bool) -> UNNotificationCategory {
        UNNotificationCategory(
            identifier: rawValue, actions: actions.filter { showsText || $0 != .allow }.map(\.action), intentIdentifiers: [],
            hiddenPreviewsBodyPlaceholder: KitLanguage.words().agentNeedsYou, options: [.hiddenPreviewsShowTitle])
    }
}

extension AlertAction {
    fileprivate var action: UNNotificationAction {
        var options: UNNotificationActionOptions = []
        if needsUnlock { options.insert(.authenticationRequired) }
        if opensApp { options.insert(.foreground) }
        return UNNotificationAction(
            identifier: rawValue, title: title, options: options, icon: UNNotificationActionIcon(systemImageName: symbol))
    }
}

extension AlertResponse {
    /// Nil if there is nothing to do, or the alert is not from a relay.
    public init?(_ response: UNNotificationResponse) {
        let content = response.notification.request.content
        guard let payload = try? AlertPayload(userInfo: content.userInfo) else { return nil }
        self.init(
            action: response.actionIdentifier, category: content.categoryIdentifier, payload: payload,
            shown: ShownAlert(content))
    }
}

extension ShownAlert {
    package init(_ content: UNNotificationContent) {
        self.init(title: content.title, subtitle: content.subtitle, body: content.body)
    }
}

extension DecisionDesk {
    /// Uses the codes of the alerts that the system still holds. Failed decisions are reported by a notification.
    public func setUp(reporter: any RelayReporting, signer: (any DecisionSigning)? = nil) {
        setUp(reporter: reporter, codes: DeliveredAlerts(), signer: signer) { sentence, approval in
            let content = UNMutableNotificationContent()
            content.title = sentence
            content.categoryIdentifier = AlertCategory.status.rawValue
            // Replaces the alert whose button was pressed, if the person may see notifications at all.
            let request = UNNotificationRequest(identifier: approval, content: content, trigger: nil)
            try? await UNUserNotificationCenter.current().add(request)
        }
    }
}

/// A card holds no code, but the alert of the same approval does.
struct DeliveredAlerts: DecisionDesk.Codes {
    func code(of approval: String) async -> String? {
        await withCheckedContinuation { continuation in
            UNUserNotificationCenter.current().getDeliveredNotifications { notifications in
                // Notifications of other senders do not parse.
                let payloads = notifications.compactMap { try? AlertPayload(userInfo: $0.request.content.userInfo) }
                continuation.resume(returning: payloads.first { $0.approval == approval && $0.code != nil }?.code)
            }
        }
    }
}
#endif

/// An app on a device: its declarations, the person's permissions, and its behaviour.
package struct InstalledApp: Sendable {
    package let bundle: String
    package let environment: PushEnvironment
    /// The `ActivityAttributes` that it was built with, by `attributes-type`.
    package let activityTypes: [String: ActivityTypes]
    /// Identifiers of the notification categories that it registers at launch, each with the titles of its buttons.
    package var categories: [String: [String]] = [:]

    package var allowsNotifications = true
    package var allowsTimeSensitive = true
    package var allowsActivities = true
    /// `NSSupportsLiveActivitiesFrequentUpdates`, and the person's setting for it.
    package var frequentUpdates = false
    /// True if the app presents banners while it is on the screen.
    package var presentsInForeground = false
    /// True if the person has swiped it away: it gets no background time until it is opened again.
    package var isKilled = false
    package var updateTokens = UpdateTokens.atOnce
    /// The app's notification service extension, if it has one.
    package var serviceExtension: (any ServiceExtension)?

    /// When the app reports the update token of an activity that a push started: often it does not.
    package enum UpdateTokens: Sendable, Equatable {
        case atOnce
        case after(milliseconds: Int64)
        case never
    }

    package init(bundle: String, environment: PushEnvironment = .sandbox, activityTypes: [ActivityTypes]) {
        self.bundle = bundle
        self.environment = environment
        self.activityTypes = Dictionary(uniqueKeysWithValues: activityTypes.map { ($0.name, $0) })
    }
}

/// Code of the app that may rewrite an alert before it is shown (`mutable-content`), such as to decrypt it.
package protocol ServiceExtension: Sendable {
    /// Nil if it fails or takes too long: the alert is then shown unchanged.
    func rewrite(payload: [UInt8]) -> (title: String, body: String)?
}

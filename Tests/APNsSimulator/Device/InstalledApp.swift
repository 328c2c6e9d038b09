/// An app on a device: what it declares, what the person allowed, and how it behaves.
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
    /// `NSSupportsLiveActivitiesFrequentUpdates`, and the person's switch for it.
    package var frequentUpdates = false
    /// True if the app asks for banners while it is on the screen.
    package var presentsInForeground = false
    /// Swiped away by the person: no background time until it is opened again.
    package var isKilled = false
    package var updateTokens = UpdateTokens.atOnce
    /// The app's notification service extension, if it has one.
    package var serviceExtension: (any ServiceExtension)?

    /// When the app hands out the update token of an activity that a push started: often it does not.
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

/// The port to code of the app that may rewrite an alert before it is shown (`mutable-content`), such as one that decrypts.
package protocol ServiceExtension: Sendable {
    /// Nil if it fails or takes too long: the alert is then shown as it came.
    func rewrite(payload: [UInt8]) -> (title: String, body: String)?
}

/// One notification in the notification centre.
package struct ShownNotification: Sendable {
    package enum Level: String, Sendable, CaseIterable {
        case passive, active, critical
        case timeSensitive = "time-sensitive"
    }

    package let bundle: String
    package let title: String
    package let subtitle: String
    package let body: String
    /// Titles of the buttons; none if the app registered no such category.
    package let actions: [String]
    package let category: String?
    /// Notifications with the same one are shown as one stack.
    package let thread: String?
    package let collapseID: String?
    /// After what the person allows.
    package let level: Level
    package let rang: Bool
    package let relevance: Double
    /// Rewritten by the app's service extension.
    package let isRewritten: Bool
    /// Milliseconds since 1970.
    package let at: Int64
    /// All that came, for what the app itself reads next to `aps`.
    package let payload: [UInt8]
}

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
    /// Notifications with the same thread form one stack.
    package let thread: String?
    package let collapseID: String?
    /// The level that the person permits.
    package let level: Level
    package let rang: Bool
    package let relevance: Double
    /// True if the app's service extension has rewritten it.
    package let isRewritten: Bool
    /// Milliseconds since 1970.
    package let at: Int64
    /// The whole payload, for the fields that the app itself reads next to `aps`.
    package let payload: [UInt8]
}

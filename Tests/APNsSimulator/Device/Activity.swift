/// One Live Activity as the device has it.
package struct Activity: Sendable {
    /// Time after which the system ends it …
    static let activeMillisecondsMax: Int64 = 8 * 3600 * 1000
    /// … and time after its end until it leaves the Lock Screen.
    static let endedMillisecondsMax: Int64 = 4 * 3600 * 1000

    package let id: ActivityID
    package let bundle: String
    package let attributesType: String
    package let attributes: [UInt8]
    /// Milliseconds since 1970, like all times here.
    package let startedAt: Int64
    /// Broadcasts to this channel update it; it then has no update token.
    package let channel: String?

    package internal(set) var contentState: [UInt8]
    /// The app's drawing of attributes and content state.
    package internal(set) var face: CardFace
    /// Seconds since 1970, of the newest content that was applied.
    package internal(set) var timestamp: Int64
    package internal(set) var updatedAt: Int64
    package internal(set) var staleAt: Int64?
    package internal(set) var relevance: Double = 0
    package internal(set) var alert: Alert?
    package internal(set) var endedAt: Int64?
    package internal(set) var dismissAt: Int64?
    package internal(set) var updateToken: String?
    var updateTokenDue: Int64?
    var wasSeenStale = false

    /// The light-up and the expanded Dynamic Island that came with one update.
    package struct Alert: Sendable, Equatable {
        package let title: String
        package let body: String
        package let hasSound: Bool
        package let at: Int64
    }

    package var isActive: Bool { endedAt == nil }

    package func isStale(at now: Int64) -> Bool { staleAt.map { $0 <= now } ?? false }

    var nextDeadline: Int64? {
        let stale = wasSeenStale || !isActive ? nil : staleAt
        return [isActive ? startedAt + Self.activeMillisecondsMax : dismissAt, stale, updateTokenDue].compactMap { $0 }.min()
    }
}

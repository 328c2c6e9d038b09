/// A push that the service accepted, on its way to a device.
struct Push: Sendable {
    enum Target: Sendable, Equatable {
        case app, start
        case activity(ActivityID)
        case channel(String)

        init(_ token: DeviceToken) {
            switch (token.kind, token.activity) {
            case (.alert, _): self = .app
            case (.pushToStart, _): self = .start
            case (.activityUpdate, let activity?): self = .activity(activity)
            case (.activityUpdate, nil): self = .activity(ActivityID(token.token))
            }
        }
    }

    /// `apns-id`; for a broadcast the `apns-request-id`.
    let id: String
    let pushType: String
    let bundle: String
    let target: Target
    let priority: Int
    /// Seconds since 1970; 0 is never stored, nil uses APNs' own policy.
    let expiration: Int64?
    let collapseID: String?
    let payload: [UInt8]
    /// Milliseconds since 1970.
    let sentAt: Int64

    /// Longest time that APNs stores a push, in milliseconds.
    static let storedMillisecondsMax: Int64 = 30 * 24 * 3600 * 1000

    /// Time after which it is not delivered, in milliseconds since 1970.
    var expiresAt: Int64 { expiration.map { $0 * 1000 } ?? sentAt + Self.storedMillisecondsMax }
}

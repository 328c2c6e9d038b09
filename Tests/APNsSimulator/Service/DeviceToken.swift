/// The service's record of one token.
package struct DeviceToken: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case alert, activityUpdate, pushToStart

        /// True for the push types that reach it; others get `DeviceTokenNotForTopic`.
        func accepts(_ pushType: PushType) -> Bool {
            switch self {
            case .alert: pushType != .liveActivity
            case .activityUpdate, .pushToStart: pushType == .liveActivity
            }
        }
    }

    package enum State: Sendable, Equatable {
        case live
        /// 410, with the time at which APNs noticed, in milliseconds since 1970.
        case unregistered(since: Int64)
        /// 410 `ExpiredToken`.
        case expired(since: Int64)
        /// 400, as if it had never been issued.
        case bad
        /// 200 without effect, like tokens of ended activities and deleted apps for a day or more.
        case silentlyDead
    }

    package let token: String
    package let kind: Kind
    package let bundle: String
    package let environment: PushEnvironment
    package var state: State = .live
    /// Nil for a token that a test registered without a device behind it.
    package var device: DeviceID?
    /// The activity of an `activityUpdate` token.
    package var activity: ActivityID?

    package init(
        _ token: String, _ kind: Kind, bundle: String, environment: PushEnvironment, device: DeviceID? = nil,
        activity: ActivityID? = nil
    ) {
        // Hexadecimal digits are case-insensitive.
        self.token = token.lowercased()
        self.kind = kind
        self.bundle = bundle
        self.environment = environment
        self.device = device
        self.activity = activity
    }

    /// True for hexadecimal digits of whole bytes. Apple says not to assume a size.
    static func isWellFormed(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.count % 2 == 0 && token.lowercased().utf8.allSatisfy(PushHeaders.isLowercaseHexadecimal)
    }
}

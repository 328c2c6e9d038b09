/// The service's record of one token.
package struct DeviceToken: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case alert, activityUpdate, pushToStart

        /// The push types that reach it; anything else is `DeviceTokenNotForTopic`.
        func accepts(_ pushType: PushType) -> Bool {
            switch self {
            case .alert: pushType != .liveActivity
            case .activityUpdate, .pushToStart: pushType == .liveActivity
            }
        }
    }

    package enum State: Sendable, Equatable {
        case live
        /// 410, with when APNs knew it (milliseconds since 1970).
        case unregistered(since: Int64)
        /// 410 `ExpiredToken`.
        case expired(since: Int64)
        /// 400, as if it had never been handed out.
        case bad
        /// 200, and nothing happens: what tokens of ended activities and deleted apps do for a day or more.
        case silentlyDead
    }

    package let token: String
    package let kind: Kind
    package let bundle: String
    package let environment: PushEnvironment
    package var state: State = .live
    /// Nil for a token that a test registered without a device behind it.
    package var device: DeviceID?
    /// For `activityUpdate`.
    package var activity: ActivityID?

    package init(
        _ token: String, _ kind: Kind, bundle: String, environment: PushEnvironment, device: DeviceID? = nil,
        activity: ActivityID? = nil
    ) {
        // Hexadecimal digits mean the same in any case.
        self.token = token.lowercased()
        self.kind = kind
        self.bundle = bundle
        self.environment = environment
        self.device = device
        self.activity = activity
    }

    /// Apple tells not to assume a size; digits and whole bytes it must have.
    static func isWellFormed(_ token: String) -> Bool {
        !token.isEmpty && token.utf8.count % 2 == 0 && token.lowercased().utf8.allSatisfy(PushHeaders.isLowercaseHexadecimal)
    }
}

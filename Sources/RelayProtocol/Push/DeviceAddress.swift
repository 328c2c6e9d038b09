/// Where a device is reached: a case for each channel of pushes, with all that this channel needs. A browser's subscription would be
/// `web(…)` beside `apns`, with a place for alerts and none for cards; what is asked below is all that the planner looks at.
package enum DeviceAddress: Sendable, Equatable {
    case apns(APNsTokens)

    package var service: PushService {
        switch self {
        case .apns: .apns
        }
    }

    /// Where alerts go, as the channel names the place; nil: nowhere.
    package var alerts: String? {
        get { tokens.alerts }
        set { tokens.alerts = newValue }
    }

    /// Where starts of cards go.
    package var starts: String? {
        get { tokens.starts }
        set { tokens.starts = newValue }
    }

    /// In which of its service's worlds both places are. A service may find that it is another than the app has told.
    package var environment: PushEnvironment {
        get { tokens.environment }
        set { tokens.environment = newValue }
    }

    private var tokens: APNsTokens {
        get {
            switch self {
            case .apns(let tokens): tokens
            }
        }
        set { self = .apns(newValue) }
    }

    /// The place is dead.
    package mutating func drop(_ place: String) {
        if alerts == place { alerts = nil }
        if starts == place { starts = nil }
    }

    /// A place belongs to one device: what the other names is its own from now on.
    package mutating func yield(to other: DeviceAddress) {
        if alerts == other.alerts { alerts = nil }
        if starts == other.starts { starts = nil }
    }
}

/// A carrier of pushes, by name.
package enum PushService: String, Sendable, CaseIterable {
    case apns

    /// Records of pushes name theirs where it is another.
    package static let ofUnmarkedRecords = PushService.apns
}

/// What an app has told of itself to be reached by APNs. Tokens are hexadecimal digits.
package struct APNsTokens: Sendable, Equatable {
    package var environment: PushEnvironment
    package var alerts: String?
    /// Since iOS 17.2.
    package var starts: String?

    package init(_ environment: PushEnvironment, alerts: String? = nil, starts: String? = nil) {
        self.environment = environment
        self.alerts = alerts
        self.starts = starts
    }
}

/// Which of Apple's two worlds a device token is of: an app from the App Store or TestFlight, or one from Xcode.
package enum PushEnvironment: String, Sendable, CaseIterable {
    case production, sandbox
}

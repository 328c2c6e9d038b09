/// Where a device is reached: a case for each channel of pushes, with all that this channel needs. What is asked below is all that the
/// planner looks at.
package enum DeviceAddress: Sendable, Equatable {
    case apns(APNsTokens)
    /// Nil: the browser has no subscription any more.
    case web(WebSubscription?)

    package var service: PushService {
        switch self {
        case .apns: .apns
        case .web: .web
        }
    }

    /// Where alerts go, as the channel names the place; nil: nowhere.
    package var alerts: String? {
        get {
            switch self {
            case .apns(let tokens): tokens.alerts
            case .web(let subscription): subscription?.place
            }
        }
        set {
            switch self {
            case .apns(var tokens):
                tokens.alerts = newValue
                self = .apns(tokens)
            case .web: self = .web(newValue.flatMap(WebSubscription.init(place:)))
            }
        }
    }

    /// Where starts of cards go. A browser has no such place.
    package var starts: String? {
        get { if case .apns(let tokens) = self { tokens.starts } else { nil } }
        set {
            guard case .apns(var tokens) = self else { return }
            tokens.starts = newValue
            self = .apns(tokens)
        }
    }

    /// In which of its service's worlds both places are. A service may find that it is another than the app has told. There is one world of
    /// browsers.
    package var environment: PushEnvironment {
        get { if case .apns(let tokens) = self { tokens.environment } else { .production } }
        set {
            guard case .apns(var tokens) = self else { return }
            tokens.environment = newValue
            self = .apns(tokens)
        }
    }

    /// The place is dead.
    package mutating func drop(_ place: String) {
        if alerts == place { alerts = nil }
        if starts == place { starts = nil }
    }

    /// A place belongs to one device: what the other names is its own from now on.
    package mutating func yield(to other: DeviceAddress) {
        switch (self, other) {
        case (.apns, .apns):
            if alerts == other.alerts { alerts = nil }
            if starts == other.starts { starts = nil }
        case (.web(let own?), .web(let others?)):
            // With whatever keys: it is one browser that shows what goes there.
            if own.endpoint == others.endpoint { self = .web(nil) }
        case (.apns, .web), (.web, _): break
        }
    }
}

/// A carrier of pushes, by name.
package enum PushService: String, Sendable, CaseIterable {
    case apns, web

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

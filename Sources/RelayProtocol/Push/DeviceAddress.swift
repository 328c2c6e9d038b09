/// A device's address: a case for each channel of pushes, with everything that this channel needs. The properties below are all that the
/// planner reads.
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

    /// Destination of alerts, as the channel names it; nil: none.
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

    /// Destination of starts of cards. A browser has none.
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
            // Compared without the keys: the endpoint names the browser that shows what goes there.
            if own.endpoint == others.endpoint { self = .web(nil) }
        case (.apns, .web), (.web, _): break
        }
    }
}

/// A carrier of pushes, by name.
package enum PushService: String, Sendable, CaseIterable {
    case apns, web

    /// Records of pushes name their service if it is another.
    package static let ofUnmarkedRecords = PushService.apns
}

/// An app's tokens for APNs, as hexadecimal digits.
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

/// Apple's environment of a device token: an app from the App Store or TestFlight, or one from Xcode.
package enum PushEnvironment: String, Sendable, CaseIterable {
    case production, sandbox
}

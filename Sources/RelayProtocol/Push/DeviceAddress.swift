/// A device's address: a case for each channel of pushes, with everything that this channel needs. The properties below are all that the
/// planner reads.
package enum DeviceAddress: Sendable, Equatable {
    case apns(APNsTokens)
    /// Nil: the browser has no subscription any more.
    case web(WebSubscription?)
    /// Nil: it was dropped.
    case ntfy(NtfyTopic?)
    /// Nil: it was dropped.
    case receiver(Receiver?)

    package var service: PushService {
        switch self {
        case .apns: .apns
        case .web: .web
        case .ntfy: .ntfy
        case .receiver: .receiver
        }
    }

    /// Destination of alerts, as the channel names it; nil: none.
    package var alerts: String? {
        get {
            switch self {
            case .apns(let tokens): tokens.alerts
            case .web(let subscription): subscription?.place
            case .ntfy(let topic): topic?.place
            case .receiver(let receiver): receiver?.name
            }
        }
        set {
            switch self {
            case .apns(var tokens):
                tokens.alerts = newValue
                self = .apns(tokens)
            case .web: self = .web(newValue.flatMap(WebSubscription.init(place:)))
            case .ntfy: self = .ntfy(newValue.flatMap(NtfyTopic.init(place:)))
            case .receiver: self = .receiver(newValue.map(Receiver.init))
            }
        }
    }

    /// Destination of starts of cards. Only an app has one.
    package var starts: String? {
        get { if case .apns(let tokens) = self { tokens.starts } else { nil } }
        set {
            guard case .apns(var tokens) = self else { return }
            tokens.starts = newValue
            self = .apns(tokens)
        }
    }

    /// In which of its service's worlds both places are. A service may find that it is another than the app has told. Other services than
    /// Apple's have one world.
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

    /// A place belongs to one device: what the other names is its own from now on. A receiver belongs to its operator, and any number of
    /// devices may name it.
    package mutating func yield(to other: DeviceAddress) {
        guard service != .receiver else { return }
        if Self.isSame(service, alerts, other.service, other.alerts) { alerts = nil }
        if Self.isSame(service, starts, other.service, other.starts) { starts = nil }
    }

    private static func isSame(_ own: PushService, _ place: String?, _ others: PushService, _ other: String?) -> Bool {
        guard let place, let other else { return false }
        return PushAddress(own, place: place) == PushAddress(others, place: other)
    }
}

/// A carrier of pushes, by name.
package enum PushService: String, Sendable, CaseIterable {
    case apns, web, ntfy, receiver

    /// Several workspaces may push to the same place: a topic belongs to whoever knows it, a receiver to its operator.
    package var sharesAddresses: Bool {
        switch self {
        case .apns, .web: false
        case .ntfy, .receiver: true
        }
    }

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

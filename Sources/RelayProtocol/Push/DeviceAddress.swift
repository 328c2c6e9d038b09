/// A device's address: a case for each push channel, with everything that this channel needs. The planner reads only the properties
/// below.
package enum DeviceAddress: Sendable, Equatable {
    case apns(APNsTokens)
    /// Nil: the browser has no subscription any more.
    case web(WebSubscription?)
    /// Nil: the address was dropped.
    case ntfy(NtfyTopic?)
    /// Nil: the address was dropped.
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

    /// Destination for starting cards; only apps have one.
    package var starts: String? {
        get { if case .apns(let tokens) = self { tokens.starts } else { nil } }
        set {
            guard case .apns(var tokens) = self else { return }
            tokens.starts = newValue
            self = .apns(tokens)
        }
    }

    /// The service's environment that both addresses belong to. Apple may report that it is another than the app said. Other
    /// services have one environment.
    package var environment: PushEnvironment {
        get { if case .apns(let tokens) = self { tokens.environment } else { .production } }
        set {
            guard case .apns(var tokens) = self else { return }
            tokens.environment = newValue
            self = .apns(tokens)
        }
    }

    /// Removes an address that no longer works.
    package mutating func drop(_ place: String) {
        if alerts == place { alerts = nil }
        if starts == place { starts = nil }
    }

    /// Removes the addresses that `other` has too: an address belongs to the device that reported it last. A receiver belongs to
    /// its operator, and any number of devices may name it.
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

/// A push service, by name.
package enum PushService: String, Sendable, CaseIterable {
    case apns, web, ntfy, receiver

    /// True if several workspaces may push to the same address: a topic belongs to whoever knows it, a receiver to its operator.
    package var sharesAddresses: Bool {
        switch self {
        case .apns, .web: false
        case .ntfy, .receiver: true
        }
    }

    /// The service of push records that name none.
    package static let ofUnmarkedRecords = PushService.apns
}

/// An app's tokens for APNs, as hexadecimal digits.
package struct APNsTokens: Sendable, Equatable {
    package var environment: PushEnvironment
    package var alerts: String?
    /// The token that starts cards, since iOS 17.2.
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

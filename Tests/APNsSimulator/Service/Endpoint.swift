/// Development and production share nothing: not tokens, not channels, not even keys.
package enum PushEnvironment: String, Sendable, CaseIterable {
    case sandbox, production
}

/// The host and port of a connection. Apple's page on broadcasts names two different hosts for them, so both serve them here.
package struct Endpoint: Sendable, Hashable {
    package enum Service: String, Sendable {
        /// `api.push.apple.com` and `api-broadcast.push.apple.com`: notifications and broadcasts.
        case push
        /// `api-manage-broadcast.push.apple.com`: channels.
        case management
    }

    package var environment: PushEnvironment
    package var service: Service

    package init(_ environment: PushEnvironment, _ service: Service = .push) {
        self.environment = environment
        self.service = service
    }
}

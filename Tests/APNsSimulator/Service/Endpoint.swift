/// Development and production share nothing: neither tokens nor channels, not even keys.
package enum PushEnvironment: String, Sendable, CaseIterable {
    case sandbox, production
}

/// The host and port of a connection. Apple's pages name two different hosts for broadcasts, so both serve them here.
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

/// Every reason that Apple documents for a refusal, and the remedy for each.
package enum APNsReason: String, CaseIterable, Sendable {
    // 400
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    // 400, for broadcasts and channels
    case badChannelID = "BadChannelId"
    case badRequestParams = "BadRequestParams"
    case badRequestPayload = "BadRequestPayload"
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    case channelNotRegistered = "ChannelNotRegistered"
    case featureNotEnabled = "FeatureNotEnabled"
    case missingChannelID = "MissingChannelId"
    case missingPushType = "MissingPushType"
    // 403
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    /// Undocumented, but sent by Apple.
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case topicMismatch = "TopicMismatch"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    // 404, 405
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    // 410
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    // 413
    case payloadTooLarge = "PayloadTooLarge"
    // 429
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    // 5xx
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    package var remedy: APNsRemedy {
        switch self {
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType,
            .missingDeviceToken, .missingTopic, .payloadEmpty, .payloadTooLarge, .badPath, .methodNotAllowed,
            .badRequestParams, .badRequestPayload, .missingChannelID, .missingPushType:
            .fixRequest
        case .badDeviceToken: .tryOtherEnvironment
        case .unregistered, .expiredToken: .dropTokenIfOlder
        case .badTopic, .deviceTokenNotForTopic, .topicDisallowed, .topicMismatch: .markProfile
        case .badChannelID, .channelNotRegistered: .dropChannel
        case .featureNotEnabled, .cannotCreateChannelConfig: .enableBroadcast
        case .expiredProviderToken: .renewProviderToken
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken, .forbidden,
            .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
            .fixCredentials
        case .tooManyRequests: .slowDownDevice
        case .tooManyProviderTokenUpdates: .slowDownTeam
        case .idleTimeout, .shutdown: .reconnect
        case .internalServerError, .serviceUnavailable: .retryLater
        }
    }

    /// The remedy for a response without a known reason.
    static func remedy(status: Int) -> APNsRemedy {
        switch status {
        case 403: .fixCredentials
        case 410: .dropTokenIfOlder
        case 429: .slowDownDevice
        case 408, 500...: .retryLater
        default: .fixRequest
        }
    }
}

/// The reaction to a refusal. The client does what it can itself; the rest is a `PushAdvice` for its caller.
package enum APNsRemedy: Sendable {
    /// We built it wrong; the same bytes would be refused again.
    case fixRequest
    /// The token belongs to the other environment, or to none.
    case tryOtherEnvironment
    /// The app is gone, or has a new token by now: only a token older than the response's timestamp is dropped.
    case dropTokenIfOlder
    /// The profile names the topic of another app.
    case markProfile
    case dropChannel
    /// Broadcasting has to be enabled on Apple's developer pages, or there is no room for another channel.
    case enableBroadcast
    /// A new provider token and a new connection, once.
    case renewProviderToken
    /// The key, its id, the team or the environment is wrong: every request fails until a person corrects it.
    case fixCredentials
    /// This device gets too many pushes.
    case slowDownDevice
    /// Too many provider tokens: this connection is unusable for a while.
    case slowDownTeam
    /// The server shuts down; the next one will accept the request.
    case reconnect
    /// The server has an error.
    case retryLater
}

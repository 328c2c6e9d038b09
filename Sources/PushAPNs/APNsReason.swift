/// Every reason that Apple documents for a refusal, and what follows from it.
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
    // 400, of broadcasts and channels
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
    /// Not documented, but sent.
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
    /// We built it wrong; the same bytes will be refused again.
    case fixRequest
    /// The token is of the other environment, or of none.
    case tryOtherEnvironment
    /// The app is gone, or has a new token by now: only a token that is older than the answer's timestamp is meant.
    case dropTokenIfOlder
    /// The profile names a topic that is not this app's.
    case markProfile
    case dropChannel
    /// Broadcasting is to be switched on in Apple's developer pages, or there is no room for one more channel.
    case enableBroadcast
    /// A new provider token and a new connection, once.
    case renewProviderToken
    /// The key, its id, the team or the environment is wrong: nothing will pass until a person looks.
    case fixCredentials
    /// This one device gets too much.
    case slowDownDevice
    /// Too many provider tokens: this connection is of no use for a while.
    case slowDownTeam
    /// The server goes away; the next one will take it.
    case reconnect
    /// The server is in trouble.
    case retryLater
}

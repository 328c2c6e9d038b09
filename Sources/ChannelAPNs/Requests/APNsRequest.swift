package import RelayProtocol

/// One request to APNs. The sender only checks that it can be sent; whoever makes it follows Apple's rules.
package struct APNsRequest: Equatable, Sendable {
    package enum Target: Hashable, Sendable {
        /// A push to a device, or to a Live Activity on it. `token` is in hexadecimal digits.
        case device(token: String)
        /// A push to all cards that listen to a channel. `channelID` is Apple's, in base64.
        case broadcast(bundleID: String, channelID: String)
        case createChannel(bundleID: String)
        case deleteChannel(bundleID: String, channelID: String)
    }

    /// The team whose key signs, ten letters and digits.
    package var teamID: String
    package var environment: PushEnvironment
    /// True if this environment accepted a push to this token before. If false, a BadDeviceToken is followed by one attempt in the
    /// other one.
    package var isEnvironmentProven = false
    package var target: Target
    /// `apns-id`, a lower-case UUID: the same for every attempt.
    package var id: String
    /// The topic with its suffix, such as `.push-type.liveactivity`.
    package var topic: String?
    package var pushType: String?
    /// 5 or 10 (or 1).
    package var priority: Int?
    /// Expiry in seconds since 1970; 0 to deliver at once or not at all.
    package var expiration: Int64?
    /// At most 64 bytes.
    package var collapseID: String?
    /// JSON.
    package var payload: [UInt8] = []
    /// Time at which the app last reported its token, in milliseconds since 1970. A 410 about an earlier time does not apply to it.
    package var tokenRegisteredAt: Int64 = 0
    /// True if the person would not notice a second delivery: an update or end of a Live Activity with its timestamp, an alert with a
    /// collapse id. Only such a push is sent again when its outcome is unknown.
    package var isHarmlessToRepeat = false
    /// Time after which it is not worth sending, however often it was attempted.
    package var patience: Duration = .seconds(60)

    package init(teamID: String, environment: PushEnvironment, target: Target, id: String) {
        self.teamID = teamID
        self.environment = environment
        self.target = target
        self.id = id
    }
}

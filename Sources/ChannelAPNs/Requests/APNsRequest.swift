package import RelayProtocol

/// One request to APNs. The sender checks only that it can be sent: its maker knows the rules.
package struct APNsRequest: Equatable, Sendable {
    package enum Target: Hashable, Sendable {
        /// A push to a device, or to a Live Activity on it: `token` in hexadecimal digits.
        case device(token: String)
        /// A push to all that listen to a channel. `channelID` as Apple gave it, in base64.
        case broadcast(bundleID: String, channelID: String)
        case createChannel(bundleID: String)
        case readChannel(bundleID: String, channelID: String)
        case deleteChannel(bundleID: String, channelID: String)
        case listChannels(bundleID: String)
    }

    /// The team whose key signs: ten letters and digits.
    package var teamID: String
    package var environment: PushEnvironment
    /// True if this environment accepted a push to this token before. If not, a BadDeviceToken makes us try the other one, once.
    package var isEnvironmentProven = false
    package var target: Target
    /// `apns-id`, a lower-case UUID: the same for every attempt.
    package var id: String
    /// The topic with its suffix, such as `.push-type.liveactivity`.
    package var topic: String?
    package var pushType: String?
    /// 5 or 10 (or 1).
    package var priority: Int?
    /// Seconds since 1970; 0: now or never.
    package var expiration: Int64?
    /// At most 64 bytes.
    package var collapseID: String?
    /// JSON.
    package var payload: [UInt8] = []
    /// When the app last reported its token; milliseconds since 1970. A 410 about the time before does not mean this one.
    package var tokenRegisteredAt: Int64 = 0
    /// True if the person would not notice a second delivery: an update or end of a Live Activity with its timestamp, an alert with a
    /// collapse id. Only such a push is sent again when its outcome is unknown.
    package var isHarmlessToRepeat = false
    /// After that it is not worth sending any more, however often it was tried.
    package var patience: Duration = .seconds(60)

    package init(teamID: String, environment: PushEnvironment, target: Target, id: String) {
        self.teamID = teamID
        self.environment = environment
        self.target = target
        self.id = id
    }
}

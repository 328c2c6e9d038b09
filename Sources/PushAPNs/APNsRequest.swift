internal import HeliographHTTP2
package import RelayProtocol

/// One request to APNs. Nothing of it is checked here but that it can be sent; the planner knows the rules.
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
    /// Whether a push to this token was accepted there before. If not, a BadDeviceToken makes us try the other one, once.
    package var isEnvironmentProven = false
    package var target: Target
    /// `apns-id`, a lower-case UUID: the same for every attempt.
    package var id: String
    /// With its suffix, such as `.push-type.liveactivity`.
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
    /// When the app last told us its token; milliseconds since 1970. A 410 about the time before does not mean this one.
    package var tokenRegisteredAt: Int64 = 0
    /// Whether the person notices nothing if this arrives twice: an update or end of a Live Activity with its timestamp, an
    /// alert with a collapse id. Only such a one is sent again when nobody knows what became of it.
    package var isHarmlessToRepeat = false
    /// After that it is not worth sending any more, however often it was tried.
    package var patience: Duration = .seconds(60)

    package init(teamID: String, environment: PushEnvironment, target: Target, id: String) {
        self.teamID = teamID
        self.environment = environment
        self.target = target
        self.id = id
    }

    package var service: APNsService {
        switch target {
        case .device: .devices
        case .broadcast: .broadcasts
        case .createChannel, .readChannel, .deleteChannel, .listChannels: .channels
        }
    }

    /// The token of a push to a device.
    var deviceToken: String? { if case .device(let token) = target { token } else { nil } }

    private var methodAndPath: (String, String) {
        switch target {
        case .device(let token): ("POST", "/3/device/\(token)")
        case .broadcast(let bundleID, _): ("POST", "/4/broadcasts/apps/\(bundleID)")
        case .createChannel(let bundleID): ("POST", "/1/apps/\(bundleID)/channels")
        case .readChannel(let bundleID, _): ("GET", "/1/apps/\(bundleID)/channels")
        case .deleteChannel(let bundleID, _): ("DELETE", "/1/apps/\(bundleID)/channels")
        case .listChannels(let bundleID): ("GET", "/1/apps/\(bundleID)/all-channels")
        }
    }

    private var channelID: String? {
        switch target {
        case .broadcast(_, let id), .readChannel(_, let id), .deleteChannel(_, let id): id
        case .device, .createChannel, .listChannels: nil
        }
    }

    /// The request as HTTP. What differs from push to push is kept out of the compressor's table, so that the provider token stays
    /// in it.
    func message(authority: String, authorization: String) -> HTTP2Message {
        let (method, path) = methodAndPath
        var headers = [
            HTTP2Header(":method", method), HTTP2Header(":scheme", "https"), HTTP2Header(":authority", authority),
            HTTP2Header(":path", path, isVolatile: true), HTTP2Header("authorization", authorization),
        ]
        headers.append(HTTP2Header(service == .channels ? "apns-request-id" : "apns-id", id, isVolatile: true))
        if let topic { headers.append(HTTP2Header("apns-topic", topic)) }
        if let pushType { headers.append(HTTP2Header("apns-push-type", pushType)) }
        if let priority { headers.append(HTTP2Header("apns-priority", String(priority))) }
        if let expiration { headers.append(HTTP2Header("apns-expiration", String(expiration), isVolatile: expiration != 0)) }
        if let collapseID { headers.append(HTTP2Header("apns-collapse-id", collapseID, isVolatile: true)) }
        if let channelID { headers.append(HTTP2Header("apns-channel-id", channelID)) }
        return HTTP2Message(headers: headers, body: payload)
    }
}

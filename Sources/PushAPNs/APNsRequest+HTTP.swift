package import ChannelAPNs
internal import HeliographHTTP2

extension APNsRequest {
    package var service: APNsService {
        switch target {
        case .device: .devices
        case .broadcast: .broadcasts
        case .createChannel, .deleteChannel: .channels
        }
    }

    /// The token of a push to a device.
    var deviceToken: String? { if case .device(let token) = target { token } else { nil } }

    private var methodAndPath: (String, String) {
        switch target {
        case .device(let token): ("POST", "/3/device/\(token)")
        case .broadcast(let bundleID, _): ("POST", "/4/broadcasts/apps/\(bundleID)")
        case .createChannel(let bundleID): ("POST", "/1/apps/\(bundleID)/channels")
        case .deleteChannel(let bundleID, _): ("DELETE", "/1/apps/\(bundleID)/channels")
        }
    }

    private var channelID: String? {
        switch target {
        case .broadcast(_, let id), .deleteChannel(_, let id): id
        case .device, .createChannel: nil
        }
    }

    /// Number of headers that `message` has at most.
    private static let headersMax = 12

    /// The request as HTTP. Headers that differ from push to push are kept out of the compressor's table, so that the provider
    /// token stays in it.
    func message(authority: String, authorization: String) -> HTTP2Message {
        let (method, path) = methodAndPath
        var headers: [HTTP2Header] = []
        headers.reserveCapacity(Self.headersMax)
        headers.append(HTTP2Header(":method", method))
        headers.append(HTTP2Header(":scheme", "https"))
        headers.append(HTTP2Header(":authority", authority))
        headers.append(HTTP2Header(":path", path, isVolatile: true))
        headers.append(HTTP2Header("authorization", authorization))
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

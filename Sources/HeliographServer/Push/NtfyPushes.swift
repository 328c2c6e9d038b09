import ChannelWeb
import PushPlanner
import PushWeb
import RelayProtocol

/// Pushes to topics of ntfy servers. Needs no configuration. Confined to the loop's thread.
final class NtfyPushes: PushCarrier {
    let service = PushService.ntfy
    private let services: WebPushServices
    /// URL for the buttons' requests, without a slash at its end.
    private let pageURL: String
    private(set) var sender: (any WebPushSender)?

    /// Limit of servers: people name them, so there are more of them than browser makers, and no server's queue may block the
    /// others'.
    private static let serversMax = 1_000

    init(_ configuration: ServerConfiguration) {
        services = configuration.ntfyServices
        pageURL = configuration.pageURL
    }

    func send(
        _ intent: PushIntent, _ codes: PushCodes, at now: Int64, then completion: @escaping @Sendable (PushOutcome) -> Void
    ) throws(PushObstacleError) {
        let sender = try openSender()
        var request = try intent.ntfyRequest(with: codes, of: services, from: pageURL, at: now)
        request.id = PushIntent.requestID(intent.id, in: codes.epoch)
        sender.submit(request) { completion(PushOutcome($0)) }
    }

    private func openSender() throws(PushObstacleError) -> any WebPushSender {
        if let sender { return sender }
        var configuration = WebPushConfiguration(of: services)
        configuration.limits.originsMax = Self.serversMax
        do {
            let made = try WebPushClient(configuration)
            sender = made
            return made
        } catch { throw PushObstacleError(sentence: "topics cannot be published to: \(error)") }
    }

    /// Reason why this relay does not publish to a topic, with the path in the command `device`; nil if it does.
    static func fault(in topic: NtfyTopic, _ services: WebPushServices) -> WireError? {
        do throws(WebPushError) {
            _ = try WebPushEndpoint(topic, of: services)
            return nil
        } catch { return WireError(.badValue, at: "$.device.ntfy.server", error.message) }
    }
}

extension ServerConfiguration {
    /// The servers that topics may be on.
    var ntfyServices: WebPushServices { WebPushServices(added: ntfyServers, takesAnyPublic: true) }
}

extension WebPushEndpoint {
    init(_ topic: NtfyTopic, of services: WebPushServices) throws(WebPushError) {
        // Servers limit each token's rate, else each topic's, so each has a queue of its own.
        try self.init(server: topic.server, queue: "\(topic.topic) \(topic.token ?? "")", of: services)
    }
}

extension PushIntent {
    /// The request to an ntfy server. `now`: milliseconds since 1970.
    func ntfyRequest(
        with codes: PushCodes, of services: WebPushServices, from pageURL: String, at now: Int64
    ) throws(PushObstacleError) -> WebPushRequest {
        guard worthUntil > now else { throw PushObstacleError(sentence: "it was not worth sending any more") }
        guard case .device(let place) = target, let topic = NtfyTopic(place: place) else {
            throw PushObstacleError(sentence: "it is for no topic")
        }
        let payload = try wholePayload(with: codes)
        let body: [UInt8]
        do throws(WireError) {
            body = try NtfyPayload.message(
                payload, to: topic.topic, sequence: replaces.map { WebPushTopic([$0]).text }, at: pageURL)
        } catch { throw PushObstacleError(sentence: "its payload is not a topic's: \(error.message)") }
        do throws(WebPushError) {
            let message = try WebPushMessage(
                json: body, topic: replaces.map { WebPushTopic([$0]) }, secondsToLive: Int((worthUntil - now) / 1_000),
                urgency: urgency == .atOnce ? .high : .low)
            var request = WebPushRequest(
                to: try WebPushEndpoint(topic, of: services), authorization: topic.token.map { "Bearer \($0)" }, message)
            request.patience = .milliseconds(min(worthUntil - now, Self.patienceMax))
            return request
        } catch { throw PushObstacleError(sentence: error.message) }
    }
}

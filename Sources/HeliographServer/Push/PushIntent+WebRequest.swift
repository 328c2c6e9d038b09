import PushPlanner
import PushWeb
import RelayProtocol

extension PushIntent {
    /// The request to a browser's push service. `now`: milliseconds since 1970.
    func webRequest(
        with codes: PushCodes, of services: WebPushServices, at now: Int64
    ) throws(PushObstacleError) -> WebPushRequest {
        guard worthUntil > now else { throw PushObstacleError(sentence: "it was not worth sending any more") }
        guard case .device(let place) = target, let told = WebSubscription(place: place) else {
            throw PushObstacleError(sentence: "it is for no browser")
        }
        let payload = try wholePayload(with: codes)
        do throws(WebPushError) {
            let subscription = try WebPushSubscription(told, of: services)
            let message = try WebPushMessage(
                text: payload, topic: replaces.map { WebPushTopic([$0]) },
                secondsToLive: isKept ? Int((worthUntil - now) / 1_000) : 1, urgency: webUrgency)
            var request = WebPushRequest(to: subscription, message)
            request.patience = .milliseconds(min(worthUntil - now, Self.patienceMax))
            return request
        } catch { throw PushObstacleError(sentence: error.message) }
    }

    /// High if a person's answer is needed, normal if they may want to know, low if they need not look.
    private var webUrgency: WebPushMessage.Urgency {
        switch urgency {
        case .atOnce: code != nil || session == nil ? .high : .normal
        case .whenConvenient: .low
        }
    }
}

extension WebPushSubscription {
    init(_ told: WebSubscription, of services: WebPushServices) throws(WebPushError) {
        try self.init(endpoint: told.endpoint, p256dh: told.p256dh, auth: told.auth, of: services)
    }
}

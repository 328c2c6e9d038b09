import HeliographCrypto

@testable import PushWeb

/// Subscriptions as browsers hand them out, and the keys behind them.
enum Browser {
    // RFC 8291, appendix A.
    static let pem = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgq1dXpw3UpT5VOmu/
        cf/v6ih07Aems3njxI+JWgLcM96hRANCAAQlcbK+zf3jYFUarx7Q9M02bBHOvlVf
        iby3sYalMzkXMWjs4uvgGFl70wR5uG48j47O1XfKWRh+kkaZDbaCAIsO
        -----END PRIVATE KEY-----
        """
    static let p256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    static func subscription(
        _ endpoint: String = "https://web.push.apple.com/secret-of-the-phone", auth: String = auth,
        of services: WebPushServices = WebPushServices()
    ) throws -> WebPushSubscription {
        try WebPushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth, of: services)
    }
}

extension WebPushRequest {
    static func sample(
        to subscription: WebPushSubscription, about topic: String? = nil, secondsToLive: Int = 3_600,
        urgency: WebPushMessage.Urgency = .normal, patience: Duration = .seconds(60)
    ) throws -> WebPushRequest {
        let message = try WebPushMessage(
            text: Array(#"{"web_push":8030}"#.utf8), topic: topic.map { WebPushTopic([$0]) }, secondsToLive: secondsToLive,
            urgency: urgency)
        var request = WebPushRequest(to: subscription, message)
        request.patience = patience
        return request
    }
}

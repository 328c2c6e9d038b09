import PushWeb
import Synchronization

/// Notifications to many browsers: those of one are sent in order, so each gets its next when the one before is answered.
final class WebPushes: Pushes {
    /// Endpoints without a push in flight.
    private let free: Mutex<[Int]>
    private let client: WebPushClient
    private let subscriptions: [WebPushSubscription]
    private let message: WebPushMessage

    init(to place: Place, _ payload: [UInt8]) throws {
        let services = WebPushServices(added: [.init(place.host, port: place.port, address: "127.0.0.1", mayBePrivate: true)])
        var configuration = WebPushConfiguration(
            key: try VAPIDKeyFile.open(place.keyFile), contact: try VAPIDContact("mailto:bench@example.org"))
        configuration.services = services
        configuration.authorityFile = place.authorityFile
        client = try WebPushClient(configuration)
        subscriptions = try (0..<Run.window).map { number in
            // The keys are those of RFC 8291's example. The server looks for a file, and not at what follows its name.
            try WebPushSubscription(
                endpoint:
                    "https://\(place.host):\(place.port)/3/device/\(String(repeating: "ab", count: 32))?browser=\(number)",
                p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                auth: "BTBZMqHH6r4Tts7J_aSIgg", of: services)
        }
        free = Mutex(Array(subscriptions.indices))
        message = try WebPushMessage(text: payload, topic: nil, secondsToLive: 3_600, urgency: .high)
    }

    func send(then completion: @escaping @Sendable (String?) -> Void) {
        guard let browser = free.withLock({ $0.popLast() }) else { return completion("there are more pushes than browsers") }
        client.submit(WebPushRequest(to: subscriptions[browser], message)) { [self] outcome in
            free.withLock { $0.append(browser) }
            if case .accepted = outcome.result { completion(nil) } else { completion("\(outcome.result)") }
        }
    }
}

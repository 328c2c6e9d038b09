import PushWeb
import RelayProtocol

/// Accepts the subscriptions that `PushWeb` would call. The planner's channel checks this at each registration, so that a client
/// with another subscription is refused at once, over the WebSocket and over HTTP alike.
enum WebPushAdmission {
    static func fault(in subscription: WebSubscription, _ services: WebPushServices) -> WireError? {
        do throws(WebPushError) {
            _ = try WebPushSubscription(subscription, of: services)
            return nil
        } catch {
            let field = error.code == .invalidKeys ? "p256dh" : "endpoint"
            return WireError(.badValue, at: "$.device.web.\(field)", error.message)
        }
    }
}

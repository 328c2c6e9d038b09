import PushWeb
import RelayProtocol

/// Which subscriptions are taken: those that `PushWeb` would call. The planner's channel asks at each registration, so a client that sends
/// another hears of it at once, over the WebSocket and over HTTP alike.
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

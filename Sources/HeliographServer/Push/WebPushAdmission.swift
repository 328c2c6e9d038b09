import PushWeb
import RelayProtocol

/// Which subscriptions are taken: those that `PushWeb` would call. Asked by the planner's channel at each registration, so that whoever sends
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

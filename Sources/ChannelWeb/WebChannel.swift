package import PushPlanner
package import RelayProtocol

/// The push services of browsers as a channel of the planner: one app, which is the relay's own page, and alerts only.
///
/// Pure. The module that calls the addresses passes in a function that checks which of them may be called.
package struct WebChannel: AlertChannel {
    /// The page's URL, without a trailing slash: a declarative push is shown only if it leads to an absolute address.
    private let pageURL: String
    /// Why a subscription is refused, with its place below `$.device.web`; nil if it is accepted.
    private let fault: @Sendable (WebSubscription) -> WireError?

    package init(pageURL: String, fault: @escaping @Sendable (WebSubscription) -> WireError? = { _ in nil }) {
        (self.pageURL, self.fault) = (pageURL, fault)
    }

    package func app(named name: String) -> PushApp? {
        name == Device.profileOfBrowsers ? PushApp(name: name, id: name, textMax: .full, cards: nil) : nil
    }

    package func fault(in device: Device, of workspace: WorkspaceID) -> WireError? {
        guard case .web(let subscription?) = device.address else { return nil }
        return fault(subscription)
    }

    // MARK: - What goes out

    /// False for Apple, which shows each push as a further row, whatever its tag: a settlement would ring there again.
    package func takesBack(on device: Device) -> Bool {
        guard case .web(let subscription?) = device.address else { return false }
        return subscription.service != Self.apple && !subscription.service.hasSuffix("." + Self.apple)
    }

    private static let apple = "push.apple.com"

    package func fitting(_ content: AlertContent, on device: Device) -> AlertContent {
        WebPayload.fitting(content, on: device, pageURL: pageURL)
    }

    package func payload(of content: PushContent, on device: Device) -> [UInt8] {
        guard case .alert(let alert) = content else { preconditionFailure("browsers have no cards") }
        return WebPayload.bytes(alert, pageURL: pageURL)
    }

    package func sentence(on advice: PushAdvice, reason: String) -> String {
        switch advice {
        case .dropToken: "its subscription is gone (\(reason)): open the page there once"
        case .keepToken: "its push service does not know the subscription, which may pass (\(reason))"
        case .quarantineToken: "it subscribed with another key than ours (\(reason)): open the page there once"
        case .fixRequest, .markProfile, .dropChannel, .enableBroadcast:
            "its push service does not take what we send (\(reason))"
        case .fixCredentials:
            "its push service does not take our token (\(reason)): look at clock, contact and key with heliograph doctor"
        case .sendLater: "its push service takes no more for now (\(reason))"
        }
    }
}

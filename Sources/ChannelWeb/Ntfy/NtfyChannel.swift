package import PushPlanner
package import RelayProtocol

/// Topics of ntfy servers as a channel of the planner: alerts only.
///
/// Pure. The module that calls the servers passes in a function that checks which of them may be called.
package struct NtfyChannel: AlertChannel {
    /// The page's URL, without a trailing slash.
    private let pageURL: String
    /// Why a topic is refused, with its place below `$.device.ntfy`; nil if it is accepted.
    private let fault: @Sendable (NtfyTopic) -> WireError?

    package init(pageURL: String, fault: @escaping @Sendable (NtfyTopic) -> WireError? = { _ in nil }) {
        (self.pageURL, self.fault) = (pageURL, fault)
    }

    package func app(named name: String) -> PushApp? {
        name == Device.profileOfTopics ? PushApp(name: name, id: name, textMax: .full, cards: nil) : nil
    }

    package func fault(in device: Device, of workspace: WorkspaceID) -> WireError? {
        guard case .ntfy(let topic?) = device.address else { return nil }
        return fault(topic)
    }

    // MARK: - Payloads

    package func fitting(_ content: AlertContent, on device: Device) -> AlertContent {
        var content = content
        content.mayAllow = content.mayAllow && device.allowsOnLockScreen
        content.text = content.text.cut(to: NtfyPayload.textBytesMax)
        content.mayAllow = content.mayAllow && content.text.isWhole
        return content
    }

    package func payload(of content: PushContent, on device: Device) -> [UInt8] {
        guard case .alert(let alert) = content else { preconditionFailure("a topic has no cards") }
        return NtfyPayload.bytes(alert, device.pushLanguage, pageURL: pageURL)
    }

    package func sentence(on advice: PushAdvice, reason: String) -> String {
        switch advice {
        case .sendLater: "its server takes no more for now (\(reason))"
        case .fixCredentials: "its server does not let us publish there (\(reason)): add the topic again with a token that may"
        case .dropToken, .keepToken, .quarantineToken, .markProfile, .dropChannel, .enableBroadcast, .fixRequest:
            "its server does not take what we send (\(reason))"
        }
    }
}

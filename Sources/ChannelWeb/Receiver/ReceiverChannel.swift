package import PushPlanner
package import RelayProtocol

/// Programs and webhooks of the relay's operator as a channel of the planner: alerts only.
///
/// Pure. The module that runs and calls them passes in a function that checks their names.
package struct ReceiverChannel: AlertChannel {
    /// The page's URL, without a trailing slash.
    private let pageURL: String
    /// Why a receiver is refused in a workspace, with its place below `$.device.receiver`; nil if it is accepted.
    private let fault: @Sendable (Receiver, WorkspaceID) -> WireError?

    package init(pageURL: String, fault: @escaping @Sendable (Receiver, WorkspaceID) -> WireError? = { _, _ in nil }) {
        (self.pageURL, self.fault) = (pageURL, fault)
    }

    package func app(named name: String) -> PushApp? {
        name == Device.profileOfReceivers ? PushApp(name: name, id: name, textMax: .full, cards: nil) : nil
    }

    package func fault(in device: Device, of workspace: WorkspaceID) -> WireError? {
        guard case .receiver(let receiver?) = device.address else { return nil }
        return fault(receiver, workspace)
    }

    // MARK: - Payloads

    package func fitting(_ content: AlertContent, on device: Device) -> AlertContent {
        var content = content
        content.mayAllow = content.mayAllow && device.allowsOnLockScreen
        content.text = content.text.cut(to: Payload.alertTextBytesMax)
        content.mayAllow = content.mayAllow && content.text.isWhole
        return content
    }

    package func payload(of content: PushContent, on device: Device) -> [UInt8] {
        guard case .alert(let alert) = content else { preconditionFailure("a receiver has no cards") }
        return PushDocument.planned(alert, on: device, pageURL: pageURL)
    }

    package func sentence(on advice: PushAdvice, reason: String) -> String {
        switch advice {
        case .sendLater: "its receiver takes no more for now (\(reason))"
        case .dropToken: "its receiver says that it is gone (\(reason)): add it again once the relay's operator has mended it"
        case .fixCredentials, .keepToken, .quarantineToken, .markProfile, .dropChannel, .enableBroadcast, .fixRequest:
            "its receiver did not take what we sent (\(reason)): its operator sees why in heliograph push status"
        }
    }
}

import Consent
import RelayProtocol

/// An approval as a signing host has shown it to devices.
struct ShownApproval {
    let host: Int
    let text: ShownText
    let hash: ConsentHash

    /// Nil unless the event is a question of a signing host.
    init?(_ event: [UInt8], by host: Int) {
        guard let shown = ShownText.text(inEvent: event), let text = try? ShownText(parsing: shown) else { return nil }
        self.host = host
        self.text = text
        hash = text.hash(.simulated)
    }

    func wantsPasskey(for deed: Decision.Verdict.Deed) -> Bool { text.request.needsPasskey && deed != .deny }

    /// The statement that this device signs for this verdict.
    func statement(
        _ verdict: Decision.Verdict, at issuedAt: Int64, by device: KeyID, digest: InputDigest? = nil
    ) -> DecisionStatement {
        DecisionStatement(
            host: text.host, session: text.session, approval: text.request.approval, shown: hash,
            digest: digest ?? text.request.digest, verdict: verdict, issuedAt: issuedAt, device: device, .simulated)
    }
}

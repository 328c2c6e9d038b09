internal import Consent
internal import DeviceConsent
public import Foundation
public import LiveActivityKit
internal import RelayProtocol

/// Alerts of hosts that take only signed decisions, or that seal. Supplies a notification service with their words before they are
/// shown, and `DecisionDesk` with the signature for their *Allow*.
///
/// The text to sign is looked up at the relay when needed, and signed only if the alert showed exactly that: words that the relay
/// puts into an alert are never signed.
public struct SignedAlerts: DecisionSigning {
    private let lookup: ApprovalLookup
    private let trust: DeviceTrust

    /// Throws as `RelayClient`.
    public init(
        relay: URL, credentials: any RelayCredentials, trust: DeviceTrust, transport: any RelayTransport = URLSessionTransport()
    ) throws(LiveActivityError) {
        lookup = ApprovalLookup(
            address: try RelayClient.address(of: relay), credentials: credentials, transport: transport)
        self.trust = trust
    }

    // MARK: Buttons

    public func proof(of verdict: Verdict, approval: String, shown: ShownAlert?) async -> DecisionProof {
        // A denial without a message counts without a signature.
        if verdict == .deny() { return .notNeeded }
        guard let book = try? trust.book() else { return .needsApp }
        if book.hosts.isEmpty { return .notNeeded }
        let found = await lookup.find(approval)
        switch AlertAllowing(found, book) {
        case .unsigned: return .notNeeded
        case .inApp: return .needsApp
        case .signed(let text, _):
            // The app's language may have changed since the alert was shown.
            guard verdict == .allow, let shown,
                KitLanguage.all.contains(where: { AlertAllowing(found, book, $0) == .signed(text: text, shown) }),
                let signature = try? trust.signature(.allow, for: text)
            else {
                return .needsApp
            }
            return .signed(signature)
        }
    }

    // MARK: Words

    /// The words that a notification service shows in place of those that arrived.
    public enum Reading: Sendable, Hashable {
        case asItCame
        /// The host's words, from the text that is signed or opened.
        case words(ShownAlert)
        /// Only the app can show the request: `AlertCategory.review`.
        case review
    }

    /// `offersAllow` is true if the alert's category has that button. `came` are the words that arrived.
    public func reading(of payload: AlertPayload, offersAllow: Bool, came: ShownAlert) async -> Reading {
        guard let book = try? trust.book() else { return offersAllow ? .review : .asItCame }
        if offersAllow, !book.hosts.isEmpty, let approval = payload.approval {
            switch AlertAllowing(await lookup.find(approval), book) {
            case .unsigned: break
            case .inApp: return .review
            case .signed(_, let words): return .words(words)
            }
        }
        guard let opened = Self.opened(payload, trust) else { return .asItCame }
        return .words(ShownAlert(title: came.title, subtitle: came.subtitle, body: opened))
    }

    /// The words that the session's host has sealed, opened with the kept keys; nil if there are none, or they do not open.
    static func opened(_ payload: AlertPayload, _ trust: DeviceTrust) -> String? {
        guard let text = payload.line, let session = payload.session.flatMap({ SessionID($0) }),
            let sealed = try? Sealed(text: text, as: .numbered), let identity = try? trust.identity(),
            let book = try? trust.book(), let kept = try? trust.keptWraps()
        else { return nil }
        for pin in book.hosts {
            guard let wrap = kept.hosts[pin.id]?.first(where: { $0.epoch == sealed.epoch }),
                let key = try? WrapKey(of: identity, with: pin, trust.crypto)?.open(wrap.bytes, of: wrap.epoch)
            else { continue }
            let seal = SessionSeal(of: session, host: pin.id, key, epoch: wrap.epoch, trust.crypto)
            // A line that does not open is another host's.
            guard let bytes = try? seal.open(sealed, as: .line), let line = try? SessionLine(parsing: bytes) else { continue }
            let place = [line.project, line.title].compactMap(\.self).joined(separator: " · ")
            let news = payload.kind == DeviceRegistration.Kind.error.rawValue ? line.error : line.asks ?? line.operation
            let words = [place, news ?? ""].filter { !$0.isEmpty }.joined(separator: "\n")
            return words.isEmpty || !AlertAllowing.isPlain(words) ? nil : words
        }
        return nil
    }
}

internal import Consent
internal import DeviceConsent
internal import RelayProtocol

extension PendingApproval {
    /// Why an approval can be denied here, but not allowed or answered.
    public enum Obstacle: Sendable, Hashable {
        /// The request was cut, or is in a form that this version does not know.
        case cut
        /// Parts are hidden because they may be secret.
        case hidden
        /// This device has no key to open the request.
        case sealed
        /// The host takes only signed decisions, and the text from the relay cannot be signed. The sentence says why.
        case unreadable(String)
        /// The host takes only decisions signed by a device that it trusts, and it does not trust this one.
        case notTrusted(host: String)
        /// The owner requires confirmation by a passkey, which only the web page can request.
        case needsPasskey

        /// The obstacle as a sentence for the person.
        public var sentence: String {
            switch self {
            case .cut: "It is not whole here: allow it at the agent itself, or deny it."
            case .hidden: "Parts are hidden because they may be secret: allow it at the agent itself, or deny it."
            case .sealed: "It is sealed, and this device has no key for it. It can be denied."
            case .unreadable(let reason): "It can only be denied from here: \(reason)."
            case .notTrusted(let host):
                "\(host) does not trust this device yet. At that machine run “heliograph host trust”, and scan what it shows."
            case .needsPasskey: "\(Self.passkeyWords), on the page, or at the agent itself. It can be denied here."
            }
        }

        private static let passkeyWords = "Its host wants a passkey to confirm it"
    }
}

extension PendingApproval.Obstacle {
    /// The first obstacle found. `isWhole`: everything that a person has to see is there.
    init?(_ reading: ApprovalReading, isWhole: Bool, isTrusted: Bool, host: String) {
        switch reading.basis {
        case .open: break
        case .signed: if !isTrusted { self = .notTrusted(host: host); return }
        case .unreadable(let reason):
            self = reading.isSealed ? .sealed : .unreadable(reason)
            return
        }
        let request = reading.approval.request
        if !isWhole {
            self = request.isCut && request.isRedacted ? .hidden : .cut
        } else if request.needsPasskey {
            self = .needsPasskey
        } else {
            return nil
        }
    }
}

package import Consent
package import RelayProtocol

/// An approval as a person is shown it, and what a decision on it has to be signed for.
///
/// Of a signed host everything that is shown comes from the text that the host hashed, and nothing from what the relay says around it.
package struct ApprovalReading {
    package enum Basis {
        /// The host takes what the relay brings.
        case open
        case signed(ShownText)
        /// The host is a signed one, and what came is nothing that could be signed: it can be denied, never allowed.
        case unreadable(String)
    }

    /// With the request as it is to be shown.
    package let approval: Approval
    package let basis: Basis
    /// Its host sealed it, and nothing here has opened it.
    package let isSealed: Bool

    /// `summary` is of its session.
    package init(_ approval: Approval, _ summary: Summary?) {
        guard let text = ShownText.text(inEvent: approval.requestBytes) else {
            self.approval = approval
            isSealed = (try? Event(stored: approval.requestBytes))?.isSealed == true
            basis =
                isSealed
                ? .unreadable("it is sealed for the devices that its host trusts")
                : summary?.steering?.consent == nil
                    ? .open : .unreadable("the relay does not bring what its host showed")
            return
        }
        isSealed = false
        guard let shown = try? ShownText(parsing: text), shown.session == approval.session,
            shown.request.approval == approval.id,
            shown.request.digest == approval.request.digest
        else {
            self.approval = approval
            basis = .unreadable("what the relay brings of it does not fit together")
            return
        }
        var read = Approval(
            session: approval.session, request: shown.request, requestBytes: shown.event.bytes,
            requestedAt: approval.requestedAt, seq: approval.seq)
        read.expiresAt = approval.expiresAt
        read.stage = approval.stage
        self.approval = read
        basis = .signed(shown)
    }
}

extension Summary {
    /// The key of its host, if that takes only what is signed.
    package var consentKey: KeyID? { steering?.consent.flatMap { KeyID(text: $0.rawValue) } }
}

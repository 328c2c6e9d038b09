package import Consent
package import RelayProtocol

/// An approval as it is shown to a person, and the basis for signing a decision on it.
///
/// For a signed host everything that is shown comes from the text that the host hashed, and nothing from what the relay says around
/// it.
package struct ApprovalReading {
    package enum Basis {
        /// The host accepts unsigned decisions.
        case open
        case signed(ShownText)
        /// The host takes signed decisions only, and the text cannot be signed: the approval can be denied, never allowed.
        case unreadable(String)
    }

    /// The approval, with the request as it is to be shown.
    package let approval: Approval
    package let basis: Basis
    /// True if the host sealed it and it could not be opened.
    package let isSealed: Bool

    /// `summary` is that of its session.
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
    /// The key of its host, if that takes signed messages only.
    package var consentKey: KeyID? { steering?.consent.flatMap { KeyID(text: $0.rawValue) } }
}

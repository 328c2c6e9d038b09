internal import Consent
internal import ConsentKeys
internal import HostRules
internal import RelayProtocol

/// Opens this host's own requests as the relay keeps them. One that cannot be opened stays sealed, and no rule matches it.
struct PastOpening: Sendable {
    private let host: KeyID
    private let epochs: EpochBook

    /// Nil if the host has never sealed anything.
    init?(_ files: ConsentFiles) throws(HostError) {
        guard files.hasEpochs, let identity = try files.identity() else { return nil }
        (host, epochs) = (identity.id, try files.openEpochs())
    }

    func opened(_ kept: KeptRequest) -> KeptRequest {
        let approval = kept.approval
        guard let body = try? JSONDocument(parsing: approval.requestBytes).root.optional("body"),
            let text = try? body.optionalString("sealed"), let sealed = try? Sealed(text: text, as: .numbered),
            let key = epochs.key(of: sealed.epoch)
        else { return kept }
        let seal = SessionSeal(of: approval.session, host: host, key, epoch: sealed.epoch, .openSSL)
        guard let bytes = try? seal.open(sealed, as: .event(kind: EventKind.approvalRequested.rawValue)),
            case .approvalRequested(let request)? = try? Event(stored: bytes).head, request.approval == approval.id
        else { return kept }
        var opened = Approval(
            session: approval.session, request: request, requestBytes: bytes, requestedAt: approval.requestedAt,
            seq: approval.seq)
        (opened.stage, opened.expiresAt) = (approval.stage, approval.expiresAt)
        return KeptRequest(folder: folder(of: approval, seal) ?? kept.folder, approval: opened)
    }

    /// The session's folder when the approval was requested.
    private func folder(of approval: Approval, _ seal: SessionSeal) -> String? {
        guard let text = (try? Event(stored: approval.requestBytes))?.line, let sealed = try? Sealed(text: text, as: .numbered),
            let line = try? SessionLine(parsing: seal.open(sealed, as: .line))
        else { return nil }
        return RuleCall.folder(line.folder, shown: line.workingDirectory)
    }
}

internal import Consent
internal import DeviceConsent
internal import Foundation
internal import HeliographLink
public import LiveActivityKit
internal import RelayProtocol

/// A person's decisions and words, signed for exactly what was shown, and sealed for hosts that seal.
extension RelayClient {
    /// Decides for exactly the input that was shown. Throws `refused` if `PendingApproval.obstacle` or the host's trust forbids it,
    /// `keychain` if this device cannot sign now, `unreachable` if no reply came: `states` then shows the outcome sooner or later.
    public func decide(_ approval: PendingApproval, _ verdict: Verdict) async throws(LiveActivityError) -> DecisionReply {
        try check(approval, verdict)
        guard let session = SessionID(approval.session), let id = ApprovalID(approval.id),
            let digest = InputDigest(approval.digest)
        else { throw LiveActivityError(.refused, "this is no approval of a relay") }
        let reply = try await answered { _ throws(LiveActivityError) in
            let sealed = try seal { opener throws(SealingError) in
                try opener.sealed(Decision.Verdict(verdict), on: id, of: session)
            }
            let command = DecideCommand(
                session: session, approval: id, digest: digest, verdict: sealed ?? Decision.Verdict(verdict),
                signature: try signature(approval, sealed ?? Decision.Verdict(verdict), isFree: verdict == .deny()))
            return .decide(command)
        }
        switch reply {
        case .decided(let stage): return .stands(stage: stage.rawValue)
        case .failed(let notice, let winner):
            return .refused(
                code: notice.code, message: VisibleText.line(notice.message), winner: winner.map(DecisionReply.Winner.init))
        default: throw LiveActivityError(.badAnswer, "the relay did not say what became of the decision")
        }
    }

    private func check(_ approval: PendingApproval, _ verdict: Verdict) throws(LiveActivityError) {
        let isMeant: Bool
        switch verdict {
        case .allow: isMeant = approval.canAllow
        case .answer: isMeant = approval.canAnswer
        case .deny(nil): isMeant = true
        case .deny:
            // The host takes a message only from a device that it trusts.
            isMeant =
                switch approval.obstacle {
                case .notTrusted, .sealed, .unreadable: false
                case .cut, .hidden, .needsPasskey, nil: true
                }
        }
        guard !isMeant else { return }
        throw LiveActivityError(
            .refused,
            approval.obstacle?.sentence
                ?? (approval.isQuestion ? "This is a question: answer it." : "This is no question: allow or deny it."))
    }

    /// Sends a prompt, which the host gives to the agent in its turn. Throws the errors of `decide`. Returns once the prompt is on
    /// its way to the host; the session's events show its outcome.
    public func prompt(_ text: String, to session: String) async throws(LiveActivityError) {
        guard let id = SessionID(session), let summary = link.view.sessions[id], summary.endedAt == nil,
            summary.steering?.actions.contains(.prompt) == true
        else { throw LiveActivityError(.refused, "This session takes no prompts.") }
        guard summary.hostIsConnected else {
            throw LiveActivityError(.refused, "Its host is away, and nothing is kept for it: send it again when it is back.")
        }
        guard !text.isEmpty, text.utf8.count <= WireLimits.textBytesMax else {
            throw LiveActivityError(.refused, "A prompt has 1 to \(WireLimits.textBytesMax) bytes.")
        }
        let action = SteeringAction.prompt(.init(text: text, whenBusy: .queue, isCommand: false))
        let reply = try await answered { command throws(LiveActivityError) in
            let sent = try seal { opener throws(SealingError) in try opener.sealed(action, as: command, to: id) } ?? action
            guard let host = summary.consentKey else { return .steer(id, sent) }
            return .steer(id, sent, signature: try signature(sent, of: id, command, for: host, named: summary.host.name))
        }
        switch reply {
        case .forwarded: return
        case .failed(let notice, _): throw LiveActivityError(.refused, VisibleText.line(notice.message))
        default: throw LiveActivityError(.badAnswer, "the relay did not say what became of the prompt")
        }
    }

    // MARK: Signing

    /// Nil if no content is sealed.
    private func seal<Sealed>(
        _ body: (inout ContentOpener) throws(SealingError) -> Sealed
    ) throws(LiveActivityError) -> Sealed? {
        guard var opener else { return nil }
        do throws(SealingError) {
            let sealed = try body(&opener)
            self.opener = opener
            return sealed
        } catch { throw LiveActivityError(.refused, error.message) }
    }

    /// Nil if the host needs no signature. `isFree`: the verdict counts without one, too.
    private func signature(
        _ approval: PendingApproval, _ verdict: Decision.Verdict, isFree: Bool
    ) throws(LiveActivityError) -> String? {
        guard let text = approval.signable else { return nil }
        do throws(LiveActivityError) {
            guard let trust else { throw Self.notTrusted(nil) }
            return try trust.signature(verdict, for: text)
        } catch {
            if isFree { return nil }
            throw error
        }
    }

    private func signature(
        _ action: SteeringAction, of session: SessionID, _ command: CommandID, for host: KeyID, named name: String
    ) throws(LiveActivityError) -> String {
        guard let trust, let identity = try trust.identity(), try trust.book()[host] != nil else { throw Self.notTrusted(name) }
        let statement = action.statement(
            host: host, session: session, command: command, count: try trust.nextCount(), device: identity.id, trust.crypto)
        return try identity.signed(statement).text
    }

    private static func notTrusted(_ host: String?) -> LiveActivityError {
        LiveActivityError(
            .refused, PendingApproval.Obstacle.notTrusted(host: VisibleText.line(host ?? "Its host")).sentence)
    }
}

extension DeviceTrust {
    /// Signs a verdict on exactly this text, which must be of a host that trusts this device.
    func signature(_ verdict: Decision.Verdict, for text: String) throws(LiveActivityError) -> String {
        guard let shown = try? ShownText(parsing: text), let identity = try identity(), try book()[shown.host] != nil else {
            throw LiveActivityError(.refused, PendingApproval.Obstacle.notTrusted(host: "Its host").sentence)
        }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        return try identity.signed(shown.statement(verdict, by: identity.id, at: now, crypto)).text
    }
}

extension ConsentIdentity {
    /// Throws `keychain` if the key cannot be used now: the phone is locked, or its owner has not agreed.
    func signed(_ statement: some Statement) throws(LiveActivityError) -> SignatureText {
        guard let text = SignatureText(device: id, number: statement.number, signature: signature(statement.bytes)) else {
            throw LiveActivityError(.keychain, "This device cannot sign now: unlock it, and try again.")
        }
        return text
    }
}

internal import Consent
internal import RelayProtocol

/// Signed decisions and commands, and content for trusted devices alone.
extension HostMachine {
    mutating func decide(
        _ session: SessionID, _ approval: ApprovalID, _ digest: InputDigest, _ decision: Decision, _ agent: Int
    ) {
        switch outcome(session, approval, digest, decision) {
        case .take(let digest, let decision, _):
            if let reason = refusal(ofEdit: decision, on: approval, in: session, agent) {
                return refuse(decision, on: approval, in: session, agent, reason: reason)
            }
            orders.append(.log(.decided(session, approval, decision.command)))
            tell(agent, .decided(session, approval, digest, decision))
        case .refuse(let refusal): refuse(decision, on: approval, in: session, agent, reason: refusal.rawValue)
        }
    }

    private mutating func refuse(
        _ decision: Decision, on approval: ApprovalID, in session: SessionID, _ agent: Int, reason: String
    ) {
        orders.append(.log(.consent(.decisionRefused(session, approval, decision.command, reason: reason))))
        tell(agent, .refused(session, approval, reason: reason))
    }

    private func outcome(
        _ session: SessionID, _ approval: ApprovalID, _ digest: InputDigest, _ decision: Decision
    ) -> ConsentGate.DecisionOutcome {
        // An open host, or one without keys, knows no passkeys.
        if consent?.isSigned != true, decision.verdict.deed != .deny, rules?.needsPasskey(approval) == true {
            return .refuse(.passkeyMissing)
        }
        return consent?.decided(session, approval, digest, decision) ?? .take(digest, decision, by: nil)
    }

    mutating func steer(_ request: SteeringRequest) {
        guard var gate = consent else { return carryOut(steering.asked(request, at: now)) }
        let offer = offers[request.session]
        var refusal: String?
        let orders = steering.asked(request, at: now) { request in
            let admission = gate.admit(request, offered: offer)
            if case .refuse(let reason) = admission { refusal = reason }
            return admission
        }
        consent = gate
        if let refusal { self.orders.append(.log(.consent(.steeringRefused(request.session, request.name, reason: refusal)))) }
        carryOut(orders)
    }

    mutating func carryOut(_ consentOrders: [HostConsent.Order]) {
        for order in consentOrders {
            switch order {
            case .respond(let token, let answer): orders.append(.respond(token, answer))
            case .send(let message): if link.isLive { orders.append(.send(message.bytes)) }
            case .log(let entry): orders.append(.log(.consent(entry)))
            case .becameSigned:
                tellOffers()
                tellLauncher(.becameSigned)
                recheckQueue()
            case .keysChanged: tellOffers()
            case .distrusted(let device):
                recheckQueue()
                tellAll(.distrusted(device))
            }
        }
        // The expiry of a secret may have changed, so the deadlines are looked at again.
        wereAgentsTold = wereAgentsTold || !consentOrders.isEmpty
        if let agent = agents.indices.first { _ = remember([:], of: agent) }
    }

    private mutating func recheckQueue() {
        let consent = consent
        carryOut(steering.recheck { consent?.refusal(ofAdmitted: $0)?.sentence })
    }

    private mutating func tellOffers() {
        // The host's own session has the keys that the others' offers need.
        let order = { (session: SessionID) in (session.isOfHost ? 0 : 1, session.rawValue) }
        for (session, offer) in offers.sorted(by: { order($0.key) < order($1.key) }) { tellOffer(offer, of: session) }
    }

    mutating func show(_ delta: Delta) {
        guard link.isLive, let shown = consent == nil ? delta : consent?.shown(delta) else { return }
        orders.append(.stream(HostMessage.deltas(shown).bytes))
    }

    mutating func show(_ output: ToolOutput) {
        guard link.isLive, link.takesOutput, let shown = consent == nil ? output : consent?.shown(output) else { return }
        orders.append(.stream(HostMessage.output(shown).bytes))
    }
}

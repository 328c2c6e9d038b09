import Consent
import ConsentKeys
import RelayProtocol
import Testing

/// A signed host with one approval that was shown, and devices that sign.
final class GateWorld {
    let host = ConsentIdentity.new()
    let device = ConsentIdentity.new()
    var pins: PinBook
    var gate: ConsentGate
    let session = SessionID.named("s1")
    let approval = ApprovalID.named("a1")
    let inner = InputDigest(String(repeating: "a", count: 64))!

    init(may: Set<PinRight> = Set(PinRight.allCases)) {
        pins = .trusting(device, may: may)
        gate = ConsentGate(host: host.id, crypto)
    }

    /// An approval request as an adapter emits it.
    func event(
        _ approval: ApprovalID? = nil, isCut: Bool = false, command: String = "npm test"
    ) -> Event {
        var request = ApprovalRequest(
            approval: approval ?? self.approval, kind: .tool, tool: "Bash", title: "npm test", digest: inner)
        request.isCut = isCut
        return Event(.approvalRequested(request), at: 5) { writer in
            writer.object("input") { $0.field("command", command) }
        }
    }

    /// The event as it leaves the gate.
    func wrap(_ event: Event, in session: SessionID? = nil) throws -> ConsentGate.ShownRequest {
        let wrapped = gate.requested(event, in: session ?? self.session, salt: .random())
        return try #require(wrapped)
    }

    /// The shown text as the client gets it.
    func show(_ event: Event? = nil, in session: SessionID? = nil) throws -> ShownText {
        let sent = try wrap(event ?? self.event(), in: session)
        return try ShownText(parsing: #require(ShownText.text(inEvent: sent.event.bytes)))
    }

    /// A decision signed for exactly what `shown` says.
    func decision(
        _ verdict: Decision.Verdict, _ shown: ShownText, by device: ConsentIdentity? = nil
    ) -> Decision {
        let device = device ?? self.device
        let statement = DecisionStatement(
            host: shown.host, session: shown.session, approval: shown.request.approval, shown: shown.hash(crypto),
            digest: shown.request.digest, verdict: verdict, issuedAt: 77, device: device.id, crypto)
        return unsigned(verdict, signature: statement.signed(by: device).text)
    }

    func unsigned(_ verdict: Decision.Verdict, signature: String? = nil) -> Decision {
        Decision(
            verdict, client: .named("c1"), clientName: "the relay's word", at: 9, command: .named("d1"), signature: signature)
    }

    func take(_ decision: Decision, _ shown: ShownText) -> ConsentGate.DecisionOutcome {
        gate.decided(decision, on: approval, in: session, digest: shown.request.digest, pins: pins)
    }

    func request(
        _ action: SteeringAction, count: Int64, by device: ConsentIdentity? = nil, command: CommandID = .named("c9")
    ) -> SteeringRequest {
        let device = device ?? self.device
        let statement = action.statement(
            host: host.id, session: session, command: command, count: count, device: device.id, crypto)
        let signature = SignatureText(device: device.id, number: count, signature: device.signature(statement.bytes))!
        return SteeringRequest(
            command: command, session: session, by: Named(id: .named("c1"), name: "the relay's word"), action: action,
            signature: signature.text)
    }

    func steer(_ request: SteeringRequest) -> ConsentGate.SteeringOutcome { gate.steered(request, pins: &pins) }
}

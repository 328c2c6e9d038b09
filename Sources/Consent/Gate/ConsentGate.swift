package import RelayProtocol

/// Stands between a signed host and the relay: what goes out is turned into one text that can be signed, and what comes in is taken
/// only if a trusted device signed it, for exactly that text.
///
/// The order of the checks: pinned, may do it; this host, session and approval; the digest; a cut text cannot be allowed; the
/// signature, over bytes that are made here; the passkey, if the owner wants one. The approval desk applies a decision once; the
/// count keeps a command from being applied twice. An open host has no gate.
package struct ConsentGate: Sendable {
    /// Number of approvals that can be decided with a signature: more than all adapters' desks hold. Of more, the oldest can only
    /// be denied.
    package static let pendingMax = 1_024
    /// Name shown for a denial without a good signature. The name that the relay gives would reach the agent's model.
    package static let unsignedName = "an unknown device"

    private let host: KeyID
    private let crypto: ConsentCrypto
    private var pending: [ApprovalID: PendingConsent] = [:]
    private var order: [ApprovalID] = []

    package init(host: KeyID, _ crypto: ConsentCrypto) {
        self.host = host
        self.crypto = crypto
    }

    // MARK: Outward

    package struct ShownRequest: Sendable {
        /// The event for the relay: its head has the salted digest, its body `shown` alone.
        package let event: Event
        /// Bytes to keep until `forget(_:)`, for `restore(_:)`.
        package let note: [UInt8]
    }

    /// Nil, and nothing changes, unless the event is `approval.requested`. `salt` is random and used once.
    ///
    /// An event that is too long for an open host, or to be sealed, is sent without its content, as one that can only be denied.
    /// `sealedWithin`: if the host seals the event, its largest size in bytes.
    package mutating func requested(
        _ event: Event, in session: SessionID, salt: Salt, sealedWithin bytesMax: Int? = nil
    ) -> ShownRequest? {
        guard case .approvalRequested(var request) = event.head else { return nil }
        let body = try? JSONDocument(parsing: event.bytes).root.optional("body")?.members()
        var (sent, text) = wrapped(request, at: event.at, body: body ?? [], in: session, salt)
        if event.bytes.count > WireLimits.eventBytesMax || sent.bytes.count > bytesMax ?? .max {
            request.isCut = true
            (sent, text) = wrapped(request, at: event.at, body: [], in: session, salt)
        }
        guard case .approvalRequested(let shown) = sent.head else { preconditionFailure("a request is wrapped as one") }
        let consent = PendingConsent(
            session: session, inner: request.digest, outer: shown.digest, shown: ShownText.hash(of: text, crypto),
            isCut: shown.isCut, needsPasskey: shown.needsPasskey,
            questions: bytesMax == nil ? [] : request.questions)
        add(consent, for: request.approval)
        return ShownRequest(event: sent, note: consent.note)
    }

    private func wrapped(
        _ request: ApprovalRequest, at time: Int64, body: [(key: String, value: JSONValue)], in session: SessionID,
        _ salt: Salt
    ) -> (Event, String) {
        var request = request
        request.digest = ShownText.saltedDigest(of: request.digest, tool: request.tool, salt: salt, crypto)
        let head = EventHead.approvalRequested(request)
        let inner = Event(head, at: time) { for member in body { $0.raw(dynamic: member.key, member.value.bytes) } }
        let text = String(
            decoding: JSONWriter.object {
                $0.field("salt", salt.text)
                $0.field("host", host.text)
                $0.field("session", session)
                $0.raw("event", inner.bytes)
            }, as: UTF8.self)
        return (Event(head, at: time) { $0.field("shown", text) }, text)
    }

    // MARK: Inward

    package enum DecisionOutcome: Sendable, Equatable {
        /// The digest that the approval desk knows, and the decision as far as the signature covers it. `by` is nil for a deny
        /// without a good signature; its message and offer are removed.
        case take(InputDigest, Decision, by: KeyID?)
        case refuse(ConsentRefusal)
    }

    package func decided(
        _ decision: Decision, on approval: ApprovalID, in session: SessionID, digest: InputDigest, pins: PinBook
    ) -> DecisionOutcome {
        let consent = pending[approval].flatMap { $0.session == session ? $0 : nil }
        do throws(Refused) {
            let (pin, signature) = try signer(decision.signature, pins, rights: decision.verdict.rights)
            guard let consent, consent.outer == digest else { throw Refused(.notShown) }
            if consent.isCut, decision.verdict.deed != .deny { throw Refused(.notWhole) }
            let statement = DecisionStatement(
                host: host, session: session, approval: approval, shown: consent.shown, digest: consent.outer,
                verdict: decision.verdict, issuedAt: signature.number, device: pin.id, crypto)
            guard statement.isSigned(signature, by: pin.sign, crypto) else { throw Refused(.badSignature) }
            if consent.needsPasskey, decision.verdict.deed != .deny {
                guard let proof = signature.proof else { throw Refused(.passkeyMissing) }
                if let problem = proof.problem(of: statement.bytes, by: pin.passkeys, crypto) { throw Refused(problem) }
            }
            var taken = decision
            taken.verdict = decision.verdict.covered
            taken.clientName = pin.name
            return .take(consent.inner, taken, by: pin.id)
        } catch {
            guard decision.verdict.deed == .deny else { return .refuse(error.reason) }
            var taken = decision
            taken.verdict = .deny(message: nil)
            taken.clientName = Self.unsignedName
            // A request that the gate does not know is unknown to the desk too, or was asked before the host was signed.
            guard let consent else { return .take(digest, taken, by: nil) }
            return consent.outer == digest ? .take(consent.inner, taken, by: nil) : .refuse(.notShown)
        }
    }

    package enum SteeringOutcome: Sendable, Equatable {
        /// A command that needs no signature.
        case pass(SteeringRequest)
        /// `pins` has changed: the caller writes it to disk before it passes the command on.
        case take(SteeringRequest, by: KeyID)
        case refuse(ConsentRefusal)
    }

    package func steered(_ request: SteeringRequest, pins: inout PinBook) -> SteeringOutcome {
        guard request.action.needsSignature else { return .pass(request) }
        do throws(Refused) {
            let pin = try counted(request.signature, &pins, rights: request.action.rights) { device, count in
                request.action.statement(
                    host: host, session: request.session, command: request.command, count: count, device: device, crypto)
            }
            var taken = request
            taken.by.name = pin.name
            return .take(taken, by: pin.id)
        } catch { return .refuse(error.reason) }
    }

    package enum KeysOutcome: Sendable, Equatable {
        /// `pins` has changed: the caller writes it to disk before it passes the keys on.
        case take(ScreenCall)
        case refuse(ConsentRefusal)
    }

    package func typed(_ keys: [UInt8], seen: String, by call: ScreenCall, pins: inout PinBook) -> KeysOutcome {
        do throws(Refused) {
            let pin = try counted(call.signature, &pins, rights: KeysStatement.rights) { device, count in
                KeysStatement(
                    host: host, session: call.session, command: call.command, seen: seen, keys: keys, count: count,
                    device: device, crypto)
            }
            var taken = call
            taken.by.name = pin.name
            return .take(taken)
        } catch { return .refuse(error.reason) }
    }

    /// The device that signed the statement that `text` and `statement` give; its count must be higher than its last.
    private func counted(
        _ text: String?, _ pins: inout PinBook, rights: Set<PinRight>,
        _ statement: (_ device: KeyID, _ count: Int64) -> any Statement
    ) throws(Refused) -> Pin {
        let (pin, signature) = try signer(text, pins, rights: rights)
        let statement = statement(pin.id, signature.number)
        guard crypto.verify(signature.signature, statement.bytes, pin.sign.bytes) else { throw Refused(.badSignature) }
        guard pins.take(signature.number, of: pin.id) else { throw Refused(.oldCount) }
        return pin
    }

    /// Thrown within this file only; callers get the reason.
    private struct Refused: Error {
        let reason: ConsentRefusal
        init(_ reason: ConsentRefusal) { self.reason = reason }
    }

    private func signer(
        _ text: String?, _ pins: PinBook, rights: Set<PinRight>
    ) throws(Refused) -> (Pin, SignatureText) {
        guard let text else { throw Refused(.unsigned) }
        guard let signature = try? SignatureText(parsing: text) else { throw Refused(.badSignature) }
        guard let pin = pins[signature.device], rights.isSubset(of: pin.may) else { throw Refused(.notTrusted) }
        guard !pin.isSuspended else { throw Refused(.restored) }
        return (pin, signature)
    }

    // MARK: Kept

    /// The questions of a sealed approval as they were asked; empty for any other.
    package func questions(of approval: ApprovalID) -> [QuestionOffer] { pending[approval]?.questions ?? [] }

    /// Removes an approval that is over.
    package mutating func forget(_ approval: ApprovalID) {
        guard pending.removeValue(forKey: approval) != nil else { return }
        order.removeAll { $0 == approval }
    }

    /// Restores approvals after a restart. Unreadable notes are skipped: those approvals can only be denied.
    package mutating func restore(_ notes: [ApprovalID: [UInt8]]) {
        for (approval, note) in notes.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            if let consent = PendingConsent(note: note) { add(consent, for: approval) }
        }
    }

    private mutating func add(_ consent: PendingConsent, for approval: ApprovalID) {
        forget(approval)
        pending[approval] = consent
        order.append(approval)
        if order.count > Self.pendingMax { pending[order.removeFirst()] = nil }
    }
}

extension Decision.Verdict {
    /// Rights that a device needs for its signature to count. A denial's message reaches the model, so it needs the same right as
    /// an allow. An edit makes the agent do what it did not ask for, as a prompt does.
    fileprivate var rights: Set<PinRight> {
        switch self {
        case .answer: [.answer]
        case .allowEdited: [.allow, .prompt]
        case .allow, .allowIn, .allowWith, .deny, .denyWith: [.allow]
        }
    }
}

package import RelayProtocol

/// A person's answer to one approval, as a device signs it.
///
/// ```
/// domain("decision") ‖ LP(host) ‖ LP(session) ‖ LP(approval) ‖ LP(shown) ‖ LP(digest) ‖ LP("allow"|"deny"|"answer")
///   ‖ LP(detail) ‖ u64 issuedAt ‖ LP(device)
/// ```
/// `detail` is empty if nothing goes with the verdict, or SHA-256 of:
/// - allow with a mode, an offer or both: [LP("mode") ‖ LP(mode)] ‖ [LP("offer") ‖ LP(offer)], each only if there is one;
/// - allow with an edited input: LP("edit") ‖ LP(edit), as it is on the wire: sealed if the host seals;
/// - deny with a message: its UTF-8; an empty message is none;
/// - deny by an offer: 0xFF ‖ LP("offer") ‖ LP(offer) ‖ [LP("message") ‖ LP(message)]. No message begins with 0xFF, as UTF-8 has no such byte;
/// - answers: of each in turn LP(question) ‖ u32 n ‖ n × LP(choice) ‖ LP(text), an absent text as an empty one.
package struct DecisionStatement: Statement {
    package var host: KeyID
    package var session: SessionID
    package var approval: ApprovalID
    /// Hash of the text that was shown: `ShownRequest.hash(ofText:_:)`.
    package var shown: ConsentHash
    /// The salted digest, as the shown event's head has it.
    package var digest: InputDigest
    package var deed: Decision.Verdict.Deed
    /// Empty, or 32 bytes.
    package var detail: [UInt8]
    /// Milliseconds since 1970 by the device's clock; for the audit.
    package var issuedAt: Int64
    package var device: KeyID

    package init(
        host: KeyID, session: SessionID, approval: ApprovalID, shown: ConsentHash, digest: InputDigest,
        verdict: Decision.Verdict, issuedAt: Int64, device: KeyID, _ crypto: ConsentCrypto
    ) {
        self.host = host
        self.session = session
        self.approval = approval
        self.shown = shown
        self.digest = digest
        deed = verdict.deed
        let content = verdict.signedContent
        detail = content.isEmpty ? [] : crypto.sha256(content)
        self.issuedAt = issuedAt
        self.device = device
    }

    package var number: Int64 { issuedAt }

    package var bytes: [UInt8] {
        var writer = StatementWriter(domain: "decision")
        writer.part(host)
        writer.part(session.rawValue)
        writer.part(approval.rawValue)
        writer.part(shown)
        writer.part(digest.bytes)
        writer.part(deed.rawValue)
        writer.part(detail)
        writer.number(UInt64(issuedAt))
        writer.part(device)
        return writer.bytes
    }
}

extension Decision.Verdict {
    /// The verdict without the parts that no signature covers: the indexes of chosen labels, and the difference between an empty
    /// text and none.
    package var covered: Decision.Verdict {
        switch self {
        case .allow, .allowIn, .allowWith, .allowEdited: self
        case .deny(let message): .deny(message: message.nonEmpty)
        case .denyWith(let offer, let message): .denyWith(offer: offer, message: message.nonEmpty)
        case .answer(let answers):
            .answer(answers.map { Answer(question: $0.question, choices: $0.choices, text: $0.text.nonEmpty) })
        }
    }

    /// The bytes whose hash is `DecisionStatement.detail`.
    fileprivate var signedContent: [UInt8] {
        var writer = StatementWriter()
        func named(_ name: String, _ value: String?) {
            guard let value else { return }
            writer.part(name)
            writer.part(value)
        }
        switch covered {
        case .allow, .deny(nil): break
        case .allowIn(let mode): named("mode", mode)
        case .allowWith(let offer, let mode):
            named("mode", mode)
            named("offer", offer)
        case .allowEdited(let edit): named("edit", edit)
        case .deny(let message?): writer.raw(Array(message.utf8))
        case .denyWith(let offer, let message):
            writer.raw([0xFF])
            named("offer", offer)
            named("message", message)
        case .answer(let answers):
            for answer in answers {
                writer.part(answer.question)
                writer.number(UInt32(answer.choices.count))
                for choice in answer.choices { writer.part(choice) }
                writer.part(answer.text ?? "")
            }
        }
        return writer.bytes
    }
}

extension Optional<String> {
    fileprivate var nonEmpty: String? { self == "" ? nil : self }
}

internal import Consent
internal import ConsentKeys
internal import HeliographCrypto
package import RelayCore
package import RelayModel
package import RelayProtocol

/// The content of one line of the audit log, before it has its place in the chain.
///
/// A line is one JSON object: `n`, `at`, `workspace`, `what`, then what it is about, then `previous` and `hash`.
///
/// - `n` counts the records of a workspace, from 1.
/// - `at`, in milliseconds since 1970, is the event's own time: by the relay's clock for what the relay does (`approval.decided`,
///   `approval.expired`, everything about tokens), by the host's clock for what the host states.
/// - `previous` is the `hash` of record `n - 1`, and 64 zeros in the first.
/// - `hash` is the SHA-256, as 64 hexadecimal digits, of the text of `previous` followed by the line without `hash`: everything
///   before `,"hash"`, and a closing brace.
package struct AuditRecord {
    package let workspace: WorkspaceID
    private let at: Int64
    private let what: String
    private let body: (inout JSONWriter) -> Void

    /// A stage that an approval has reached. Tool and title are recorded as stored: the wire limits their length. A decision is
    /// recorded once, when it is made, with its texts.
    package init(_ approval: Approval, at: Int64, workspace: WorkspaceID) {
        self.workspace = workspace
        self.at = at
        // A rule's answer comes with the request, and no device has signed it: so it has its own word.
        let ruled: Decision? =
            if approval.request.rule != nil, case .delivered(let decision, _) = approval.stage { decision } else { nil }
        what = ruled == nil ? AuditWord.approval(approval.stage.word) : AuditWord.ruled
        body = { writer in
            writer.field("session", approval.session)
            writer.field("approval", approval.id)
            writer.field("tool", approval.request.tool)
            writer.field("title", approval.request.title)
            writer.field("digest", approval.request.digest.rawValue)
            if let rule = approval.request.rule { writer.object("rule") { rule.write(to: &$0) } }
            if let ruled { writer.object("decision") { ruled.write(to: &$0) } }
            if case .decided(let decision) = approval.stage {
                writer.object("decision") { decision.write(to: &$0) }
                // An offer's id alone means nothing, so its rule and place are recorded too.
                if let offer = approval.request.offer(of: decision.verdict) { writer.object("offer") { offer.write(to: &$0) } }
                // Recorded for each host that requires signatures, even if there is none: a reader must be able to notice a missing
                // one.
                if let shown = ShownText.text(inEvent: approval.requestBytes),
                    let read = try? ShownText(parsing: shown)
                {
                    writer.object("consent") {
                        $0.field("host", read.host.text)
                        $0.field("shown", Crypto.hex(read.hash(.openSSL).bytes))
                        $0.flag("passkey", read.request.needsPasskey)
                    }
                } else if (try? Event(stored: approval.requestBytes))?.isSealed == true {
                    let signed = approval.request.consent
                    writer.object("consent") {
                        $0.field("host", signed?.host.rawValue)
                        $0.field("shown", signed?.shown.rawValue)
                        $0.flag("passkey", approval.request.needsPasskey)
                        $0.flag("sealed", true)
                    }
                }
            }
            writer.field("outcome", approval.stage.outcome?.rawValue)
            writer.field("reason", approval.stage.reason)
        }
    }

    /// A client's command to a session, or its final outcome; nil for every other event. The text of a prompt is in the log; its
    /// digest here is kept when retention removes the event.
    package init?(steering event: LogEvent, of session: SessionKey) {
        guard event.kind.hasPrefix("steering."), let read = try? JSONDocument(parsing: event.bytes).root,
            let known = try? Event(from: read)
        else { return nil }
        workspace = session.workspace
        at = event.at
        switch known.head {
        case .steeringRequested(let call):
            what = AuditWord.steeringRequested
            body = { writer in
                writer.field("session", session.session)
                writer.field("command", call.command)
                writer.object("by") { call.by.write(to: &$0) }
                writer.field("action", call.action.rawValue)
                writer.field("choice", call.choice ?? call.isOn.map { $0 ? "on" : "off" })
                writer.field("rule", call.rule)
                if let launch = call.launch { writer.object("launch", launch.writeTarget) }
                let text = try? read.optional("body")?.optionalString("text")
                writer.field("digest", text.map { Crypto.hex(Crypto.sha256($0)) })
                let pictures = try? read.optional("body")?.optional("pictures")?.array().map { try $0.string("digest") }
                if let pictures { writer.strings("pictures", pictures) }
                Self.write(call, read.optional("body"), in: session.session, to: &writer)
            }
        case .steeringChanged(let change) where change.stage.isFinal:
            what = AuditWord.steering(change.stage)
            body = { writer in
                writer.field("session", session.session)
                change.name.write(to: &writer)
                writer.field("reason", change.reason)
                writer.field("started", change.started)
            }
        case .steeringTyped(let client, let bytes):
            what = AuditWord.typed
            body = { writer in
                writer.field("session", session.session)
                writer.object("by") { client.write(to: &$0) }
                writer.field("bytes", bytes)
            }
        default: return nil
        }
    }

    /// Writes the other values that the device signed. For a plain prompt the text's digest is enough.
    private static func write(
        _ call: SteeringCall, _ body: JSONValue?, in session: SessionID, to writer: inout JSONWriter
    ) {
        guard let host = call.consent.flatMap({ KeyID(text: $0.rawValue) }) else { return }
        if let busy = try? body?.optionalString("busy") { writer.field("busy", busy) }
        if let body, (try? body.flag("command")) == true { writer.flag("isCommand", true) }
        writer.object("consent") {
            $0.field("host", host.text)
            guard let signature = call.signature, let action = try? call.action(body: body) else { return }
            let detail = action.signedDetail(host, session, call.command)
            $0.field("detail", Crypto.hex(detail.bytes))
            $0.field("signature", signature)
        }
    }

    /// A change of a token. `what`: one of `AuditWord`'s. `by`: the token that did it; nil: the relay's own machine. The token's
    /// digest is left out, as it would confirm a guessed secret.
    package init(_ token: Token, _ what: String, by: String?, at: Int64) {
        workspace = token.workspace
        self.at = at
        self.what = what
        body = { writer in
            writer.field("token", token.id)
            writer.field("role", token.role.rawValue)
            writer.field("subject", token.subject)
            writer.field("name", token.name)
            writer.field("kind", token.kind.rawValue)
            writer.field("by", by)
        }
    }

    /// A change of a workspace, made on the relay's own machine. `what`: one of `AuditWord`'s.
    package init(_ workspace: Named<WorkspaceTag>, _ what: String, at: Int64) {
        self.workspace = workspace.id
        self.at = at
        self.what = what
        body = { $0.field("name", workspace.name) }
    }

    /// The record's line after `head`, and the new head.
    package func line(after head: AuditHead) -> (line: [UInt8], head: AuditHead) {
        var line = JSONWriter.object { writer in
            writer.field("n", head.n + 1)
            writer.field("at", at)
            writer.field("workspace", workspace)
            writer.field("what", what)
            body(&writer)
            writer.field("previous", head.hash)
        }
        line = AuditLine.spelledOut(line)
        let hash = AuditHead.hash(of: line, after: head.hash)
        line.removeLast()
        line += ",\"hash\":\"\(hash)\"}".utf8
        return (line, AuditHead(workspace: workspace, n: head.n + 1, hash: hash))
    }
}

/// Words for `what` of a record.
package enum AuditWord {
    package static let tokenCreated = "token.created"
    package static let tokenRevoked = "token.revoked"
    package static let tokenRenamed = "token.renamed"
    /// A pairing code was exchanged for this token.
    package static let pairingRedeemed = "pairing.redeemed"
    package static let workspaceAdded = "workspace.added"
    package static let workspaceRenamed = "workspace.renamed"
    package static let workspaceRemoved = "workspace.removed"
    static let steeringRequested = "steering.requested"
    static let typed = "steering.typed"
    static let decided = approval(.decided)
    static let ruled = "approval.ruled"

    static func steering(_ stage: SteeringStage) -> String { "steering.\(stage.rawValue)" }

    static func approval(_ stage: ApprovalStage.Word) -> String {
        stage == .pending ? "approval.requested" : "approval.\(stage.rawValue)"
    }
}

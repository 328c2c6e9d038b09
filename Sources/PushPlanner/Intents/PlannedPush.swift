import RelayProtocol

/// A push with its outcome and state. On disk as a record of kind `push`, from the moment it was planned.
struct PlannedPush {
    var intent: PushIntent
    /// The card that it is for; a key without a session is the device's card of all sessions.
    var card: CardKey?
    var answeredAt: Int64?
    var outcome: PushOutcome?
    /// True once the code of this push was used to decide.
    var isCodeUsed = false
    /// True if the alert showed the whole input. A cut input may be denied from the alert, not allowed.
    var mayAllow = false
    /// The approvals that a card's push, or an alert without a code, rings for.
    var calls: [CallName]
    /// True if the planner has withdrawn it. Not on disk.
    var isWithdrawn = false

    var key: DeviceKey { DeviceKey(workspace: intent.workspace, device: intent.device) }
    /// The approvals that it rings for.
    var rings: [CallName] { intent.code.map { [CallName(session: $0.session, approval: $0.approval)] } ?? calls }
    var name: String { String(intent.id.rawValue) }
    /// Requests about channels are kept until they are answered, whatever device they were for.
    var outlivesDevice: Bool { intent.purpose == .channel && outcome == nil }

    init(_ intent: PushIntent, card: CardKey?, calls: [CallName] = []) {
        self.intent = intent
        self.card = card
        self.calls = calls
    }

    /// The push as clients are shown it, JSON.
    func shown(by channel: any PushChannel) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("push", intent.id.rawValue)
            writer.field("device", intent.device)
            writer.field("session", intent.session)
            writer.field("purpose", intent.purpose.rawValue)
            channel.show(intent, to: &writer)
            writer.field("plannedAt", intent.plannedAt)
            writer.field("answeredAt", answeredAt)
            if let outcome {
                writer.object("outcome") {
                    $0.field("result", outcome.word)
                    $0.field("text", outcome.text)
                }
            }
            if !intent.payload.isEmpty { writer.raw("payload", intent.payload) }
        }
    }

    // MARK: - On disk

    func bytes(by channel: any PushChannel) -> [UInt8] {
        JSONWriter.object { writer in
            writer.raw("order", intent.bytes(by: channel))
            writer.field("cardSession", card?.session)
            writer.flag("isCard", card != nil)
            writer.field("answeredAt", answeredAt)
            if let outcome { writer.raw("outcome", outcome.bytes) }
            writer.flag("codeUsed", isCodeUsed)
            writer.flag("mayAllow", mayAllow)
            if !calls.isEmpty { writer.array("calls", calls.map(\.bytes)) }
        }
    }

    init(stored bytes: [UInt8], in workspace: WorkspaceID, _ channels: [PushService: any PushChannel]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        intent = try PushIntent(stored: try value.required("order"), in: workspace, channels)
        if try value.flag("isCard") {
            card = CardKey(
                device: DeviceKey(workspace: workspace, device: intent.device),
                session: try value.optionalIdentifier("cardSession"))
        }
        answeredAt = try value.optionalInteger("answeredAt")
        if let outcome = value.optional("outcome") { self.outcome = try PushOutcome(stored: outcome) }
        isCodeUsed = try value.flag("codeUsed")
        mayAllow = try value.flag("mayAllow")
        calls = []
        for entry in try value.optional("calls")?.array() ?? [] { calls.append(try CallName(stored: entry)) }
    }
}

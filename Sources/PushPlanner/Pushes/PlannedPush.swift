import RelayProtocol

/// A push with all that became of it. On disk as a record of kind `push`, from the moment it was planned.
struct PlannedPush {
    var order: PushOrder
    /// The device's and the session's, or the device's alone.
    var card: CardKey?
    var answeredAt: Int64?
    var outcome: PushOutcome?
    /// Its code has decided.
    var isCodeUsed = false
    /// Whether the alert showed the whole input: what is cut may be denied from there, not allowed.
    var mayAllow = false
    /// What a card's push rings for itself.
    var calls: [CallName]

    var key: DeviceKey { DeviceKey(workspace: order.workspace, device: order.device) }
    var name: String { String(order.id.rawValue) }
    /// What is asked of APNs about channels is kept until it is answered, whosever it was.
    var outlivesDevice: Bool { order.purpose == .channel && outcome == nil }

    init(_ order: PushOrder, card: CardKey?, calls: [CallName] = []) {
        self.order = order
        self.card = card
        self.calls = calls
    }

    /// As clients see it.
    var shown: [UInt8] {
        JSONWriter.object { writer in
            writer.field("push", order.id.rawValue)
            writer.field("device", order.device)
            writer.field("session", order.session)
            writer.field("purpose", order.purpose.rawValue)
            writer.field("priority", order.priority)
            writer.field("collapse", order.collapse)
            writer.field("plannedAt", order.plannedAt)
            writer.field("answeredAt", answeredAt)
            if let outcome {
                writer.object("outcome") {
                    $0.field("result", outcome.word)
                    $0.field("text", outcome.text)
                }
            }
            if !order.payload.isEmpty { writer.raw("payload", order.payload) }
        }
    }

    // MARK: - On disk

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.raw("order", order.bytes)
            writer.field("cardSession", card?.session)
            writer.flag("isCard", card != nil)
            writer.field("answeredAt", answeredAt)
            if let outcome { writer.raw("outcome", outcome.bytes) }
            writer.flag("codeUsed", isCodeUsed)
            writer.flag("mayAllow", mayAllow)
            if !calls.isEmpty { writer.array("calls", calls.map(\.bytes)) }
        }
    }

    init(stored bytes: [UInt8], in workspace: WorkspaceID) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        order = try PushOrder(stored: try value.required("order"), in: workspace)
        if try value.flag("isCard") {
            card = CardKey(
                device: DeviceKey(workspace: workspace, device: order.device),
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

extension PushOrder {
    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("id", id.rawValue)
            writer.field("device", device)
            writer.field("purpose", purpose.rawValue)
            writer.field("session", session)
            writer.field("bundle", bundle)
            switch target {
            case .device(let token): writer.field("token", token)
            case .broadcast(let channel): writer.field("broadcast", channel)
            case .makeChannel: writer.field("makeChannel", true)
            case .deleteChannel(let channel): writer.field("deleteChannel", channel)
            }
            writer.field("environment", environment.rawValue)
            writer.flag("proven", isEnvironmentProven)
            writer.field("topic", topic)
            writer.field("pushType", pushType)
            writer.field("priority", priority)
            writer.field("expiration", expiration)
            writer.field("collapse", collapse)
            if !payload.isEmpty { writer.raw("payload", payload) }
            if let seal {
                writer.object("seal") {
                    $0.field("key", seal.key)
                    $0.raw("text", seal.text)
                }
            }
            if let code {
                writer.object("code") {
                    $0.field("session", code.session)
                    $0.field("approval", code.approval)
                    $0.field("digest", code.digest.rawValue)
                    $0.field("expiresAt", code.expiresAt)
                }
            }
            writer.field("tokenRegisteredAt", tokenRegisteredAt)
            writer.flag("harmless", isHarmlessToRepeat)
            writer.field("worthUntil", worthUntil)
            writer.field("plannedAt", plannedAt)
        }
    }

    init(stored value: JSONValue, in workspace: WorkspaceID) throws(WireError) {
        let target: Target
        if let token = try value.optionalString("token") {
            target = .device(token: token)
        } else if let channel = try value.optionalString("broadcast") {
            target = .broadcast(channel: channel)
        } else if let channel = try value.optionalString("deleteChannel") {
            target = .deleteChannel(channel: channel)
        } else {
            target = .makeChannel
        }
        self.init(
            id: PushID(rawValue: try value.integer("id")), workspace: workspace, device: try value.identifier("device"),
            purpose: try value.word("purpose"), session: try value.optionalIdentifier("session"),
            bundle: try value.string("bundle"), target: target, environment: try value.word("environment"),
            worthUntil: try value.integer("worthUntil"), plannedAt: try value.integer("plannedAt"))
        isEnvironmentProven = try value.flag("proven")
        topic = try value.optionalString("topic")
        pushType = try value.optionalString("pushType")
        priority = try value.integer("priority")
        expiration = try value.optionalInteger("expiration")
        collapse = try value.optionalString("collapse")
        if let payload = value.optional("payload") { self.payload = Array(payload.bytes) }
        if let seal = value.optional("seal") {
            self.seal = PushSeal(key: try seal.string("key"), text: Array(try seal.required("text").bytes))
        }
        // One of a version that did not say for which input is for none.
        if let code = value.optional("code"), let digest = try code.optionalString("digest").flatMap(InputDigest.init) {
            self.code = PushCode(
                session: try code.identifier("session"), approval: try code.identifier("approval"), digest: digest,
                expiresAt: try code.integer("expiresAt"))
        }
        tokenRegisteredAt = try value.integer("tokenRegisteredAt")
        isHarmlessToRepeat = try value.flag("harmless")
    }
}

extension PushOutcome {
    /// As on the wire, in metrics and lists.
    package var word: String {
        switch self {
        case .accepted: "accepted"
        case .refused: "refused"
        case .unknown: "unknown"
        case .notSent: "notSent"
        }
    }

    /// A sentence, or Apple's reason; nil where there is nothing to say.
    package var text: String? {
        switch self {
        case .accepted: nil
        case .refused(_, let text), .unknown(let text), .notSent(let text): text
        }
    }

    var bytes: [UInt8] {
        JSONWriter.object { writer in
            writer.field("result", word)
            writer.field("text", text)
            if case .refused(let advice, _) = self { writer.field("advice", advice.rawValue) }
            if case .accepted(let environment, let channel) = self {
                writer.field("environment", environment.rawValue)
                writer.field("channel", channel)
            }
        }
    }

    init(stored value: JSONValue) throws(WireError) {
        let text = try value.optionalString("text") ?? ""
        switch try value.string("result") {
        case "accepted": self = .accepted(try value.word("environment"), channel: try value.optionalString("channel"))
        case "refused": self = .refused(try value.word("advice"), text: text)
        case "unknown": self = .unknown(text)
        default: self = .notSent(text)
        }
    }
}

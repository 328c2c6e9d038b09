/// A command of a client.
package enum ClientCommand: Sendable, Equatable {
    /// Subscribes to a session; nil: to the workspace's summaries and approvals.
    case subscribe(SessionID?, after: Position?)
    /// The sessions that the workspace's snapshot left out.
    case olderSessions
    case unsubscribe(SessionID?)
    case history(SessionID, before: Int64, limit: Int64)
    case decide(DecideCommand)
    /// Sends a steering command, which takes effect at the agent once; its outcome is reported as events of the session.
    case steer(SessionID, SteeringAction, signature: String? = nil)
    /// Withdraws a prompt that still waits at its host, whoever sent it.
    case withdraw(SessionID, SteeringName)
    /// Checks that the connection is alive: a browser cannot see the WebSocket's own pings.
    case ping
    case pair(PairingRole)
    /// Presence of the client: whether it is in the foreground, the session on its screen, and its device. Valid for
    /// `WireLimits.presenceMilliseconds` after the client's last message.
    case presence(isForeground: Bool, session: SessionID?, device: DeviceID?)
    /// Reports that the approval is on the screen: its device need not ring for it.
    case seen(SessionID, ApprovalID)
    /// Registers a device, or updates its registration.
    case device(Device)
    /// Replaces a device's notification settings, all of them at once.
    case deviceChoices(DeviceID, DeviceChoices)
    case card(DeviceID, CardReport)
    case forget(DeviceID)
    /// Lists all devices with the outcome of their last pushes; with `watches`, the outcome of every later push is sent too.
    case devices(watches: Bool)
    /// Sends an alert to test that pushes arrive.
    case testPush(DeviceID)
    case budget(Budget)
    case budgets
    case costs(CostQuery)
    /// Removes a session and its events; one that has not ended begins again with its host's next events.
    case remove(SessionID)
    case letter(Letter, to: LetterPeer)
    /// A wish to the terminal that the session's host holds.
    case screen(SessionID, ScreenCall.Wish, signature: String? = nil)

    typealias Reader = @Sendable (JSONValue) throws(WireError) -> ClientCommand

    static let readers: [String: Reader] = [
        "subscribe": { value throws(WireError) in
            var after: Position?
            if let position = value.optional("after") { after = try Position(from: position) }
            return .subscribe(try value.optionalIdentifier("session"), after: after)
        },
        "olderSessions": { _ throws(WireError) in .olderSessions },
        "unsubscribe": { value throws(WireError) in .unsubscribe(try value.optionalIdentifier("session")) },
        "history": { value throws(WireError) in
            .history(
                try value.identifier("session"), before: try value.integer("before"),
                limit: try value.integer("limit", in: 1...Int64(WireLimits.historyEventsMax)))
        },
        "decide": { value throws(WireError) in
            let verdict: Decision.Verdict =
                switch try value.word("decision", DecideWord.self) {
                case .allow: try .allowing(value)
                case .edit: try .editing(value)
                case .deny: try .denying(value)
                }
            return .decide(try DecideCommand(from: value, verdict: verdict))
        },
        "answer": { value throws(WireError) in
            .decide(try DecideCommand(from: value, verdict: .answer(try Answer.list(from: value))))
        },
        "prompt": { value throws(WireError) in try .steering(.prompt, from: value) },
        "interrupt": { value throws(WireError) in try .steering(.interrupt, from: value) },
        "stop": { value throws(WireError) in try .steering(.stop, from: value) },
        "mode": { value throws(WireError) in try .steering(.mode, from: value) },
        "model": { value throws(WireError) in try .steering(.model, from: value) },
        "askAll": { value throws(WireError) in try .steering(.askAll, from: value) },
        "start": { value throws(WireError) in try .steering(.start, from: value) },
        "resume": { value throws(WireError) in try .steering(.resume, from: value) },
        "past": { value throws(WireError) in try .steering(.past, from: value) },
        "ruleOff": { value throws(WireError) in try .steering(.ruleOff, from: value) },
        "ruleAdd": { value throws(WireError) in try .steering(.ruleAdd, from: value) },
        "ruleChange": { value throws(WireError) in try .steering(.ruleChange, from: value) },
        "ruleTry": { value throws(WireError) in try .steering(.ruleTry, from: value) },
        "withdraw": { value throws(WireError) in
            .withdraw(try value.identifier("session"), try SteeringName(from: value))
        },
        "ping": { _ throws(WireError) in .ping },
        "pair": { value throws(WireError) in
            .pair(value.optional("role") == nil ? .client : try value.word("role"))
        },
        "presence": { value throws(WireError) in
            .presence(
                isForeground: try value.required("foreground").bool(), session: try value.optionalIdentifier("session"),
                device: try value.optionalIdentifier("device"))
        },
        "seen": { value throws(WireError) in .seen(try value.identifier("session"), try value.identifier("approval")) },
        "device": { value throws(WireError) in .device(try Device(from: value.required("device"))) },
        "deviceChoices": { value throws(WireError) in
            .deviceChoices(try value.identifier("device"), try DeviceChoices(from: value))
        },
        "card": { value throws(WireError) in
            .card(try value.identifier("device"), try CardReport(from: value.required("card")))
        },
        "forget": { value throws(WireError) in .forget(try value.identifier("device")) },
        "devices": { value throws(WireError) in .devices(watches: try value.flag("watch")) },
        "testPush": { value throws(WireError) in .testPush(try value.identifier("device")) },
        "budget": { value throws(WireError) in .budget(try Budget(from: value.required("budget"))) },
        "budgets": { _ throws(WireError) in .budgets },
        "costs": { value throws(WireError) in .costs(try CostQuery(from: value)) },
        "remove": { value throws(WireError) in .remove(try value.identifier("session")) },
        "screen": { value throws(WireError) in try .screen("screen", from: value) },
        "keys": { value throws(WireError) in try .screen("keys", from: value) },
        "letter": { value throws(WireError) in
            .letter(try Letter(from: value), to: try LetterPeer(from: value, hostField: "to"))
        },
    ]

    func bytes(id: CommandID) -> [UInt8] {
        switch self {
        case .subscribe(let session, let after):
            return Self.message("subscribe", id) {
                $0.field("session", session)
                if let after { $0.object("after") { after.write(to: &$0) } }
            }
        case .olderSessions: return Self.message("olderSessions", id) { _ in }
        case .unsubscribe(let session): return Self.message("unsubscribe", id) { $0.field("session", session) }
        case .history(let session, let before, let limit):
            return Self.message("history", id) {
                $0.field("session", session)
                $0.field("before", before)
                $0.field("limit", limit)
            }
        case .decide(let decide):
            return Self.message(decide.isAnswer ? "answer" : "decide", id) { decide.write(to: &$0) }
        case .steer(let session, let action, let signature):
            var writer = JSONWriter(type: action.kind.type)
            writer.field("id", id)
            writer.field("session", session)
            action.write(to: &writer)
            writer.field("signature", signature)
            return writer.finish()
        case .withdraw(let session, let name):
            return Self.message("withdraw", id) {
                $0.field("session", session)
                name.write(to: &$0)
            }
        case .ping: return Self.message("ping", id) { _ in }
        case .pair(let role): return Self.message("pair", id) { $0.field("role", role.rawValue) }
        case .presence(let isForeground, let session, let device):
            return Self.message("presence", id) {
                $0.field("foreground", isForeground)
                $0.field("session", session)
                $0.field("device", device)
            }
        case .seen(let session, let approval):
            return Self.message("seen", id) {
                $0.field("session", session)
                $0.field("approval", approval)
            }
        case .device(let device): return Self.message("device", id) { $0.raw("device", device.bytes) }
        case .deviceChoices(let device, let choices):
            return Self.message("deviceChoices", id) {
                $0.field("device", device)
                choices.write(to: &$0)
            }
        case .card(let device, let card):
            return Self.message("card", id) {
                $0.field("device", device)
                $0.raw("card", card.bytes)
            }
        case .forget(let device): return Self.message("forget", id) { $0.field("device", device) }
        case .devices(let watches): return Self.message("devices", id) { $0.flag("watch", watches) }
        case .testPush(let device): return Self.message("testPush", id) { $0.field("device", device) }
        case .budget(let budget): return Self.message("budget", id) { $0.raw("budget", budget.bytes) }
        case .budgets: return Self.message("budgets", id) { _ in }
        case .costs(let query): return Self.message("costs", id) { query.write(to: &$0) }
        case .remove(let session): return Self.message("remove", id) { $0.field("session", session) }
        case .letter(let letter, let peer):
            return Self.message("letter", id) {
                peer.write(to: &$0, hostField: "to")
                letter.write(to: &$0)
            }
        case .screen(let session, let wish, let signature):
            return Self.message(wish.type, id) {
                $0.field("session", session)
                wish.write(to: &$0)
                $0.field("signature", signature)
            }
        }
    }

    private static func screen(_ type: String, from value: JSONValue) throws(WireError) -> ClientCommand {
        let (wish, signature) = try ScreenCall.wish(type, from: value)
        return .screen(try value.identifier("session"), wish, signature: signature)
    }

    private static func steering(_ kind: SteeringAction.Kind, from value: JSONValue) throws(WireError) -> ClientCommand {
        .steer(
            try value.identifier("session"), try SteeringAction(kind, from: value),
            signature: try value.optionalString("signature", bytesMax: WireLimits.signatureBytesMax))
    }

    private static func message(_ type: StaticString, _ id: CommandID, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(type: type)
        writer.field("id", id)
        body(&writer)
        return writer.finish()
    }
}

/// The payload of `decide` and `answer`: the verdict on one approval, for exactly the input with this digest.
package struct DecideCommand: Sendable, Equatable {
    package var session: SessionID
    package var approval: ApprovalID
    package var digest: InputDigest
    package var verdict: Decision.Verdict
    package var signature: String?

    package init(
        session: SessionID, approval: ApprovalID, digest: InputDigest, verdict: Decision.Verdict, signature: String? = nil
    ) {
        self.session = session
        self.approval = approval
        self.digest = digest
        self.verdict = verdict
        self.signature = signature
    }

    init(from value: JSONValue, verdict: Decision.Verdict) throws(WireError) {
        session = try value.identifier("session")
        approval = try value.identifier("approval")
        digest = try value.digest("digest")
        self.verdict = verdict
        signature = try value.optionalString("signature", bytesMax: WireLimits.signatureBytesMax)
    }

    var isAnswer: Bool {
        if case .answer = verdict { true } else { false }
    }

    func write(to writer: inout JSONWriter) {
        writer.field("session", session)
        writer.field("approval", approval)
        writer.field("digest", digest.rawValue)
        verdict.write(to: &writer)
        writer.field("signature", signature)
    }
}

/// Role of a pairing code, and of the token that it is exchanged for.
package enum PairingRole: String, Sendable, CaseIterable {
    /// Watches, decides, and pairs others.
    case client
    case host
    /// Only watches.
    case watcher
    /// A client that may also steer agents, which is more than to allow what they ask for.
    case `operator`

    package var isClient: Bool { self != .host }

    package static let clients = allCases.filter(\.isClient)
}

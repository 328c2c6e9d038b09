package import RelayProtocol

/// A command to a session or host other than a prompt, as a device signs it.
///
/// ```
/// domain("steer") ‖ LP(host) ‖ LP(session) ‖ LP(command id) ‖ LP(kind) ‖ LP(SHA-256 of the detail) ‖ u64 count ‖ LP(device)
/// ```
/// `kind` is the message's type. The detail, with `opt(x)` = u8 0 if absent, else u8 1 ‖ LP(x):
/// - `mode`, `model`, `ruleOff`: LP(its name); `ruleAdd`, `ruleTry`: LP(its text); `ruleChange`: LP(the name) ‖ LP(the text); `askAll`: u8 1 for on, 0 for off; `interrupt`, `stop`: empty;
/// - `start`, `resume`, `past`: LP(project) ‖ LP(agent) ‖ opt(past) ‖ opt(mode) ‖ opt(model) ‖ opt(text)
///   ‖ u32 n ‖ n × (LP(SHA-256 of the picture, 32 bytes) ‖ LP(its type)).
package struct SteeringStatement: Statement {
    package var host: KeyID
    package var session: SessionID
    package var command: CommandID
    package var kind: SteeringAction.Kind
    package var detail: ConsentHash
    /// The device's count; see `PromptStatement`.
    package var count: Int64
    package var device: KeyID

    /// `action` is not a prompt: that has a statement of its own.
    package init(
        host: KeyID, session: SessionID, command: CommandID, action: SteeringAction, count: Int64, device: KeyID,
        _ crypto: ConsentCrypto
    ) {
        self.host = host
        self.session = session
        self.command = command
        kind = action.kind
        detail = crypto.hash(action.signedContent)
        self.count = count
        self.device = device
    }

    package var number: Int64 { count }

    package var bytes: [UInt8] {
        var writer = StatementWriter(domain: "steer")
        writer.part(host)
        writer.part(session.rawValue)
        writer.part(command.rawValue)
        writer.part(kind.rawValue)
        writer.part(detail)
        writer.number(UInt64(count))
        writer.part(device)
        return writer.bytes
    }
}

extension SteeringAction {
    /// The statement to sign or verify for this action of a session.
    package func statement(
        host: KeyID, session: SessionID, command: CommandID, count: Int64, device: KeyID, _ crypto: ConsentCrypto
    ) -> any Statement {
        if case .prompt(let prompt) = self {
            return PromptStatement(
                host: host, session: session, command: command, prompt: prompt, count: count, device: device, crypto)
        }
        return SteeringStatement(
            host: host, session: session, command: command, action: self, count: count, device: device, crypto)
    }

    /// True if a signed host carries it out for a trusted device only. The other actions never give the agent more freedom.
    /// `ruleOff` gives none either, but it lasts: a relay that forged it would make the host ask everything again.
    package var needsSignature: Bool {
        switch self {
        case .interrupt, .stop, .askAll(true), .ruleTry: false
        case .launch(let launch): launch.purpose != .past
        case .prompt, .mode, .model, .askAll(false), .ruleOff, .ruleAdd, .ruleChange: true
        }
    }

    /// Rights that a device needs for it. A mode may let tools run unasked, like an allow.
    package var rights: Set<PinRight> {
        switch self {
        case .interrupt, .stop, .askAll(true), .ruleOff, .ruleTry: []
        case .prompt, .model: [.prompt]
        case .mode, .askAll(false): [.prompt, .allow]
        case .ruleAdd, .ruleChange: [.allow]
        case .launch(let launch): launch.purpose == .past ? [] : launch.mode == nil ? [.prompt] : [.prompt, .allow]
        }
    }

    fileprivate var signedContent: [UInt8] {
        var writer = StatementWriter()
        switch self {
        case .prompt: preconditionFailure("a prompt has a statement of its own")
        case .interrupt, .stop: break
        case .mode(let name), .model(let name), .ruleOff(let name), .ruleAdd(let name), .ruleTry(let name): writer.part(name)
        case .ruleChange(let rule, let text):
            writer.part(rule)
            writer.part(text)
        case .askAll(let isOn): writer.number(UInt8(isOn ? 1 : 0))
        case .launch(let launch):
            writer.part(launch.project)
            writer.part(launch.agent)
            var past: String?
            if case .resume(let name) = launch.purpose { past = name }
            writer.optional(past)
            writer.optional(launch.mode)
            writer.optional(launch.model)
            writer.optional(launch.text)
            writer.pictures(launch.pictures)
        }
        return writer.bytes
    }
}

/// A client's command to a session, as it is in the log. The text of a prompt is content: it is in the event's body, which the
/// relay only carries.
package struct SteeringCall: Sendable, Equatable {
    package var command: CommandID
    package var by: Named<ClientTag>
    package var action: SteeringAction.Kind
    /// The chosen mode or model, the rule's name, or the rules' text.
    package var choice: String?
    /// For `ruleChange`: the name of the rule that is replaced.
    package var rule: String?
    /// For `askAll`: true if every tool needs approval from now on.
    package var isOn: Bool?
    /// For `start`, `resume` and `past`, without text and pictures.
    package var launch: Launch?
    /// The device's signature, and below it the keys of the host that requires one; nil if the host requires none.
    package var signature: String?
    package var consent: HostKeyID?

    package init(_ request: SteeringRequest, consent: HostKeyID? = nil) {
        self.consent = consent
        if consent != nil { signature = request.signature }
        command = request.command
        by = request.by
        action = request.action.kind
        switch request.action {
        case .mode(let mode): choice = mode
        case .model(let model): choice = model
        case .ruleOff(let rule): choice = rule
        case .ruleAdd(let text), .ruleTry(let text): choice = text
        case .ruleChange(let rule, let text): (self.rule, choice) = (rule, text)
        case .askAll(let isOn): self.isOn = isOn
        case .launch(var launch):
            (launch.text, launch.pictures) = (nil, [])
            self.launch = launch
        case .prompt, .interrupt, .stop: choice = nil
        }
    }

    package var name: SteeringName { SteeringName(client: by.id, command: command) }

    init(from head: JSONValue) throws(WireError) {
        command = try head.identifier("command")
        by = try Named(from: head.required("by"))
        action = try head.word("action")
        switch action {
        case .mode: choice = try head.string("mode", bytesMax: WireLimits.nameBytesMax)
        case .model: choice = try head.string("model", bytesMax: WireLimits.nameBytesMax)
        case .ruleOff: choice = try head.string("rule", bytesMax: WireLimits.nameBytesMax)
        case .ruleAdd, .ruleTry: choice = try head.string("toml", bytesMax: WireLimits.lineBytesMax)
        case .ruleChange:
            rule = try head.string("rule", bytesMax: WireLimits.nameBytesMax)
            choice = try head.string("toml", bytesMax: WireLimits.lineBytesMax)
        case .askAll: isOn = try head.required("on").bool()
        case .start, .resume, .past: launch = try Launch(action, target: head)
        case .prompt, .interrupt, .stop: choice = nil
        }
        signature = try head.optionalString("signature", bytesMax: WireLimits.signatureBytesMax)
        consent = try head.optionalHostKeyID("consent")
    }

    /// The complete action, with the content from the event's body.
    package func action(body: JSONValue?) throws(WireError) -> SteeringAction {
        switch action {
        case .prompt:
            guard let body else { throw WireError(.missingField, at: "$.body", "a prompt has its text there") }
            return try SteeringAction(.prompt, from: body.object())
        case .mode: return .mode(choice ?? "")
        case .model: return .model(choice ?? "")
        case .ruleOff: return .ruleOff(choice ?? "")
        case .ruleAdd: return .ruleAdd(choice ?? "")
        case .ruleChange: return .ruleChange(rule ?? "", to: choice ?? "")
        case .ruleTry: return .ruleTry(choice ?? "")
        case .askAll: return .askAll(isOn ?? true)
        case .interrupt: return .interrupt
        case .stop: return .stop
        case .start, .resume, .past:
            guard var launch else { throw WireError(.missingField, at: "$.head.project", "it names no project") }
            launch.text = try body?.object().optionalString("text", bytesMax: WireLimits.textBytesMax)
            launch.pictures = try body?.pictures("pictures") ?? []
            return .launch(launch)
        }
    }

    func write(to writer: inout JSONWriter) {
        writer.field("action", action.rawValue)
        writer.field("command", command)
        writer.object("by") { by.write(to: &$0) }
        switch action {
        case .mode: writer.field("mode", choice)
        case .model: writer.field("model", choice)
        case .ruleOff: writer.field("rule", choice)
        case .ruleAdd, .ruleTry: writer.field("toml", choice)
        case .ruleChange:
            writer.field("rule", rule)
            writer.field("toml", choice)
        case .askAll: if let isOn { writer.field("on", isOn) }
        case .start, .resume, .past: launch?.writeTarget(to: &writer)
        case .prompt, .interrupt, .stop: break
        }
        writer.field("signature", signature)
        writer.field("consent", consent)
    }
}

internal import HostCore
internal import RelayProtocol

/// Lines that the agent writes.
///
/// | line | evidence |
/// |---|---|
/// | `user` with `isReplay` and our `uuid` | the agent took that prompt: it reports this with the beginning of the answer |
/// | `command_lifecycle` with our `uuid` | the agent began with that prompt, or has finished it |
/// | `control_request`, `can_use_tool` | the agent asks, here and by its hook |
/// | `control_request`, `elicitation` | a tool server asks, here and, through us, the clients |
/// | `control_cancel_request` | the agent has an answer from elsewhere |
/// | `control_response` | a mode or model is set, or not; an interrupt was received |
/// | `system` with `prompt_submit_outcome` | a hook has refused the prompt that has begun |
/// | `system`, `assistant` | a turn runs |
/// | `result` | the turn has ended |
extension ClaudeControl {
    mutating func received(_ bytes: [UInt8]) {
        let exact = try? JSONDocument(parsing: bytes)
        let line = (exact ?? JSONRepair.document(bytes)).root
        switch line.text("type") {
        case "control_request": requested(line, isExact: exact != nil)
        case "control_cancel_request": cancelled(line.text("request_id"))
        case "control_response": responded(line.optional("response"))
        case "user": replayed(line)
        case "command_lifecycle": advanced(line)
        case "system": systemSaid(line)
        case "assistant": said(line)
        case "result": turnOver(line)
        default: break
        }
    }

    // MARK: Prompts

    private mutating func replayed(_ line: JSONValue) {
        guard line.isTrue("isReplay"), let uuid = line.text("uuid") else { return }
        taken(uuid)
    }

    mutating func taken(_ uuid: String) {
        guard let place = sent.firstIndex(where: { $0.uuid == uuid }) else { return }
        isInTurn = true
        sent[place].takenAt = nil
        guard !sent[place].isTaken else { return }
        sent[place].isTaken = true
        if let name = sent[place].name { tell(name, .taken) }
    }

    /// Handles the progress of a command. The agent does not repeat its own commands to us, so their beginning is the only
    /// evidence.
    private mutating func advanced(_ line: JSONValue) {
        tellsLifecycle = true
        guard let uuid = line.text("command_uuid"), let place = sent.firstIndex(where: { $0.uuid == uuid }) else { return }
        switch line.text("state") {
        case "started":
            isInTurn = true
            sent[place].isBegun = true
            if sent[place].isCommand { taken(uuid) }
        case "completed": over(place, "the agent is done with it and has not shown that it took it")
        case "cancelled": over(place, "the agent let it go")
        default: break
        }
    }

    private mutating func over(_ place: Int, _ reason: String) {
        let sent = sent.remove(at: place)
        if let name = sent.name, !sent.isTaken { tell(name, .unknown, reason) }
        // A command that is done at once has no end of a turn.
        if self.sent.isEmpty, sent.isCommand, permissions.isEmpty { isInTurn = false }
    }

    // MARK: Turns

    private mutating func systemSaid(_ line: JSONValue) {
        if let mode = line.text("permissionMode") { self.mode = String(mode.prefix(64)) }
        if let outcome = line.optional("prompt_submit_outcome"), !outcome.isTrue("prompt_kept") { refusedByHook() }
        guard line.text("subtype") == "init" else { return }
        isInTurn = true
        // Hooks have run by now; one that rejects the prompt ends the turn at once. The beginning of the answer may take minutes.
        for place in sent.indices where sent[place].isBegun && !sent[place].isTaken {
            sent[place].takenAt = sent[place].takenAt ?? now + limits.takenAfter.milliseconds
        }
    }

    /// Handles the end of a prompt before the model was asked.
    private mutating func refusedByHook() {
        guard let place = sent.firstIndex(where: { $0.isBegun && !$0.isTaken }) else { return }
        let refused = sent.remove(at: place)
        if let name = refused.name { tell(name, .refused, SubmissionLine.refusal(nil)) }
    }

    private mutating func said(_ line: JSONValue) {
        // Subagents' messages do not belong to the main agent's turn.
        guard line.text("parent_tool_use_id") == nil else { return }
        isInTurn = true
        for block in line.optional("message")?.list("content") ?? [] {
            switch block.text("type") {
            case "text":
                if let text = block.text("text"), !text.isEmpty { say(VisibleText.prose(text)) }
            case "tool_use":
                if let tool = block.text("name") {
                    let input = block.optional("input").map {
                        TextCut.line(String(decoding: $0.bytes, as: UTF8.self), bytesMax: 160)
                    }
                    say("• \(VisibleText.line(tool)) \(VisibleText.line(input ?? ""))")
                }
            default: break
            }
        }
    }

    /// Reports usage: each end of a turn contains the total so far.
    private mutating func spent(_ line: JSONValue) {
        guard let dollars = line.optional("total_cost_usd") else { return }
        let models = (try? line.optional("modelUsage")?.members()) ?? []
        let model = models.max { ($0.value.real("costUSD") ?? 0) < ($1.value.real("costUSD") ?? 0) }?.key
        orders.append(
            .spent(
                JSONWriter.object { writer in
                    writer.field("session_id", session)
                    if let model { writer.object("model") { $0.field("id", model) } }
                    writer.object("cost") { $0.raw("total_cost_usd", dollars.bytes) }
                }))
    }

    private mutating func turnOver(_ line: JSONValue) {
        spent(line)
        isInTurn = false
        permissions = []
        for place in sent.indices { sent[place].takenAt = nil }
        // The end of a turn that began before a prompt was sent says nothing about that prompt.
        if !tellsLifecycle {
            for sent in sent where sent.isCommand && !sent.isTaken {
                if let name = sent.name { tell(name, .taken) }
            }
            sent.removeAll(where: \.isCommand)
        }
        sent.removeAll(where: \.isTaken)
        // An older agent does not report that it is done with a prompt that it never took.
        if !tellsLifecycle {
            for case let name? in sent.map(\.name) {
                tell(name, .unknown, "the turn is over, and it has not shown that it took it")
            }
            sent = []
        }
        for name in interrupts { tell(name, .taken) }
        interrupts = []
        if let text = line.text("local_command").flatMap({ _ in line.text("result") }) { say(VisibleText.prose(text)) }
        if line.isTrue("is_error") {
            let reason = line.text("terminal_reason").map { $0.map { $0 == "_" ? " " : String($0) }.joined() }
            say("(the turn ended: \(VisibleText.line(reason ?? line.text("subtype") ?? "with an error")))")
        }
        switch phase {
        case .stopping: close()
        case .running: ready()
        default: break
        }
    }

    // MARK: Responses to our requests

    private mutating func responded(_ response: JSONValue?) {
        // The agent repeats our own answers, too.
        guard let response, let id = response.text("request_id"), let what = asked.removeValue(forKey: id) else { return }
        let failure = response.text("subtype") == "success" ? nil : response.text("error") ?? "it gives no reason"
        let said = response.optional("response")
        switch what {
        case .initialize: initialized(said, failure)
        case .interrupt(let name):
            if let failure {
                if let name { tell(name, .refused, reason(failure)) }
            } else if let name {
                // The interrupt was received; the end of the turn will show its effect.
                if standing == .idle { tell(name, .taken, "the turn was over already") } else { interrupts.append(name) }
            }
        case .mode(let mode, let name):
            guard failure == nil, said?.text("mode") ?? mode == mode else {
                return tell(name, .refused, reason(failure ?? "it is in another mode"))
            }
            self.mode = mode
            say("(mode: \(mode))")
            tell(name, .taken)
        case .model(let model, let name):
            if let failure { return tell(name, .refused, reason(failure)) }
            say("(model: \(VisibleText.line(model)))")
            tell(name, .taken)
        }
    }

    private func reason(_ failure: String) -> String { TextCut.line("the agent refuses: \(failure)", bytesMax: 500) }

    private mutating func initialized(_ said: JSONValue?, _ failure: String?) {
        guard phase == .starting else { return }
        guard failure == nil, let said else {
            say("The agent does not accept its role: \(VisibleText.line(failure ?? "it gives no reason"))")
            return close()
        }
        phase = .running
        if mode == nil { mode = said.text("current_permission_mode").map { String($0.prefix(64)) } }
        models = Self.names(said.list("models").compactMap { $0.text("value") }, countMax: WireLimits.steeringModelsMax)
        let known = Set(said.list("commands").compactMap { $0.isTrue("builtin") ? $0.text("name") : nil })
        offeredCommands = Self.commands.filter(known.contains).map { "/" + $0 }
        ready()
    }

    private static func names(_ names: [String], countMax: Int) -> [String] {
        Array(names.filter { !$0.isEmpty && $0.utf8.count <= WireLimits.nameBytesMax }.prefix(countMax))
    }

    // MARK: What it asks

    private mutating func requested(_ line: JSONValue, isExact: Bool) {
        guard let id = line.text("request_id"), let request = line.optional("request") else { return }
        if request.text("subtype") == "elicitation" { return elicited(request, id, isExact: isExact) }
        guard request.text("subtype") == "can_use_tool", let tool = request.text("tool_name"),
            let input = request.optional("input")
        else { return refuse(request, id) }
        // A request that two parsers could read differently must not be allowed by anyone.
        guard isExact, permissions.count < limits.permissionsMax else {
            return orders.append(.send(ControlLine.deny(id, ControlPermission.unreadable)))
        }
        isInTurn = true
        let questions = tool == "AskUserQuestion" ? ClaudeQuestion.all(in: input, clean: { $0 }) : []
        var permission = ControlPermission(
            request: id, tool: tool, input: Array(input.bytes), questions: questions ?? [],
            // A question in an unknown form must not be allowed.
            canBeAllowed: questions != nil)
        if !hasTerminal { permission.due = now + limits.decideWithin.milliseconds }
        permissions.append(permission)
        show(permissions.count - 1)
    }

    /// Handles a tool server's form. One in an unknown form is cancelled at once, because the agent has no screen of its own here
    /// to show it.
    private mutating func elicited(_ request: JSONValue, _ id: String, isExact: Bool) {
        let server = request.text("mcp_server_name") ?? "a tool's server"
        guard isExact, permissions.count < limits.permissionsMax, request.text("mode") ?? "form" == "form",
            let schema = request.optional("requested_schema"),
            let form = ElicitedForm(message: request.text("message") ?? "", schema: schema, clean: { $0 })
        else {
            say(
                "(\(VisibleText.line(server)) asked for something that can be answered only on Claude Code's own screen: cancelled)"
            )
            return orders.append(.send(ControlLine.elicited(id, "cancel")))
        }
        isInTurn = true
        let payload = JSONWriter.object {
            $0.field("session_id", session)
            $0.field("hook_event_name", ClaudeAnswer.elicitation)
            $0.field("mcp_server_name", server)
            $0.field("message", request.text("message"))
            $0.field("mode", "form")
            $0.raw("requested_schema", schema.bytes)
        }
        var permission = ControlPermission(
            request: id, tool: server, input: payload, questions: [], canBeAllowed: true, form: FormFilling(form))
        if !hasTerminal { permission.due = now + limits.decideWithin.milliseconds }
        permissions.append(permission)
        askedAfar.insert(id)
        orders.append(.ask(request: id, payload))
        say("\(VisibleText.line(server)), a server of tools, asks:")
        show(permissions.count - 1)
    }

    mutating func answeredAfar(_ request: String, _ output: [UInt8]) {
        askedAfar.remove(request)
        guard permissions.contains(where: { $0.request == request && $0.form != nil }),
            let said = (try? JSONDocument(parsing: output).root)?.optional("hookSpecificOutput"),
            let action = said.text("action")
        else { return }
        say("(answered by a client: \(VisibleText.line(action)))")
        answer(request, ControlLine.elicited(request, action, content: said.optional("content").map { Array($0.bytes) }))
    }

    /// Refuses an unknown request; the agent goes on at once, as after a No.
    private mutating func refuse(_ request: JSONValue, _ id: String) {
        orders.append(.send(ControlLine.refuse(id, "heliograph answers no such request")))
    }

    private mutating func cancelled(_ id: String?) {
        guard let place = permissions.firstIndex(where: { $0.request == id }) else { return }
        permissions.remove(at: place)
        say("(answered elsewhere)")
    }
}

internal import HostCore
internal import RelayProtocol

/// Tool calls: their start, their end, and their changes.
extension ClaudeAdapter {
    mutating func toolStarted(_ id: SessionID, _ payload: JSONValue) {
        guard let tool = Self.tool(payload), let call = Self.call(payload), let paths = sessions[id]?.paths else { return }
        let input = payload.optional("tool_input")
        let agent = Self.agent(payload)
        guard sessions[id]?.calls[call] == nil else { return }
        let digest = digests.input(tool: tool, input.map { Array($0.bytes) } ?? [])
        let object = ClaudeOperation.object(of: input, in: sessions[id]?.currentDirectory)
        sessions[id]?.begin(call, tool: tool, digest, object: object, agent: agent, countMax: limits.callsMax)
        if ["Agent", "Task"].contains(tool), let name = subagentName(input) {
            sessions[id]?.calls[call]?.delegated = (name, input?.text("subagent_type"))
            nameSubagent(of: call, name, type: input?.text("subagent_type"), in: id)
        }
        adopt(call, digest, agent: agent, in: id)
        let operation = ClaudeOperation(tool: tool, input: input, paths: paths, clean: clean)
        var start = ToolStart(call: call, tool: tool, operation: operation.doing)
        start.file = operation.file
        start.agent = agent
        let shown = input.map { clean($0, of: tool, bytesMax: limits.texts.inputBytes) }
        start.isRedacted = shown?.isRedacted ?? false
        // The relay takes a tool's start to mean that the agent works; so do we.
        sessions[id]?.status = .running
        sessions[id]?.statusReason = nil
        sessions[id]?.statusAt = now.monotonic
        stand(id)
        let head = EventHead.toolStarted(start)
        let body = { (writer: inout JSONWriter) in
            if let input = shown?.json { writer.raw("input", input) }
        }
        if limits.textWait > .zero, sessions[id]?.awaitsText(agent) == true, deferStart(head, body, call, agent, in: id) {
            return
        }
        emit(head, in: id, body: body)
    }

    // MARK: Text comes before the tool that it announces

    /// Defers a tool's start until the text before it has arrived, another event happens, or `textWait` is over. The agent does not
    /// wait. Returns false if there is no room.
    private mutating func deferStart(
        _ head: EventHead, _ body: (inout JSONWriter) -> Void, _ call: String, _ agent: String?, in id: SessionID
    ) -> Bool {
        let event = Event(head, at: now.wall, body: body)
        let due = now.monotonic + limits.textWait.milliseconds
        let start = ClaudeSession.Deferred(event: event, call: call, agent: agent, due: due)
        if !hasRoom(for: start, in: id) { tellDeferred(id) }
        guard hasRoom(for: start, in: id) else { return false }
        sessions[id]?.deferred.append(start)
        remember(id)
        return true
    }

    /// Queues an event of a call's end after its deferred start. Returns false if the start is not deferred or there is no room.
    mutating func deferEnd(_ event: Event, in id: SessionID) -> Bool {
        guard let call = event.head.ended, let start = sessions[id]?.deferred.first(where: { $0.call == call }) else {
            return false
        }
        var end = start
        end.event = event
        guard hasRoom(for: end, in: id) else { return false }
        sessions[id]?.deferred.append(end)
        remember(id)
        return true
    }

    private func hasRoom(for event: ClaudeSession.Deferred, in id: SessionID) -> Bool {
        let deferred = sessions[id]?.deferred ?? []
        return deferred.count < limits.deferredMax
            && deferred.reduce(event.event.bytes.count) { $0 + $1.event.bytes.count } <= limits.deferredBytesMax
    }

    mutating func tellDeferred(_ id: SessionID) { tellDeferred(id) { _ in true } }

    private mutating func tellDeferred(_ id: SessionID, where isDue: (ClaudeSession.Deferred) -> Bool) {
        guard let due = sessions[id]?.deferred.filter(isDue), !due.isEmpty else { return }
        sessions[id]?.deferred.removeAll(where: isDue)
        for one in due { emit(one.event.bytes, one.event.head.knownKind, in: id) }
        remember(id)
    }

    /// Handles the arrival of the text before deferred tools.
    mutating func announced(_ agent: String?, in id: SessionID) {
        let waiting = sessions[id]?.deferred.filter { $0.agent == agent } ?? []
        // The text of a message whose tools have ended does not belong to the tools of the next message.
        let isLate = waiting.contains(where: \.isBatchOver)
        if !isLate { sessions[id]?.announced.insert(agent) }
        tellDeferred(id) { $0.agent == agent && (!isLate || $0.isBatchOver) }
    }

    /// Handles the end of all tools of a message: the agent's next output is another message. Until then no text is expected,
    /// because a message's tools may run one after the other.
    mutating func expectText(_ agent: String?, in id: SessionID) { sessions[id]?.announced.remove(agent) }

    mutating func tellOverdue() {
        let now = now.monotonic
        for session in sessionsInOrder {
            let due = session.deferred.filter { $0.due <= now }
            let over = Set(due.filter(\.isBatchOver).map(\.agent))
            let announced = Set(due.map(\.agent)).subtracting(over)
            sessions[session.id]?.announced.formUnion(announced)
            // The next start of an agent whose text has arrived does not wait, and must not overtake one that does.
            tellDeferred(session.id) { $0.due <= now || announced.contains($0.agent) }
        }
    }

    mutating func toolFinished(_ id: SessionID, _ payload: JSONValue, failed: Bool) {
        guard let tool = Self.tool(payload), let call = Self.call(payload) else { return }
        let response = payload.optional("tool_response")
        let open = sessions[id]?.calls[call]
        let isEdited = approvals.contains { $0.session == id && $0.call == call && $0.isEdited }
        if let open, isAnsweredByProgram(open, in: id, duration: payload.whole("duration_ms")) { answersItself(id) }
        toolProven(id, payload, tool: tool, call: call, failed: failed)
        // A subagent that goes on in the background is named by its id here, and nowhere else.
        if let response, let agent = response.text("agentId"), let name = subagentName(response),
            let known = sessions[id]?.subagents, known[agent] != nil || known.count < limits.callsMax
        {
            sessions[id]?.subagents[agent, default: .init()].name = name
            sessions[id]?.subagents[agent]?.call = call
            sessions[id]?.subagents[agent]?.awaitsCall = false
        }
        if sessions[id]?.evidence.standing?.isAsking != true { workedOn(id) }
        // The batch may have reported the end before: hooks race.
        guard sessions[id]?.finish(call, countMax: limits.callsMax) == true else { return }
        unproven[call] = nil
        if let open, !isEdited { reportChange(of: open, to: payload.optional("tool_input"), in: id) }
        let result = ClaudeResult(tool: tool, response: response, error: failed ? payload.text("error") : nil)
        finish(
            call, tool: tool, agent: Self.agent(payload), result, duration: payload.whole("duration_ms"),
            succeeded: !failed && !result.isError, in: id)
        if !failed {
            changedFile(id, call: call, tool: tool, payload: payload, response: response)
            readTodos(id, tool: tool, payload: payload, response: response)
        }
    }

    /// Reports that a call ran with another command, path or address than was shown: a hook of the person's own, or a program that
    /// runs the agent, can change the input after ours has reported it.
    private mutating func reportChange(of open: ClaudeSession.Call, to ran: JSONValue?, in id: SessionID) {
        guard let object = ClaudeOperation.object(of: ran, in: sessions[id]?.currentDirectory), object != open.object else {
            return
        }
        let changed = ChangedInput.sentence(open.tool, ran: object)
        let message = TextCut.line(clean(changed, bytesMax: limits.texts.messageBytes))
        emit(.error(message: message, recoverable: true), in: id)
    }

    /// True if the question about this call was answered by nobody here, and faster than a person can read.
    private func isAnsweredByProgram(_ open: ClaudeSession.Call, in id: SessionID, duration: Int64?) -> Bool {
        guard let askedAt = open.askedAt, now.monotonic - askedAt - (duration ?? 0) < limits.readingWithin.milliseconds else {
            return false
        }
        return !approvals.contains { $0.session == id && $0.call == open.id && $0.answer != nil }
    }

    /// Ends the calls of a batch that have no end of their own: denied, rejected, or failed before they ran.
    mutating func batchFinished(_ id: SessionID, _ payload: JSONValue) {
        expectText(Self.agent(payload), in: id)
        for entry in payload.list("tool_calls") {
            guard let call = entry.text("tool_use_id").map({ TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }) else {
                continue
            }
            let text = ClaudeResult.text(entry.optional("tool_response"))
            if ClaudeAnswer.isUnasked(text) { refusedUnasked(id) }
            let end = batchProven(id, call: call, text: text)
            guard let open = sessions[id]?.calls[call] else {
                if end == .unproven { reportOther(of: call, in: id) }
                continue
            }
            let result = ClaudeResult(tool: open.tool, response: entry.optional("tool_response"), error: nil)
            if end == .unproven {
                let due = now.monotonic + limits.callEndWait.milliseconds
                unproven[call] = Unproven(session: id, call: open, result: result, due: due)
            } else if sessions[id]?.finish(call, countMax: limits.callsMax) == true {
                let succeeded = !result.isError && end == .over
                finish(call, tool: open.tool, agent: open.agent, result, succeeded: succeeded, in: id)
            }
        }
        let agent = Self.agent(payload)
        sessions[id]?.batchOver(of: agent)
        batchOver(id, agent: agent)
        if sessions[id]?.evidence.standing?.isAsking != true { workedOn(id) }
    }

    /// Ends a call that a person refused or interrupted at the terminal, which nothing else reports.
    mutating func abort(_ call: String, _ summary: String, in id: SessionID) {
        guard let open = sessions[id]?.calls[call] else { return }
        abort(open, summary, in: id)
    }

    mutating func abort(_ open: ClaudeSession.Call, _ summary: String, in id: SessionID) {
        guard sessions[id]?.finish(open.id, countMax: limits.callsMax) == true else { return }
        var finish = ToolFinish(call: open.id, tool: open.tool, succeeded: false)
        finish.summary = summary
        finish.agent = open.agent
        emit(.toolFinished(finish), in: id)
    }

    mutating func finish(
        _ call: String, tool: String, agent: String?, _ result: ClaudeResult, duration: Int64? = nil, succeeded: Bool,
        in id: SessionID
    ) {
        var finish = ToolFinish(call: call, tool: tool, succeeded: succeeded)
        finish.exitCode = result.exitCode
        finish.durationMilliseconds = duration
        finish.agent = agent
        let summary = TextCut.line(
            clean(result.summary, bytesMax: limits.texts.messageBytes), bytesMax: limits.texts.summaryBytes)
        finish.summary = summary.isEmpty ? nil : summary
        let output = result.output.map { cleanEnds($0, bytesMax: limits.texts.outputBytes) }
        emit(.toolFinished(finish), in: id) {
            if let output, !output.isEmpty { $0.field("output", output) }
        }
    }

    private mutating func changedFile(_ id: SessionID, call: String, tool: String, payload: JSONValue, response: JSONValue?) {
        guard ClaudeChange.tools.contains(tool), let paths = sessions[id]?.paths else { return }
        let input = payload.optional("tool_input")
        guard let path = input?.text("file_path") ?? input?.text("notebook_path") ?? response?.text("filePath") else { return }
        let change = ClaudeChange(tool: tool, input: input, response: response, redactor)
        let shown = TextCut.line(clean(paths.short(path)))
        let text = change?.diff.map { clean($0.text, bytesMax: limits.texts.diffBytes) }
        let head = EventHead.fileChanged(
            path: shown, added: change?.diff?.added ?? 0, removed: change?.diff?.removed ?? 0, call: call)
        emit(head, in: id) {
            if let text, !text.isEmpty { $0.field("diff", text) }
            change?.write(to: &$0)
        }
    }

    // MARK: Helpers

    private func subagentName(_ value: JSONValue?) -> String? {
        let name = value?.text("description").map { TextCut.line(clean($0), bytesMax: WireLimits.nameBytesMax) }
        return name?.isEmpty == false ? name : nil
    }

    static func tool(_ payload: JSONValue) -> String? {
        let name = payload.text("tool_name").map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        return name?.isEmpty == false ? name : nil
    }

    static func call(_ payload: JSONValue) -> String? {
        let name = payload.text("tool_use_id").map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        return name?.isEmpty == false ? name : nil
    }
}

extension EventHead {
    /// The call whose end this event reports, or comes with.
    fileprivate var ended: String? {
        switch self {
        case .toolFinished(let finish): finish.call
        case .fileChanged(_, _, _, let call): call
        default: nil
        }
    }
}

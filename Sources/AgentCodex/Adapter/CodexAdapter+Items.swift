internal import HostCore
internal import RelayProtocol

/// The items of a turn: messages, calls, changes of files, the plan. An item is reported once, even over a broken connection.
extension CodexAdapter {
    mutating func begin(_ item: CodexItem, in id: SessionID) {
        if case .prompt(_, let client) = item.kind {
            cutOff(in: id)
            if let client { taken(message: client, in: id) }
        }
        guard case .tool(let tool) = item.kind else { return }
        if case .changes(_, let bytes) = tool.subject { sessions[id]?.wants(bytes, of: item.id, bytesMax: limits.changesBytes) }
        start(tool, item.id, in: id)
    }

    private mutating func start(_ tool: CodexTool, _ call: String, in id: SessionID) {
        guard sessions[id]?.begin(call: call, tool: tool.name, countMax: limits.callsMax) == true else { return }
        outputs.began(call, of: shown(id))
        let words = tool.words(paths(of: id), clean: cleaner.clean)
        var start = ToolStart(
            call: call, tool: tool.name, operation: TextCut.line(words, bytesMax: limits.texts.operationBytes))
        if case .changes(let changes, _) = tool.subject, changes.count == 1 {
            start.file = changes[0].text("path").map { line(paths(of: id).short($0)) }
        }
        let shown = (try? JSONDocument(parsing: tool.input).root).map {
            cleaner.clean($0, of: tool.name, bytesMax: limits.texts.inputBytes)
        }
        start.isRedacted = shown?.isRedacted ?? false
        if sessions[id]?.delegation != nil { setStatus(.running, in: id) }
        // The relay takes a tool's start to mean that the agent works; so do we.
        sessions[id]?.status = .running
        sessions[id]?.statusReason = nil
        emit(.toolStarted(start), in: id) { if let shown { $0.raw("input", shown.json) } }
    }

    mutating func finish(_ item: CodexItem, in id: SessionID) {
        let message = sessions[id]?.takeMessage(item.id)
        if case .prompt(_, let client?) = item.kind { taken(message: client, in: id) }
        if case .tool(let tool) = item.kind { start(tool, item.id, in: id) }
        guard sessions[id]?.tell(item.id, countMax: limits.toldMax) == true else { return }
        switch item.kind {
        case .prompt(let text, _):
            if sessions[id]?.title == nil { rename(id, text) }
            say(.user, text, message: nil, in: id)
        case .answer(let text): say(.assistant, text.isEmpty ? message?.text ?? "" : text, message: item.id, in: id)
        case .thought(let text): say(.thought, text, message: nil, in: id)
        case .tool(let tool): finish(tool, item.id, in: id)
        case .other: break
        }
    }

    private mutating func say(_ role: MessageRole, _ text: String, message: String?, in id: SessionID) {
        guard !TextCut.trim(text).isEmpty else { return }
        let shown = cleaner.clean(text, bytesMax: limits.texts.messageBytes)
        let summary = TextCut.line(shown, bytesMax: limits.texts.summaryBytes)
        emit(.message(role, summary: summary.isEmpty ? nil : summary, message: message), in: id) { $0.field("text", shown) }
    }

    /// Ends the unfinished answer: a prompt in the running turn discards it, and Codex reports no end.
    private mutating func cutOff(in id: SessionID) {
        for message in sessions[id]?.messages ?? [] where sessions[id]?.tell(message.id, countMax: limits.toldMax) == true {
            say(
                .assistant, TextCut.rough(message.text, bytesMax: limits.texts.messageBytes) + Self.cutOffMark,
                message: message.id, in: id)
        }
        sessions[id]?.messages = []
    }

    private static let cutOffMark = "\n\n⟨cut off by the next prompt: Codex has forgotten this answer⟩"

    /// Streams a message. Only whole lines are sent early, because half a secret is not recognised. A key of many lines waits for
    /// the whole message.
    mutating func messageGrew(_ params: JSONValue, in id: SessionID) {
        guard let item = params.text("itemId").map({ TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }),
            let piece = params.text("delta"),
            sessions[id] != nil, sessions[id]?.delegation == nil
        else { return }
        var message = sessions[id]?.takeMessage(item) ?? CodexSession.Message(id: item)
        if message.text.utf8.count <= limits.texts.messageBytes { message.text += piece }
        if message.text.utf8.count <= limits.texts.messageBytes, !message.text.contains("-----BEGIN") {
            let fresh = message.text.utf8.dropFirst(message.streamed)
            if let end = fresh.lastIndex(of: UInt8(ascii: "\n")) {
                let lines = fresh[...end]
                message.streamed += lines.count
                let text = cleaner.clean(String(decoding: lines, as: UTF8.self))
                order(.stream(Delta(session: id, message: item, text: text)))
            }
        }
        sessions[id]?.messages.append(message)
        if let count = sessions[id]?.messages.count, count > limits.messagesMax { sessions[id]?.messages.removeFirst() }
    }

    // MARK: Calls

    mutating func printed(_ params: JSONValue, in id: SessionID) {
        guard let call = params.text("itemId").map({ TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }),
            let piece = params.text("delta")
        else { return }
        outputs.add(piece, to: call, of: shown(id), at: now.monotonic)
        sessions[id]?.calls[call]?.pieces += 1
        if sessions[id]?.calls[call]?.pieces == limits.outputPieces {
            outputs.add("\n⟨Codex shows no more of its output until it ends⟩\n", to: call, of: shown(id), at: now.monotonic)
        }
    }

    /// Reports text that the agent typed into a command that runs, and proves the approval of it.
    mutating func typed(_ params: JSONValue, in id: SessionID) {
        guard let text = params.text("stdin"), !text.isEmpty, let item = params.text("itemId"), sessions[id] != nil else {
            return
        }
        let run = CodexQuestion.run(params.text("turnId"), item)
        for approval in desk.approvals
        where isOwn(approval, of: id) && approval.tool == CodexTool.typing && !approval.isDenied
            && approval.run?.hasPrefix(run) == true
        {
            tellDesk(.shown(approval.id, .carriedOut(answers: nil, failed: false)))
        }
        sessions[id]?.typedCount += 1
        let call = TextCut.line("\(run)\(sessions[id]?.typedCount ?? 0)", bytesMax: WireLimits.nameBytesMax)
        let tool = CodexTool(typed: text)
        start(tool, call, in: id)
        finish(tool, call, in: id)
    }

    private mutating func finish(_ tool: CodexTool, _ call: String, in id: SessionID) {
        proven(tool, call, in: id)
        let background = sessions[id]?.background
        if sessions[id]?.calls.removeValue(forKey: call)?.isLeft == true { sessions[id]?.hasNews = true }
        if let session = sessions[id], session.status == .idle, let background, session.statusReason == background {
            setStatus(.idle, reason: session.background, in: id)
        }
        outputs.ended(call, of: shown(id))
        var finish = ToolFinish(call: call, tool: tool.name, succeeded: tool.succeeded)
        finish.exitCode = tool.exitCode
        finish.durationMilliseconds = tool.milliseconds
        let said = tool.problem ?? (tool.isDeclined ? "Denied" : tool.output.map(TextCut.lastLine) ?? "")
        let summary = TextCut.line(
            cleaner.clean(said, bytesMax: limits.texts.messageBytes), bytesMax: limits.texts.summaryBytes)
        finish.summary = summary.isEmpty ? nil : summary
        let output = tool.output.map { cleaner.cleanEnds($0, bytesMax: limits.texts.outputBytes) }
        emit(.toolFinished(finish), in: id) { if let output, !output.isEmpty { $0.field("output", output) } }
        guard case .changes(let changes, _) = tool.subject else { return }
        sessions[id]?.wants(nil, of: call, bytesMax: limits.changesBytes)
        if tool.succeeded { for change in changes.compactMap({ CodexChange($0, redactor) }) { tell(change, call, in: id) } }
    }

    private mutating func tell(_ change: CodexChange, _ call: String, in id: SessionID) {
        let path = line(paths(of: id).short(change.target ?? change.path))
        let head = EventHead.fileChanged(path: path, added: change.lines.added, removed: change.lines.removed, call: call)
        // Secrets were hidden before, in the text as it is in the file.
        let text = cleaner.clean(change.text, bytesMax: limits.texts.diffBytes)
        emit(head, in: id) { if !text.isEmpty { $0.field("diff", text) } }
    }

    // MARK: The plan

    mutating func planUpdated(_ params: JSONValue, in id: SessionID) {
        let steps = params.list("plan").prefix(limits.texts.todosMax).compactMap { step in
            step.text("step").map { (text: line($0, bytesMax: 400), status: step.text("status")) }
        }
        let items = JSONWriter.array(
            steps.map { step in
                JSONWriter.object {
                    $0.field("text", step.text)
                    $0.field("status", step.status == "completed" ? "done" : step.status == "inProgress" ? "active" : "pending")
                }
            })
        guard sessions[id] != nil, sessions[id]?.todos != items else { return }
        sessions[id]?.todos = items
        let current = steps.first { $0.status == "inProgress" }.map {
            TextCut.line($0.text, bytesMax: limits.texts.operationBytes)
        }
        let done = steps.count { $0.status == "completed" }
        emit(.todoChanged(TodoProgress(completed: Int64(done), total: Int64(steps.count), current: current)), in: id) {
            $0.raw("items", items)
        }
    }
}

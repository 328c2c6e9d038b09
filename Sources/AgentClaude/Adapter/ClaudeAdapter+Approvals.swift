package import HostCore
package import RelayProtocol

/// Approvals: the questions that Claude asks, and the orders of the desk for them.
extension ClaudeAdapter {
    mutating func permissionRequested(_ id: SessionID, _ hook: ClaudeHook, _ payload: JSONValue) {
        guard let token = hook.token else { return }
        // In a mode that never asks, no person is asked unless we made the agent ask.
        guard let tool = Self.tool(payload), payload.text("permission_mode") != "bypassPermissions" || asksForAll(id) else {
            order(.respond(token, nil))
            return
        }
        let input = payload.optional("tool_input")
        let raw = input.map { Array($0.bytes) } ?? []
        let questions = tool == "AskUserQuestion" ? ClaudeQuestion.all(in: input, clean: clean) : nil
        let form = ClaudeForm(
            tool: tool, input: input, questions: questions ?? [],
            offers: questions == nil ? ClaudeOffer.all(in: payload, of: tool, cleaner) : [])
        var question = ApprovalQuestion(
            session: id, kind: questions == nil ? .tool : .question, tool: tool, input: raw, digests, form: form, token: token)
        question.agent = Self.agent(payload)
        question.prompt = Self.prompt(payload)
        question.process = hook.process
        // The agent's own dialog waits for us, so we do not wait for a relay that is away.
        question.isAttended = hook.isAttended && !hook.dialogWaits
        if hook.dialogWaits { question.life = limits.approvals.life }
        question.attempt = hook.attempt
        question.run = hook.run
        var shown = (json: Array("{}".utf8), isRedacted: false, isCut: false)
        // The search for secrets takes long for a large input; a hook that calls again has been through it.
        if let input, desk.isNew(question) { shown = clean(input, of: tool, bytesMax: limits.texts.approvalInputBytes) }
        // A question in an unknown form can only be denied, or answered at the terminal.
        question.isCut = shown.isCut || !hook.isWhole || (tool == "AskUserQuestion" && questions == nil)
        question.isEditable = !shown.isRedacted && raw.count <= EditedInput.askedBytesMax
        let taken = Set(approvals.compactMap(\.call))
        question.call = sessions[id]?.call(question.inputDigest, agent: question.agent, except: taken)
        put(question, payload, input: input, file: hook.file, shown: shown.json, isRedacted: shown.isRedacted)
    }

    /// Gives a question to the desk, and makes its approval if it is new. `file`: the existing file at the path that the input
    /// would write.
    mutating func put(
        _ question: ApprovalQuestion<ClaudeForm>, _ payload: JSONValue, input: JSONValue?, file: ClaudeFile?,
        shown: [UInt8], isRedacted: Bool
    ) {
        for order in consult(.asked(question)) {
            guard case .show(let name) = order, let approval = desk[name] else {
                carryOut(order)
                continue
            }
            workedOn(question.session)
            sessions[question.session]?.cardAt = now.monotonic
            if let call = approval.call { sessions[question.session]?.calls[call]?.askedAt = now.monotonic }
            let agentName = approval.agent.flatMap { subagentName($0, in: question.session, payload) }
            let change = ClaudeChange(tool: question.tool, input: input, file: file, redactor)
            ask(approval, agentName, input: input, file, change, shown: shown, isRedacted: isRedacted)
        }
    }

    private mutating func ask(
        _ approval: PendingApproval<ClaudeForm>, _ agentName: String?, input: JSONValue?, _ file: ClaudeFile?,
        _ change: ClaudeChange?, shown: [UInt8], isRedacted: Bool
    ) {
        let paths = sessions[approval.session]?.paths ?? ShownPaths(home: home)
        let title =
            approval.form?.elicited.map { TextCut.line($0.message, bytesMax: limits.texts.operationBytes) }
            ?? ClaudeOperation(tool: approval.tool, input: input, paths: paths, clean: clean).asking
        var request = ApprovalRequest(
            approval: approval.id, kind: approval.kind, tool: approval.tool, title: title, digest: approval.digest)
        // Text that is removed, or is around a change, may contain hidden parts too.
        request.isRedacted = isRedacted || change?.diff?.isRedacted == true
        request.isCut = approval.isCut
        request.expiresAt = approval.expiresAt
        request.call = approval.call
        request.agent = approval.agent
        request.agentName = agentName
        request.modes = approval.form?.modes ?? []
        request.offers = approval.offers
        request.editable = approval.editable
        if approval.kind == .tool {
            request.risks = RequestRisks.of(
                input, of: approval.tool, paths: paths, target: change?.target, links: links(to: file, of: approval.tool, input)
            ).map(clean)
        }
        // The body repeats the questions for people; both together must fit.
        let isTwice = approval.kind == .question && shown.count < limits.texts.approvalDiffBytes
        let questions = approval.form?.questions ?? []
        request.questions = AskedQuestion.offers(of: questions)
        request.alert = words(for: request, shown: shown, questions)
        // The diff is shown whole or not at all, because people decide by it. It may use the room that the input leaves.
        let room = limits.texts.approvalDiffBytes + max(0, limits.texts.approvalInputBytes - shown.count)
        let diff = change?.diff.flatMap { cleanWhole($0.text, bytesMax: room) }
        var said = change
        if diff == nil, change?.isCounted == true { said?.problem = .tooLong }
        let isShown = emit(.approvalRequested(request), in: approval.session) {
            if approval.kind == .tool || isTwice || questions.isEmpty { $0.raw("input", shown) }
            if !questions.isEmpty { $0.array("questions", questions.map(\.bytes)) }
            $0.field("diff", diff)
            said?.write(to: &$0)
        }
        if !isShown { tellDesk(.cut(approval.id)) }
    }

    /// The links of a tool whose change is not shown; nil if its file was not looked at in time.
    private func links(to file: ClaudeFile?, of tool: String, _ input: JSONValue?) -> [String: String]? {
        guard !ClaudeChange.tools.contains(tool), let file, let path = input.flatMap({ ClaudeFile.written(by: tool, $0) })
        else {
            return [:]
        }
        return file.content == .unread(.late) ? nil : file.target.map { [path: $0] } ?? [:]
    }

    /// Texts that a notification may contain, from those that people may see.
    private func words(for request: ApprovalRequest, shown: [UInt8], _ questions: [ClaudeQuestion]) -> RequestWords? {
        switch request.kind {
        case .tool: (try? JSONDocument(parsing: shown).root).flatMap { RequestWords(request, input: $0) }
        case .question: RequestWords(request, questions: questions.map(\.shown))
        }
    }

    package func edited(_ approval: ApprovalID, by edit: String) throws(EditError) -> UnaskedCall {
        guard let asked = desk[approval] else { throw .notOffered }
        return try asked.editedCall(by: edit, paths: sessions[asked.session]?.paths ?? ShownPaths(home: home))
    }

    mutating func decided(_ session: SessionID, _ id: ApprovalID, _ digest: InputDigest, _ decision: Decision) {
        if knows(id, of: session) { tellDesk(.decided(session, id, digest, decision)) }
    }

    func knows(_ approval: ApprovalID, of session: SessionID) -> Bool {
        desk[approval]?.session == session || sessions[session] != nil
    }

    // MARK: Orders of the desk

    mutating func tellDesk(_ fact: ApprovalFact<ClaudeForm>) {
        for order in consult(fact) { carryOut(order) }
    }

    mutating func carryOut(_ order: ApprovalOrder) {
        switch order {
        case .show: preconditionFailure("only what a hook asks is shown")
        case .remember(let id, let note):
            if note == nil { dialogs[id] = nil }
            self.order(.remember(id.rawValue, note))
        case .reopened(let id): reopened(id)
        case .deliver(let id, let token, let output): deliver(id, token, output)
        case .abstain(let token): self.order(.respond(token, nil))
        case .settled(let session, let end):
            sessions[session]?.cardAt = now.monotonic
            if let end { emit(end, in: session) }
        case .emit(let session, let head): emit(head, in: session)
        case .judge(let id): judge(id)
        case .check(let process): self.order(.checkAgents([process]))
        }
    }

    private mutating func deliver(_ id: ApprovalID, _ token: HookToken, _ output: [UInt8]) {
        guard let approval = desk[id] else { return order(.respond(token, nil)) }
        sessions[approval.session]?.cardAt = now.monotonic
        workedOn(approval.session)
        emit(.approvalDelivered(id), in: approval.session)
        order(.respond(token, approval.isElicitation && approval.isDenied ? ClaudeAnswer.decline : output))
        if approval.isDenied, approval.hasDialog, approval.call != nil,
            let path = sessions[approval.session]?.transcript
        {
            order(.followTranscript(approval.session, path: path))
        }
    }

    private mutating func reopened(_ id: ApprovalID) {
        guard let approval = desk[id], approval.hasDialog, sessions[approval.session]?.evidence.standing == nil else { return }
        // No evidence says if its dialog is still open.
        let status: SessionStatus = approval.kind == .tool ? .waitingApproval : .waitingAnswer
        setStatus(status, reason: Self.perhapsReason, in: approval.session)
    }
}

extension PendingApproval {
    /// True if Claude Code can show a dialog that the registry reports: only for the main agent, and only at an attended terminal.
    var hasDialog: Bool { isAttended && agent == nil }

    /// True if a tool server asks, not the agent: the agent's own questions name a tool that belongs to no server.
    var isElicitation: Bool { kind == .question && tool.hasPrefix("mcp__") }
}

internal import HostCore
internal import RelayProtocol

/// Approvals: asked, decided, delivered.
extension ClaudeAdapter {
    mutating func permissionRequested(_ id: SessionID, _ hook: ClaudeHook, _ payload: JSONValue) {
        guard let token = hook.token else { return }
        let isUnreachable = !isLinkLive && now.monotonic - linkDownSince >= limits.headlessUnreachable.milliseconds
        // Nobody is asked in a mode that asks nobody, unless we made it ask, nor for an agent that would wait for nothing.
        guard let tool = Self.tool(payload), payload.text("permission_mode") != "bypassPermissions" || holds.contains(id),
            hook.isAttended || !isUnreachable, approvals.count < limits.approvalsMax
        else {
            order(.respond(token, nil))
            return
        }
        let input = payload.optional("tool_input")
        let raw = input.map { Array($0.bytes) } ?? []
        let digest = digests.input(tool: tool, raw)
        let questions = tool == "AskUserQuestion" ? ClaudeQuestion.all(in: input, clean: clean) : nil
        if hook.attempt > 1, let run = hook.run {
            if let known = approvals.values.first(where: {
                $0.run == run && $0.session == id && $0.tool == tool && $0.digest == digest
            }) {
                reclaim(known, token, hook, input: raw, questions ?? [])
                return
            }
            // It is settled already.
            if closed.contains(where: { $0.run == run }) {
                order(.respond(token, nil))
                return
            }
        }
        requestCount += 1
        let name = digests.approval(
            [
                id.rawValue, Self.prompt(payload) ?? "", Self.agent(payload) ?? "", tool, digest.rawValue, "\(now.wall)",
                "\(requestCount)",
            ])
        let life = hook.isAttended ? limits.approvalLife : limits.headlessLife
        var shown =
            input.map { clean($0, of: tool, bytesMax: limits.approvalInputBytes) } ?? (
                json: Array("{}".utf8), isRedacted: false, isCut: false
            )
        // A question in a form that we do not know must not be waved through: it can be denied, or answered at the terminal.
        let isUnknown = tool == "AskUserQuestion" && questions == nil
        if !hook.isWhole || isUnknown { shown.isCut = true }
        var approval = ClaudeApproval(
            id: name, session: id, kind: questions == nil ? .tool : .question, tool: tool, agent: Self.agent(payload),
            prompt: Self.prompt(payload), run: hook.run, digest: digest, input: raw, questions: questions ?? [],
            isCut: shown.isCut, expiresAt: now.wall + life.milliseconds,
            deadline: now.monotonic + life.milliseconds, order: requestCount, token: token, at: now.monotonic,
            isAttended: hook.isAttended,
            process: hook.process)
        let taken = Set(approvals.values.compactMap(\.call))
        approval.call = sessions[id]?.call(digest, agent: approval.agent, except: taken)
        approval.mayBeOver = hook.attempt > 1
        approvals[name] = approval
        workedOn(id)
        sessions[id]?.cardAt = now.monotonic
        order(.remember(name.rawValue, approval.note))
        let agentName = approval.agent.flatMap { subagentName($0, in: id, payload) }
        let change = ClaudeChange(tool: tool, input: input, file: hook.file, redactor)
        ask(approval, agentName, input: input, change, shown: shown.json, isRedacted: shown.isRedacted)
    }

    private mutating func ask(
        _ approval: ClaudeApproval, _ agentName: String?, input: JSONValue?, _ change: ClaudeChange?, shown: [UInt8],
        isRedacted: Bool
    ) {
        let paths = sessions[approval.session]?.paths ?? ClaudePaths(home: home)
        let title = ClaudeOperation(tool: approval.tool, input: input, paths: paths, clean: clean).asking
        var request = ApprovalRequest(
            approval: approval.id, kind: approval.kind, tool: approval.tool, title: title, digest: approval.digest)
        // Of what is removed or stands around a change, too, something may be hidden.
        request.isRedacted = isRedacted || change?.diff?.isRedacted == true
        request.isCut = approval.isCut
        request.expiresAt = approval.expiresAt
        request.call = approval.call
        request.agent = approval.agent
        request.agentName = agentName
        request.modes = approval.modes
        // Questions stand in the body once more for people; both together must fit.
        let isTwice = approval.kind == .question && shown.count < limits.approvalDiffBytes
        let questions = approval.isCut ? [] : approval.questions
        let offers = questions.map {
            QuestionOffer(id: $0.id, choices: $0.choices.map(\.shownLabel), isMultiple: $0.isMultiple)
        }
        let isShort = offers.reduce(0) { $0 + $1.choices.reduce(32) { $0 + $1.utf8.count + 4 } } <= QuestionOffer.bytesMax
        request.questions = isShort ? offers : []
        // Whole or not at all: people decide on what they see. It has the room that the input leaves.
        let room = limits.approvalDiffBytes + max(0, limits.approvalInputBytes - shown.count)
        let diff = change?.diff.flatMap { cleanWhole($0.text, bytesMax: room) }
        var said = change
        if diff == nil, change?.isCounted == true { said?.problem = .tooLong }
        let isShown = emit(.approvalRequested(request), in: approval.session) {
            if approval.kind == .tool || isTwice || questions.isEmpty { $0.raw("input", shown) }
            if !questions.isEmpty { $0.array("questions", questions.map(\.bytes)) }
            $0.field("diff", diff)
            said?.write(to: &$0)
        }
        guard !isShown else { return }
        approvals[approval.id]?.cut()
        if let note = approvals[approval.id]?.note { order(.remember(approval.id.rawValue, note)) }
    }

    // MARK: Decisions

    mutating func decided(_ session: SessionID, _ id: ApprovalID, _ digest: InputDigest, _ decision: Decision) {
        guard let approval = approvals[id], approval.session == session else {
            guard sessions[session] != nil else { return }
            // One that we resolved ourselves is on its way to the relay, which learns from that.
            let past = closed.last { $0.id == id }
            if past?.isSilent != false {
                emit(.approvalStale(id, reason: past == nil ? "unknownApproval" : "expired"), in: session)
                closed.removeAll { $0.id == id }
                close(id, isSilent: false)
            }
            return
        }
        switch approval.phase {
        case .open(let token): apply(digest, decision, to: approval, token)
        case .orphaned, .lost:
            // The same again tells what is not known whole any more; there is no other, as the relay takes one.
            approvals[id]?.heldDecision = (digest, decision)
        // The same again: what becomes of it is told soon.
        case .answered: break
        }
    }

    private mutating func apply(_ digest: InputDigest, _ decision: Decision, to approval: ClaudeApproval, _ token: HookToken) {
        func isWhole() -> Bool { if case .deny = decision.verdict { true } else { !approval.isCut } }
        // Over the bytes that we hold, not over what we once said of them; what is cut is never allowed, and not held.
        let held = approval.isCut ? approval.digest : digests.input(tool: approval.tool, approval.input)
        guard digest == held else {
            resolve(approval.id, .approvalStale(approval.id, reason: "digestMismatch"))
            return
        }
        guard isWhole() else {
            resolve(approval.id, .approvalStale(approval.id, reason: "notWhole"))
            return
        }
        guard let output = approval.output(of: decision), let handed = ClaudeHanded(decision, for: approval, digests) else {
            resolve(approval.id, .approvalStale(approval.id, reason: "badAnswer"))
            return
        }
        deliver(handed, output, to: approval, token)
    }

    private mutating func deliver(_ handed: ClaudeHanded, _ output: [UInt8], to approval: ClaudeApproval, _ token: HookToken) {
        var answered = approval
        answered.phase = .answered(handed)
        answered.phaseAt = now.monotonic
        sessions[approval.session]?.cardAt = now.monotonic
        answered.heldDecision = nil
        answered.handedBefore = nil
        approvals[approval.id] = answered
        workedOn(approval.session)
        // The note first: a crash between the two makes the next life hand it over again, to the same hook.
        order(.remember(approval.id.rawValue, answered.note))
        emit(.approvalDelivered(approval.id), in: approval.session)
        order(.respond(token, output))
        if case .deny = handed.kind, approval.hasDialog, approval.call != nil, let path = sessions[approval.session]?.transcript
        {
            order(.followTranscript(approval.session, path: path))
        }
    }

    // MARK: The same hook again

    /// Only by the name of its run: another hook may ask the very same, and has its own answer.
    private mutating func reclaim(
        _ known: ClaudeApproval, _ token: HookToken, _ hook: ClaudeHook, input: [UInt8], _ questions: [ClaudeQuestion]
    ) {
        // A hook can be back before its broken connection was noticed.
        if let old = known.token { order(.respond(old, nil)) }
        var approval = known
        approval.input = known.isCut ? [] : input
        approval.questions = known.isCut ? [] : questions
        approval.handedBefore = known.answer
        approval.phase = .open(token)
        approval.phaseAt = now.monotonic
        approval.process = hook.process ?? approval.process
        approvals[approval.id] = approval
        if let held = approval.heldDecision {
            apply(held.digest, held.decision, to: approval, token)
        } else if let handed = approval.handedBefore {
            handOverAgain(handed, to: approval, token)
        } else if approval.hasDialog, sessions[approval.session]?.evidence.standing == nil {
            // Nothing shows whether its dialog is still there.
            let status: SessionStatus = approval.kind == .tool ? .waitingApproval : .waitingAnswer
            setStatus(status, reason: Self.perhapsReason, in: approval.session)
        }
    }

    /// It asks again, so it never got what was handed over.
    private mutating func handOverAgain(_ handed: ClaudeHanded, to approval: ClaudeApproval, _ token: HookToken) {
        switch (handed.kind, approval.kind) {
        case (.allow(let mode), .tool) where !approval.isCut && mode.map(approval.modes.contains) != false:
            deliver(handed, ClaudeAnswer.allow(tool: approval.tool, mode: mode), to: approval, token)
        case (.deny(let words), _): deliver(handed, ClaudeAnswer.deny(words), to: approval, token)
        case (.answer(_, let answers?), .question):
            if let output = approval.output(of: answers) {
                deliver(handed, output, to: approval, token)
            } else {
                resolve(approval.id, .approvalStale(approval.id, reason: "badAnswer"))
            }
        // Of long answers only the digest is left: the agent's own prompt stays.
        default: resolve(approval.id, .approvalStale(approval.id, reason: "hostRestarted"))
        }
    }
}

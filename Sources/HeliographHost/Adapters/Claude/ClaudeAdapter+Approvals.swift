internal import Crypto
internal import RelayProtocol

/// Approvals: asked, decided, delivered.
extension ClaudeAdapter {
    mutating func permissionRequested(_ id: SessionID, _ hook: ClaudeHook, _ payload: JSONValue) {
        guard let token = hook.token else { return }
        let isUnreachable = !isLinkLive && now.monotonic - linkDownSince >= limits.headlessUnreachable.milliseconds
        // Nobody is asked in a mode that asks nobody, nor for an agent that would wait for nothing.
        guard let tool = Self.tool(payload), payload.text("permission_mode") != "bypassPermissions",
            hook.isAttended || !isUnreachable, approvals.count < limits.approvalsMax
        else {
            order(.respond(token, nil))
            return
        }
        let input = payload.optional("tool_input")
        let raw = input.map { Array($0.bytes) } ?? []
        let digest = Self.digest(tool: tool, input: raw)
        let questions = tool == "AskUserQuestion" ? ClaudeQuestion.all(in: input, clean: clean) : nil
        // A question in a form that we do not know cannot be answered from afar, and must not be waved through.
        if tool == "AskUserQuestion", questions == nil {
            order(.respond(token, nil))
            return
        }
        if hook.attempt > 1,
            let known = waitingForHook(
                session: id, tool: tool, agent: Self.agent(payload), prompt: payload.text("prompt_id"), digest)
        {
            reclaim(known, token, hook, input: raw, questions ?? [])
            return
        }
        requestCount += 1
        let name = Self.approvalID(
            [
                id.rawValue, payload.text("prompt_id") ?? "", Self.agent(payload) ?? "", tool, digest.rawValue, "\(now.wall)",
                "\(requestCount)",
            ])
        let life = limits.approvalLife - (hook.isAttended ? .zero : limits.headlessMargin)
        let shown =
            input.map { clean($0, bytesMax: limits.approvalInputBytes) } ?? (
                json: Array("{}".utf8), isRedacted: false, isCut: false
            )
        var approval = ClaudeApproval(
            id: name, session: id, kind: questions == nil ? .tool : .question, tool: tool, agent: Self.agent(payload),
            prompt: payload.text("prompt_id"), digest: digest, input: raw, questions: questions ?? [],
            isCut: shown.isCut, expiresAt: now.wall + life.milliseconds, token: token, isAttended: hook.isAttended,
            process: hook.process)
        let taken = Set(approvals.values.compactMap(\.call))
        approval.call = sessions[id]?.call(digest, agent: approval.agent, except: taken)
        approvals[name] = approval
        order(.remember(name.rawValue, approval.note))
        ask(approval, input: input, shown: shown.json, isRedacted: shown.isRedacted)
    }

    private mutating func ask(_ approval: ClaudeApproval, input: JSONValue?, shown: [UInt8], isRedacted: Bool) {
        let paths = sessions[approval.session]?.paths ?? ClaudePaths(home: home)
        let title = ClaudeOperation(tool: approval.tool, input: input, paths: paths, clean: clean).asking
        var request = ApprovalRequest(
            approval: approval.id, kind: approval.kind, tool: approval.tool, title: title, digest: approval.digest)
        request.isRedacted = isRedacted
        request.isCut = approval.isCut
        request.expiresAt = approval.expiresAt
        request.call = approval.call
        request.agent = approval.agent
        let diff = approval.kind == .tool ? ClaudeDiff(tool: approval.tool, input: input)?.text : nil
        // Questions stand in the body once more for people; both together must fit.
        let isTwice = approval.kind == .question && shown.count < limits.approvalDiffBytes
        let questions = approval.isCut ? [] : approval.questions
        let change = diff.map { clean($0, bytesMax: limits.approvalDiffBytes) }
        emit(.approvalRequested(request), in: approval.session) {
            if approval.kind == .tool || isTwice || questions.isEmpty { $0.raw("input", shown) }
            if !questions.isEmpty { $0.array("questions", questions.map(\.bytes)) }
            $0.field("diff", change)
        }
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
        case .orphaned: if !approval.wasDelivered { approvals[id]?.heldDecision = (digest, decision) }
        // The same again, or one for a hook that is gone: what becomes of it is told soon.
        case .answered, .lost: break
        }
    }

    private mutating func apply(_ digest: InputDigest, _ decision: Decision, to approval: ClaudeApproval, _ token: HookToken) {
        func isWhole() -> Bool { if case .deny = decision.verdict { true } else { !approval.isCut } }
        // Over the bytes that we hold, not over what we once said of them.
        guard digest == Self.digest(tool: approval.tool, input: approval.input) else {
            resolve(approval.id, .approvalStale(approval.id, reason: "digestMismatch"))
            return
        }
        guard isWhole() else {
            resolve(approval.id, .approvalStale(approval.id, reason: "notWhole"))
            return
        }
        guard let output = approval.output(of: decision) else {
            resolve(approval.id, .approvalStale(approval.id, reason: "badAnswer"))
            return
        }
        var answered = approval
        answered.phase = .answered(decision)
        answered.heldDecision = nil
        answered.wasDelivered = false
        approvals[approval.id] = answered
        // The note first: a crash between the two makes the next life hand it over again, to the same hook.
        order(.remember(approval.id.rawValue, answered.note))
        emit(.approvalDelivered(approval.id), in: approval.session)
        order(.respond(token, output))
    }

    // MARK: The same hook again

    private func waitingForHook(
        session: SessionID, tool: String, agent: String?, prompt: String?, _ digest: InputDigest
    ) -> ClaudeApproval? {
        let same = approvalsInOrder.filter {
            $0.session == session && $0.tool == tool && $0.agent == agent && $0.prompt == prompt && $0.digest == digest
        }
        let waiting = same.first { approval in
            switch approval.phase {
            case .orphaned, .lost: true
            case .open, .answered: false
            }
        }
        // A hook can be back before its broken connection was noticed.
        return waiting ?? same.first { $0.token != nil }
    }

    private mutating func reclaim(
        _ known: ClaudeApproval, _ token: HookToken, _ hook: ClaudeHook, input: [UInt8], _ questions: [ClaudeQuestion]
    ) {
        if let old = known.token { order(.respond(old, nil)) }
        var approval = known
        approval.input = input
        approval.questions = questions
        approval.phase = .open(token)
        approval.process = hook.process ?? approval.process
        approvals[approval.id] = approval
        if let held = approval.heldDecision { apply(held.digest, held.decision, to: approval, token) }
    }

    // MARK: Names

    static func digest(tool: String, input: [UInt8]) -> InputDigest {
        let text = Array("heliograph.input.v1".utf8) + [0] + Array(tool.utf8) + [0] + input
        guard let digest = InputDigest(Crypto.hex(Crypto.sha256(text))) else {
            preconditionFailure("a SHA-256 in hexadecimal is a digest")
        }
        return digest
    }

    /// Not secret and never used twice: the same question later is another one.
    private static func approvalID(_ parts: [String]) -> ApprovalID {
        let text = parts.joined(separator: "\u{0}")
        guard let id = ApprovalID("a" + Crypto.hex(Crypto.sha256(text)).prefix(24)) else {
            preconditionFailure("hexadecimal digits are an identifier")
        }
        return id
    }
}

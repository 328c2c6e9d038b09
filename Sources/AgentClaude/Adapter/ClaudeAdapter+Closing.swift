internal import HostCore
internal import RelayProtocol

/// How an approval ends. Claude does not tell its hooks when a prompt is answered at the terminal, so it is told from what comes
/// next; what its registry adds stands in `ClaudeAdapter+Registry.swift`.
///
/// | what comes | not answered by us | our allow or answer | our deny |
/// |---|---|---|---|
/// | PostToolUse of the call | allowedLocally, answeredLocally | ran; answered if the answers are ours, else stale | stale |
/// | PostToolBatch, rejection text | deniedLocally | stale | stale, or denied where it is our own message |
/// | PostToolBatch, anything else | allowedLocally | ran | denied where it is our own message, else stale |
/// | Stop, the next prompt, the subagent's end | turnEnded | ran where it was seen under way, else stale | denied: it did not run |
/// | SessionEnd | sessionEnded | sessionEnded | sessionEnded |
/// | the hook goes away | deniedLocally, unless SessionEnd follows or the agent is gone; hookEnded while its dialog stays | | |
/// | the hook gave us up while we were stopped | hostRestarted | | |
/// | the agent is gone | agentGone | agentGone | agentGone |
///
/// A prompt that was answered at the terminal while no daemon ran left no sign: its hook calls again, and its card stays open
/// until the call, the batch or the turn is over, or somebody decides, which then has no effect. Had the call itself ended
/// while no daemon ran, only the end of the turn tells. What is told of a call before its hook is back closes the card too,
/// and the hook gets no decision.
///
/// Events of *other* calls prove nothing: calls of one message run side by side.
extension ClaudeAdapter {
    /// The end of an approval: told, forgotten, and whoever waits gets no decision.
    mutating func resolve(_ id: ApprovalID, _ end: EventHead?) {
        guard let approval = approvals.removeValue(forKey: id) else { return }
        sessions[approval.session]?.cardAt = now.monotonic
        if let end { emit(end, in: approval.session) }
        order(.remember(id.rawValue, nil))
        close(id, isSilent: end == nil, run: approval.run)
        if let token = approval.token { order(.respond(token, nil)) }
    }

    mutating func close(_ id: ApprovalID, isSilent: Bool, run: String? = nil) {
        closed.append((id, isSilent, run))
        if closed.count > limits.closedMax { closed.removeFirst() }
    }

    /// A tool call began; an approval that came before its call (hooks race) now knows it.
    mutating func adopt(_ call: String, _ digest: InputDigest, agent: String?, in session: SessionID) {
        let waiting = approvalsInOrder.filter {
            $0.session == session && $0.call == nil && $0.digest == digest && $0.agent == agent
        }
        if let first = waiting.first { approvals[first.id]?.call = call }
    }

    // MARK: Proof

    /// The tool ran.
    mutating func toolProven(_ session: SessionID, _ payload: JSONValue, tool: String, call: String, failed: Bool) {
        for approval in approvalsInOrder where approval.session == session && approval.tool == tool {
            let isIt = approval.call.map { $0 == call } ?? isSame(approval, payload)
            guard isIt else { continue }
            guard let answer = approval.answer else {
                let reason = approval.kind == .tool ? "allowedLocally" : failed ? "deniedLocally" : "answeredLocally"
                resolve(approval.id, .approvalCancelled(approval.id, reason: reason))
                continue
            }
            switch answer.kind {
            case .allow: resolve(approval.id, .approvalApplied(approval.id, outcome: .ran))
            case .deny:
                let reason = approval.kind == .tool ? "allowedLocally" : "answeredLocally"
                resolve(approval.id, .approvalStale(approval.id, reason: reason))
            case .answer(let digest, _):
                let isOurs = !failed && Self.answers(in: payload).map(digests.answers) == digest
                resolve(
                    approval.id,
                    isOurs
                        ? .approvalApplied(approval.id, outcome: .answered)
                        : .approvalStale(approval.id, reason: "answeredLocally"))
            }
        }
    }

    /// What the model was told of a call, which also tells of those that did not run. True where it was told our denial.
    mutating func batchProven(_ session: SessionID, call: String, text: String) -> Bool {
        var isDenied = false
        for approval in approvalsInOrder where approval.session == session && approval.call == call {
            let isRejected = ClaudeResult.isRejection(text)
            guard let answer = approval.answer else {
                let local = approval.kind == .tool ? "allowedLocally" : "answeredLocally"
                resolve(approval.id, .approvalCancelled(approval.id, reason: isRejected ? "deniedLocally" : local))
                continue
            }
            let end: EventHead
            switch answer.kind {
            case .deny(let words):
                if Self.isDenial(text, words) {
                    isDenied = true
                    end = .approvalApplied(approval.id, outcome: .denied)
                } else {
                    end = .approvalStale(approval.id, reason: isRejected ? "deniedLocally" : "allowedLocally")
                }
            case .allow:
                end =
                    isRejected
                    ? .approvalStale(approval.id, reason: "deniedLocally") : .approvalApplied(approval.id, outcome: .ran)
            case .answer: end = .approvalStale(approval.id, reason: isRejected ? "deniedLocally" : "unconfirmed")
            }
            resolve(approval.id, end)
        }
        return isDenied
    }

    /// A whole batch is over: of an approval that never knew its call there is no more to learn.
    mutating func batchOver(_ session: SessionID, agent: String?) {
        for approval in approvalsInOrder
        where approval.session == session && approval.agent == agent && approval.call == nil { overtaken(approval) }
    }

    /// The turn of the agent, or of the subagent, is over; so is all that it asked.
    mutating func turnOver(_ session: SessionID, agent: String?) {
        for approval in approvalsInOrder where approval.session == session && approval.agent == agent { overtaken(approval) }
        let calls = sessions[session]?.calls.filter { $0.value.agent != agent } ?? [:]
        sessions[session]?.calls = calls
    }

    private mutating func overtaken(_ approval: ClaudeApproval) {
        guard let answer = approval.answer else {
            resolve(approval.id, .approvalCancelled(approval.id, reason: "turnEnded"))
            return
        }
        switch answer.kind {
        case .deny: resolve(approval.id, .approvalApplied(approval.id, outcome: .denied))
        case .allow where approval.dialog.wentOn: resolve(approval.id, .approvalApplied(approval.id, outcome: .ran))
        case .allow, .answer: resolve(approval.id, .approvalStale(approval.id, reason: "unconfirmed"))
        }
    }

    // MARK: Loss

    mutating func hookGone(_ token: HookToken) {
        guard let approval = approvals.values.first(where: { $0.token == token }) else { return }
        func until(_ grace: Duration) -> Int64 { now.monotonic + grace.milliseconds }
        let isAway = now.monotonic <= awayUntil
        approvals[approval.id]?.phase =
            isAway ? .orphaned(until: until(limits.hookLossGrace)) : .lost(until: until(limits.endGrace))
        approvals[approval.id]?.phaseAt = now.monotonic
        if let process = approval.process { order(.checkAgents([process])) }
    }

    /// The time of those that wait for something is up.
    mutating func resolveOverdue() {
        for approval in approvalsInOrder {
            switch approval.phase {
            case .open:
                if now.monotonic >= approval.deadline {
                    // The relay says so itself, after the same time. After a restart only the date was left, which a clock that jumped
                    // makes another time than the relay's: then we say it.
                    resolve(
                        approval.id,
                        approval.isRestored ? .approvalCancelled(approval.id, reason: "expired") : nil)
                } else if !approval.isAttended, !isLinkLive,
                    now.monotonic - linkDownSince >= limits.headlessUnreachable.milliseconds
                {
                    resolve(approval.id, .approvalCancelled(approval.id, reason: "relayUnreachable"))
                }
            case .lost(let until) where now.monotonic >= until: lostForGood(approval)
            case .orphaned(let until) where now.monotonic >= until:
                if let answer = approval.answer {
                    // It got its answer from the earlier life, and now shows what it made of it.
                    approvals[approval.id]?.phase = .answered(answer)
                    approvals[approval.id]?.phaseAt = now.monotonic
                    continue
                }
                // Its hook may yet come back, and then it is asked anew.
                approvals[approval.id]?.run = nil
                resolve(approval.id, .approvalCancelled(approval.id, reason: "hostRestarted"))
            case .lost, .orphaned, .answered: break
            }
        }
    }

    /// No, unless the agent is ending, or its dialog is still there.
    private mutating func lostForGood(_ approval: ClaudeApproval) {
        let evidence = sessions[approval.session]?.evidence
        if let goneAt = evidence?.goneAt, now.monotonic - goneAt < limits.leavingGrace.milliseconds {
            approvals[approval.id]?.phase = .lost(until: goneAt + limits.leavingGrace.milliseconds)
            return
        }
        let isTimedOut = now.monotonic - approval.askedAt >= limits.approvalLifeOnce.milliseconds
        if approval.hasDialog, evidence?.standing.map(\.isAsking) ?? isTimedOut {
            resolve(approval.id, .approvalCancelled(approval.id, reason: "hookEnded"))
            return
        }
        if let call = approval.call { abort(call, "Denied at the terminal", in: approval.session) }
        resolve(approval.id, .approvalCancelled(approval.id, reason: "deniedLocally"))
        // No at the terminal ends the turn, and no Stop follows.
        if approval.agent == nil, sessions[approval.session]?.isEnded == false {
            setStatus(.idle, reason: Self.deniedReason, in: approval.session)
        }
    }

    mutating func linkChanged(_ isLive: Bool) {
        if isLinkLive, !isLive { linkDownSince = now.monotonic }
        isLinkLive = isLive
    }

    /// Nobody will ever see the question, or the answer to it was not handed over.
    mutating func notRecorded(_ id: ApprovalID) {
        if approvals[id]?.answer != nil { resolve(id, .approvalStale(id, reason: "notRecorded")) }
        guard let approval = approvals.removeValue(forKey: id) else { return }
        order(.remember(id.rawValue, nil))
        close(id, isSilent: false, run: approval.run)
        if let token = approval.token { order(.respond(token, nil)) }
    }

    mutating func restore(_ notes: [String: [UInt8]]) {
        for (key, note) in notes {
            if let id = SessionID(key), key.hasPrefix("claude-"), let session = ClaudeSession(id: id, home: home, note: note) {
                sessions[id] = session
                for bytes in session.heldBefore { emit(bytes, .toolStarted, in: id) }
                if !session.heldBefore.isEmpty { remember(id) }
            } else if let id = ApprovalID(key),
                var approval = ClaudeApproval(
                    id: id, note: note, until: now.monotonic + limits.reclaimWithin.milliseconds, at: now.monotonic)
            {
                // All that the last life left is the date; whatever became of the clock since, no longer than ever.
                let left = min(max(0, approval.expiresAt - now.wall), limits.approvalLife.milliseconds)
                approval.deadline = now.monotonic + left
                approvals[id] = approval
                requestCount = max(requestCount, approval.order)
            }
        }
        let processes = sessions.values.filter { !$0.isEnded }.compactMap(\.process)
        lookAtRegistry()
        if !processes.isEmpty { order(.checkAgents(Set(processes).sorted { $0.id < $1.id })) }
    }

    // MARK: Helpers

    /// Without a call to go by: the same agent with the same input, or with the same questions, as answers are added to these.
    private func isSame(_ approval: ClaudeApproval, _ payload: JSONValue) -> Bool {
        guard approval.agent == Self.agent(payload), let input = payload.optional("tool_input") else { return false }
        guard approval.kind == .question else {
            return digests.input(tool: approval.tool, Array(input.bytes)) == approval.digest
        }
        let asked = (try? JSONDocument(parsing: approval.input))?.root.optional("questions")
        guard let asked, let answered = input.optional("questions") else { return false }
        return asked.bytes.elementsEqual(answered.bytes)
    }

    /// Claude tells the model our message as it is. A short one within other words proves nothing: "no" is in many outputs.
    private static func isDenial(_ text: String, _ denial: String) -> Bool {
        text == denial || (denial.utf8.count >= 24 && text.contains(denial))
    }

    private static func answers(in payload: JSONValue) -> [(question: String, value: String)]? {
        let answers =
            payload.optional("tool_input")?.optional("answers") ?? payload.optional("tool_response")?.optional("answers")
        guard let members = try? answers?.members() else { return nil }
        return members.map { ($0.key, (try? $0.value.string()) ?? "") }
    }
}

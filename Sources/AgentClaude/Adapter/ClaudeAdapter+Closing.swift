internal import HostCore
internal import RelayProtocol

/// Evidence from hooks of how Claude Code's questions ended. Claude Code does not report to its hooks that a prompt was answered at
/// the terminal, so we infer it from later events. The registry's evidence is in `ClaudeAdapter+Registry.swift`, the conclusions in
/// `ApprovalEvidence`.
///
/// | event | evidence |
/// |---|---|
/// | PostToolUse of the call | carriedOut |
/// | PostToolBatch | reported: a rejection, our own message, or anything else, such as a program's own denial: a call that ran has
/// had its PostToolUse |
/// | Stop, the next prompt, the subagent's end | turnEnded |
/// | ElicitationResult | carriedOut, or reported: the answer that the server got, if our hook had not answered |
/// | PostToolUse of the call in which a server asked | answersTaken, or our denial |
/// | SessionEnd | the session has ended |
/// | the hook goes away | deniedAtTerminal, or answeredAtTerminal without a dialog; turnEnded if a client has just interrupted the
/// turn; neither if SessionEnd follows or the agent is gone; dialogStays while its dialog does |
///
/// If the call itself ended while no daemon ran, only the end of the turn shows it. A report about a call that arrives before its
/// hook has reconnected closes the card too, and the hook gets no decision.
///
/// Events of *other* calls prove nothing: calls of one message run in parallel.
extension ClaudeAdapter {
    /// Handles the start of a tool call. An approval that came before its call (hooks race) is linked to it now.
    mutating func adopt(_ call: String, _ digest: InputDigest, agent: String?, in session: SessionID) {
        let waiting = approvals.first {
            $0.session == session && $0.call == nil && $0.inputDigest == digest && $0.agent == agent
        }
        guard let waiting else { return }
        sessions[session]?.calls[call]?.askedAt = waiting.askedAt
        tellDesk(.callBegan(waiting.id, call))
    }

    // MARK: Proof

    /// Handles evidence that the tool ran.
    mutating func toolProven(_ session: SessionID, _ payload: JSONValue, tool: String, call: String, failed: Bool) {
        for approval in approvals where approval.session == session && approval.tool == tool {
            guard !approval.isElicitation else {
                if approval.call == call { elicitationProven(approval) }
                continue
            }
            let isIt = approval.call.map { $0 == call } ?? isSame(approval, payload)
            guard isIt else { continue }
            var values = Self.answers(in: payload)
            if approval.isEdited {
                values = EditedInput.texts(of: ClaudeForm.texts[tool] ?? [], in: payload.optional("tool_input"))
            }
            tellDesk(.shown(approval.id, .carriedOut(answers: values, failed: failed)))
        }
    }

    enum BatchEnd { case over, denied, unproven }

    /// Handles the model's view of a call, which also shows calls that did not run.
    mutating func batchProven(_ session: SessionID, call: String, text: String) -> BatchEnd {
        var end = BatchEnd.over
        for approval in approvals where approval.session == session && approval.call == call {
            guard !approval.isElicitation else {
                elicitationProven(approval)
                continue
            }
            if isBeingInterrupted(session), approval.answer == nil, ClaudeResult.isRejection(text) {
                overtaken(approval.id)
                continue
            }
            var report: ApprovalEvidence.Report = ClaudeResult.isRejection(text) ? .rejection : .other
            if case .deny(let words) = approval.answer?.kind, Self.isDenial(text, words) {
                end = .denied
                report = .ourDenial
            }
            if report == .other, approval.kind == .tool {
                end = .unproven
            } else {
                tellDesk(.shown(approval.id, .reported(report)))
            }
        }
        return end
    }

    /// A call that was asked about and whose batch has ended with words that are not a known denial. If it had run, its own end
    /// would have been reported.
    struct Unproven {
        let session: SessionID
        let call: ClaudeSession.Call
        let result: ClaudeResult
        /// Time until which the call's end may still come, as hooks race.
        let due: Int64
    }

    mutating func giveUpUnproven(where isMeant: (Unproven) -> Bool) {
        for one in unproven.values.filter(isMeant).sorted(by: { $0.call.order < $1.call.order }) {
            unproven[one.call.id] = nil
            let isAllowed = reportOther(of: one.call.id, in: one.session)
            guard sessions[one.session]?.finish(one.call.id, countMax: limits.callsMax) == true else { continue }
            let succeeded = isAllowed && !one.result.isError
            finish(one.call.id, tool: one.call.tool, agent: one.call.agent, one.result, succeeded: succeeded, in: one.session)
        }
    }

    /// Handles a call's end with other words. Returns false unless a client has allowed the call: a program may have denied it in
    /// its own words.
    @discardableResult
    mutating func reportOther(of call: String, in session: SessionID) -> Bool {
        var isAllowed = false
        for approval in approvals where approval.session == session && approval.call == call {
            isAllowed = approval.answer != nil && !approval.isDenied
            tellDesk(.shown(approval.id, .reported(.other)))
        }
        return isAllowed
    }

    /// Handles the end of a whole batch: no more can be learned of an approval that never knew its call.
    mutating func batchOver(_ session: SessionID, agent: String?) {
        for approval in asked(by: agent, in: session) where approval.call == nil { overtaken(approval.id) }
    }

    /// Handles the end of the turn of the agent, or of the subagent, and so of all its questions.
    mutating func turnOver(_ session: SessionID, agent: String?) {
        giveUpUnproven { $0.session == session && $0.call.agent == agent }
        for approval in asked(by: agent, in: session) { overtaken(approval.id) }
        let calls = sessions[session]?.calls.filter { $0.value.agent != agent } ?? [:]
        sessions[session]?.calls = calls
    }

    /// The questions of the agent, or of the subagent, at the terminal that reports.
    private func asked(by agent: String?, in session: SessionID) -> [PendingApproval<ClaudeForm>] {
        approvals.filter { $0.session == session && $0.agent == agent && !isOfOtherTerminal($0) }
    }

    /// True if another live process than the reporting one has the same conversation open and asks: its dialog stays.
    func isOfOtherTerminal(_ approval: PendingApproval<ClaudeForm>) -> Bool {
        guard let process = approval.process, let session = sessions[approval.session] else { return false }
        return process != reporter ?? session.process && (process == session.process || session.earlier.contains(process))
    }

    private mutating func overtaken(_ id: ApprovalID) {
        tellDesk(.shown(id, .turnEnded(wentOn: dialogs[id]?.wentOn == true)))
    }

    // MARK: Loss

    /// Judges a question whose hook is gone for good: a denial, unless the agent is ending or its dialog is still open.
    mutating func judge(_ id: ApprovalID) {
        guard let approval = desk[id] else { return }
        let evidence = sessions[approval.session]?.evidence
        if let goneAt = evidence?.goneAt, now.monotonic - goneAt < limits.leavingGrace.milliseconds {
            tellDesk(.agentEnding(id, by: goneAt + limits.leavingGrace.milliseconds))
            return
        }
        let isTimedOut = now.monotonic - approval.askedAt >= limits.approvalLifeOnce.milliseconds
        // A person is at the terminal: either the dialog opens now, or the agent was interrupted there and the end of the turn will
        // show it.
        if approval.isElicitation || isFollowedByDialog(approval) { return tellDesk(.shown(id, .dialogStays)) }
        if approval.hasDialog, isOfPresentProcess(approval), evidence?.standing.map(\.isAsking) ?? isTimedOut {
            tellDesk(.shown(id, .dialogStays))
            return
        }
        let isInterrupted = isBeingInterrupted(approval.session)
        // A program that runs the agent can answer, as can a person for a subagent. The hook ends either way, and the call's end
        // shows which it was.
        guard approval.hasDialog && isOfPresentProcess(approval) || isInterrupted else {
            return tellDesk(.shown(id, .answeredAtTerminal))
        }
        if let call = approval.call {
            abort(call, isInterrupted ? "Interrupted" : "Denied at the terminal", in: approval.session)
        }
        tellDesk(.shown(id, isInterrupted ? .turnEnded(wentOn: false) : .deniedAtTerminal))
        // A denial at the terminal ends the turn, and no Stop follows.
        if approval.agent == nil, sessions[approval.session]?.isEnded == false {
            setStatus(.idle, reason: isInterrupted ? "interrupted" : Self.deniedReason, in: approval.session)
        }
    }

    mutating func restore(_ notes: [String: [UInt8]]) {
        var asked: [ApprovalID: [UInt8]] = [:]
        for (key, note) in notes {
            if let id = SessionID(key), key.hasPrefix("claude-"), let session = ClaudeSession(id: id, home: home, note: note) {
                sessions[id] = session
                if session.asksAll, !session.isEnded { order(.askAll(id, true)) }
                // The next hook may take long. If it is unknown whether a person can answer at the terminal, that hook reports it.
                if session.isAttended || session.asksAll { offer(id) }
                for event in session.deferredBefore { emit(event.bytes, event.head.knownKind, in: id) }
                if !session.deferredBefore.isEmpty { remember(id) }
            } else if let id = ApprovalID(key) {
                asked[id] = note
            }
        }
        tellDesk(.restarted(notes: asked))
        let processes = sessions.values.filter { !$0.isEnded }.compactMap(\.process)
        if !sessions.isEmpty { order(.findOpen) }
        lookAtRegistry()
        if !processes.isEmpty { order(.checkAgents(Set(processes).sorted { $0.id < $1.id })) }
    }

    // MARK: Helpers

    /// True for a subagent's question at a terminal: Claude Code opens its dialog when the hook has ended.
    private func isFollowedByDialog(_ approval: PendingApproval<ClaudeForm>) -> Bool {
        approval.agent != nil && !approval.isAttended && sessions[approval.session]?.isAttended == true
    }

    /// True if a result belongs to this question although it names no call: the same agent and input, or the same questions, to
    /// which answers are added.
    private func isSame(_ approval: PendingApproval<ClaudeForm>, _ payload: JSONValue) -> Bool {
        guard approval.agent == Self.agent(payload), let input = payload.optional("tool_input") else { return false }
        guard approval.kind == .question else {
            return digests.input(tool: approval.tool, Array(input.bytes)) == approval.inputDigest
        }
        guard let asked = approval.form?.questionBytes, let answered = input.optional("questions") else { return false }
        return answered.bytes.elementsEqual(asked)
    }

    /// True if the text is our denial: Claude passes our message to the model unchanged. A short message within other words proves
    /// nothing, as "no" is in many outputs.
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

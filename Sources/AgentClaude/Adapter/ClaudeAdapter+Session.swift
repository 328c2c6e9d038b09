internal import HostCore
internal import RelayProtocol

/// Lifecycle of a session: its start, prompts, turns and end.
extension ClaudeAdapter {
    mutating func sessionStarted(_ id: SessionID, _ hook: ClaudeHook, _ payload: JSONValue) {
        let source = payload.text("source")
        let wasRunning = sessions[id]?.status == .running
        let isKnown = sessions[id]?.isEnded == false
        take(id, hook.process, payload, hook, isStart: true)
        sessions[id]?.isUnheard = false
        // Compacting continues the same conversation, often in the middle of a turn.
        if source == "compact", isKnown { return }
        costBegins(id, source: source, beside: sessions[id]?.earlier.last)
        startSession(id, model: payload.text("model"), isResumed: source == "resume")
        if let title = payload.text("session_title") { renamed(id, to: title) }
        if source == "compact", wasRunning { setStatus(.running, in: id) }
    }

    /// Makes the session known at the first event of it, which need not be its start: the daemon may be younger.
    mutating func ensureSession(
        _ id: SessionID, _ process: AgentProcess?, _ payload: JSONValue, _ hook: ClaudeHook? = nil, revives: Bool
    ) {
        let isNew = sessions[id] == nil
        let before = sessions[id]
        let isLate = before?.isLate(process, within: limits.hooksLateBy, at: now) == true
        take(id, process, payload, hook, isStart: false)
        if isNew || (revives && !isLate && before?.isEnded == true) {
            // The session's SessionStart was lost. It may be a copy of another session, which its transcript shows.
            if isNew, revives { sessions[id]?.fork = .prompted }
            startSession(id, model: payload.optional("model")?.text("id"), isResumed: !isNew)
        } else if sessions[id]?.attended != before?.attended || sessions[id]?.isRun != before?.isRun {
            remember(id)
            offer(id)
        } else if sessions[id]?.isLawless != before?.isLawless {
            remember(id)
            offer(id)
        }
    }

    private mutating func take(
        _ id: SessionID, _ process: AgentProcess?, _ payload: JSONValue, _ hook: ClaudeHook?, isStart: Bool
    ) {
        var session = sessions[id] ?? ClaudeSession(id: id, home: home)
        session.usage.prices = prices
        if let hook { (session.attended, session.isRun) = (hook.isAttended, hook.isRun) }
        if let checkout = hook?.checkout { session.checkout = checkout }
        if let mode = payload.text("permission_mode") { session.isLawless = mode == ClaudeMode.lawless }
        // A late hook of an older process must not take the session back from the newer process that continues it.
        let isOlder = !isStart && !session.isEnded && (process?.startedAt ?? 0) < (session.process?.startedAt ?? 0)
        if let process, !isOlder, process != session.process {
            session.takeUp(by: process)
            // Processes whose end we missed must not continue the session.
            if !session.earlier.isEmpty { order(.checkAgents(session.earlier)) }
        }
        // The first directory is kept: the project stays the same when the agent changes its directory. A session can be resumed in
        // another.
        if session.paths.workingDirectory == nil || isStart && payload.text("source") == "resume" {
            session.paths.workingDirectory = payload.text("cwd").map { TextCut.rough($0, bytesMax: WireLimits.lineBytesMax) }
        }
        if let directory = payload.text("cwd") {
            session.currentDirectory = TextCut.rough(directory, bytesMax: WireLimits.lineBytesMax)
        }
        if session.tasksDirectory == nil { session.tasksDirectory = Self.tasksDirectory(payload) }
        if session.tasksDirectory != nil, let path = payload.text("transcript_path"), path.utf8.count <= WireLimits.lineBytesMax
        {
            session.transcript = path
        }
        sessions[id] = session
        forgetSessions()
    }

    mutating func startSession(_ id: SessionID, model: String?, isResumed: Bool) {
        guard var session = sessions[id] else { return }
        session.isEnded = false
        session.end = nil
        session.status = nil
        session.statusAt = now.monotonic
        session.calls = [:]
        session.messages = []
        session.announced = []
        session.background = ClaudeBackground()
        session.forgetUsages()
        sessions[id] = session
        var facts = SessionFacts(agentName: "claude-code")
        facts.model = model.map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        if let directory = session.paths.workingDirectory {
            // A line break in a name is spelled out, because the text before it may be the name of another folder.
            func shown(_ path: String) -> String { TextCut.line(clean(VisibleText.line(path))) }
            facts.project = shown(session.checkout?.repository ?? ShownPaths.last(directory))
            facts.branch = session.checkout?.branch.map(shown)
            facts.workingDirectory = shown(session.paths.tilde(directory))
            facts.folder = session.paths.full(directory).map(shown)
        }
        facts.run = session.usages.run(of: session.process)
        facts.isResumed = isResumed
        emit(.sessionStarted(facts), in: id)
        startAskingAll(id)
        remember(id)
        offer(id)
        replaceOthers(than: id)
    }

    /// Ends the other sessions of this process. A process has one session at a time, and the hooks that report an end are lost
    /// while no daemon runs.
    private mutating func replaceOthers(than id: SessionID) {
        guard let process = sessions[id]?.process else { return }
        for other in sessionsInOrder where other.id != id && other.process == process && !other.isEnded {
            if !isOpenElsewhere(other.id) { endCounted(other.id, reason: nil, failed: false) }
        }
    }

    mutating func sessionEnded(_ id: SessionID, _ process: AgentProcess?, _ payload: JSONValue) {
        guard let session = sessions[id], !session.isEnded else { return }
        // This is a late report of a process that had the session before another continued it.
        if let process, let present = session.process, present != process {
            if session.earlier.contains(process) { read(id, .left(process)) }
            sessions[id]?.earlier.removeAll { $0 == process }
            return order(.checkAgents([present]))
        }
        if isOpenElsewhere(id) { return }
        endCounted(id, reason: payload.text("reason").flatMap(Self.words(ofEnd:)), failed: false)
    }

    /// Returns the session to an earlier process when its current one leaves it. False if no earlier terminal has it open; the
    /// registry entry of that terminal shows its state.
    mutating func isOpenElsewhere(_ id: SessionID) -> Bool {
        let left = sessions[id]?.process
        guard sessions[id]?.handBack() == true else { return false }
        reportUsage(id)
        if let left { read(id, .left(left)) }
        remember(id)
        offer(id)
        return true
    }

    /// Claude Code's reason for a session's end, in words for people; nil if it gives none.
    private static func words(ofEnd reason: String) -> String? {
        switch reason {
        case "other": nil
        case "prompt_input_exit": "left at the prompt"
        case "clear": "cleared"
        case "logout": "logged out"
        default: String(reason.map { $0 == "_" ? " " : $0 })
        }
    }

    /// Ends the session: closes everything open in it, and reports the last of its cost.
    mutating func end(_ id: SessionID, reason: String?, failed: Bool) {
        giveUpUnproven { $0.session == id }
        tellDesk(.sessionEnded(id, agentGone: failed))
        reportUsage(id)
        sessions[id]?.isEnded = true
        sessions[id]?.earlier = []
        sessions[id]?.end = (now.monotonic, isProcessGone: failed)
        sessions[id]?.interrupt = nil
        sessions[id]?.peerPrompt = nil
        sessions[id]?.submitted = [:]
        programEnded(id)
        stopAskingAll(id)
        sessions[id]?.calls = [:]
        sessions[id]?.messages = []
        sessions[id]?.subagents = [:]
        sessions[id]?.rested = [:]
        sessions[id]?.lateReads = [:]
        emit(.sessionEnded(reason: reason.map { TextCut.line($0) }, failed: failed), in: id)
        remember(id)
    }

    mutating func promptSubmitted(_ id: SessionID, _ payload: JSONValue) {
        let prompt = payload.text("prompt") ?? ""
        expectText(nil, in: id)
        if sessions[id]?.fork == .fresh { sessions[id]?.fork = .prompted }
        sessions[id]?.hasRefusedUnasked = false
        if !ClaudeNotice.isOne(prompt) {
            turnOver(id, agent: nil)
            stoppedTurnOver(id)
            let name = Self.prompt(payload)
            let isProvable = awaitSubmission(of: name, in: id)
            promptTaken(prompt, isProvable ? name : nil, in: id)
            awaitLine(of: name, in: id)
            let text = clean(prompt, bytesMax: limits.texts.messageBytes)
            let title = String(TextCut.line(text).prefix(limits.texts.titleCharacters))
            if sessions[id]?.hasTitle == false, !title.isEmpty {
                sessions[id]?.hasTitle = true
                emit(.sessionRenamed(title: title), in: id)
                remember(id)
            }
            let summary = TextCut.line(text, bytesMax: limits.texts.summaryBytes)
            emit(.message(.user, summary: summary.isEmpty ? nil : summary), in: id) { $0.field("text", text) }
        }
        sessions[id]?.background = ClaudeBackground()
        setStatus(.running, in: id)
    }

    /// Handles a title that a person gave at the terminal; without one the first prompt is the title.
    mutating func renamed(_ id: SessionID, to name: String) {
        let title = String(TextCut.line(clean(name, bytesMax: limits.texts.messageBytes)).prefix(limits.texts.titleCharacters))
        guard let session = sessions[id], !title.isEmpty, session.givenTitle != title else { return }
        sessions[id]?.givenTitle = title
        sessions[id]?.hasTitle = true
        emit(.sessionRenamed(title: title), in: id)
        remember(id)
    }

    mutating func turnFinished(_ id: SessionID, _ payload: JSONValue) {
        turnOver(id, agent: nil)
        if let background = ClaudeBackground(payload) {
            sessions[id]?.background = background
            finishSubagents(of: id, except: background.agents)
        }
        if let other = approvals.first(where: { $0.session == id && $0.isOpen && isOfOtherTerminal($0) }) {
            setStatus(other.kind == .tool ? .waitingApproval : .waitingAnswer, in: id)
        } else {
            setStatus(.idle, reason: sessions[id]?.background.words, in: id)
        }
        countUsed(id)
    }

    /// Ends subagents whose end was not reported because the hooks were lost.
    private mutating func finishSubagents(of id: SessionID, except live: Set<String>) {
        let over = sessions[id]?.subagents.filter { $0.value.isStarted && !live.contains($0.key) } ?? [:]
        for (agent, subagent) in over.sorted(by: { $0.key < $1.key }) {
            turnOver(id, agent: agent)
            sessions[id]?.subagents[agent] = nil
            let name = subagent.name ?? subagent.type.map { TextCut.line(clean($0), bytesMax: WireLimits.nameBytesMax) }
            emit(.subagentFinished(agent: agent, name: name), in: id)
        }
        if !over.isEmpty { remember(id) }
    }

    mutating func turnFailed(_ id: SessionID, _ payload: JSONValue) {
        turnOver(id, agent: nil)
        // `error` is a code, or the word "unknown".
        let words = [payload.text("last_assistant_message"), payload.text("error_details"), payload.text("error")]
        let message = words.compactMap(\.self).first { !$0.allSatisfy(\.isWhitespace) } ?? "the turn failed"
        emit(.error(message: TextCut.line(clean(message, bytesMax: limits.texts.messageBytes)), recoverable: true), in: id)
        setStatus(.idle, in: id)
    }

    mutating func notified(_ id: SessionID, _ payload: JSONValue) {
        switch payload.text("notification_type") {
        case "agent_needs_input", "elicitation_dialog", "elicitation_url_dialog": waitAtTerminal(.question, in: id)
        case "idle_prompt": setStatus(.idle, reason: sessions[id]?.background.words, in: id)
        // This notification arrives six seconds after the dialog, so it is news only if no hook was asked about that dialog.
        case "permission_prompt":
            let hasCard = desk.contains { $0.session == id }
            let isShown = sessions[id]?.isAttended == true && sessions[id]?.evidence.standing != nil
            if !hasCard, !isShown { waitAtTerminal(.tool, in: id) }
        default: break
        }
    }

    mutating func subagentStarted(_ id: SessionID, _ payload: JSONValue) {
        guard let agent = Self.agent(payload), let session = sessions[id], session.subagents[agent]?.isStarted != true else {
            return
        }
        var subagent = session.subagents[agent] ?? ClaudeSession.Subagent()
        subagent.type = payload.text("agent_type")
        subagent.isStarted = true
        // The call may have ended before, as it does for a subagent that goes on in the background.
        if subagent.name == nil {
            let calls = session.delegations(of: subagent.type)
            if calls.count == 1, let call = calls.first {
                subagent.name = call.delegated?.name
                subagent.call = call.id
                sessions[id]?.calls[call.id]?.delegated = nil
            }
            subagent.awaitsCall = calls.isEmpty
        }
        sessions[id]?.subagents[agent] = subagent
        remember(id)
        emit(.subagentStarted(agent: agent, name: subagentName(agent, in: id, payload), call: subagent.call), in: id)
    }

    /// Links a call to its subagent if that has started already; the hooks of both race.
    mutating func nameSubagent(of call: String, _ name: String, type: String?, in id: SessionID) {
        let waiting = sessions[id]?.subagents.filter {
            $0.value.awaitsCall && (type == nil || $0.value.type == nil || $0.value.type == type)
        }
        guard waiting?.count == 1, let agent = waiting?.keys.first else { return }
        sessions[id]?.subagents[agent]?.awaitsCall = false
        sessions[id]?.subagents[agent]?.name = name
        sessions[id]?.calls[call]?.delegated = nil
    }

    mutating func subagentFinished(_ id: SessionID, _ payload: JSONValue) {
        guard let agent = Self.agent(payload) else { return }
        turnOver(id, agent: agent)
        let path = countUsed(by: agent, in: id, payload)
        let name = subagentName(agent, in: id, payload)
        guard let subagent = sessions[id]?.subagents[agent], subagent.isStarted else { return }
        sessions[id]?.subagents[agent] = nil
        if let path { awaitSendingOn(agent, subagent, path: path, in: id) }
        remember(id)
        let text = payload.text("last_assistant_message").map { clean($0, bytesMax: limits.texts.messageBytes) }
        emit(.subagentFinished(agent: agent, name: name), in: id) { $0.field("text", text) }
    }

    /// The task for which the subagent was started, else its type.
    func subagentName(_ agent: String, in id: SessionID, _ payload: JSONValue) -> String? {
        let subagent = sessions[id]?.subagents[agent]
        if let name = subagent?.name { return name }
        // A question may arrive before the subagent's start.
        if subagent?.isStarted != true, let calls = sessions[id]?.delegations(of: payload.text("agent_type")), calls.count == 1
        {
            return calls[0].delegated?.name
        }
        return payload.text("agent_type").map { TextCut.line(clean($0), bytesMax: WireLimits.nameBytesMax) }
    }

    /// Sends the status again, which may be among the lost events. This also reports the gap to the relay.
    mutating func eventsLost(_ ids: Set<SessionID>) {
        for session in sessionsInOrder where ids.contains(session.id) && !session.isEnded {
            if let status = session.status { emit(.statusChanged(status, reason: session.statusReason), in: session.id) }
        }
    }

    mutating func setStatus(_ status: SessionStatus, reason: String? = nil, in id: SessionID) {
        guard let session = sessions[id], !session.isEnded else { return }
        guard session.status != status || session.statusReason != reason else { return }
        sessions[id]?.status = status
        sessions[id]?.statusReason = reason
        sessions[id]?.statusAt = now.monotonic
        emit(.statusChanged(status, reason: reason), in: id)
        stand(id)
    }

    mutating func agentGone(_ process: AgentProcess) {
        tellDesk(.agentGone(process))
        for session in sessionsInOrder where !session.isEnded {
            if session.process != process {
                if session.earlier.contains(process) { read(session.id, .left(process)) }
                sessions[session.id]?.earlier.removeAll { $0 == process }
            } else if !isOpenElsewhere(session.id) {
                endCounted(session.id, reason: session.isUnheard ? nil : "agentGone", failed: !session.isUnheard)
            }
        }
    }

    // MARK: Helpers

    static func agent(_ payload: JSONValue) -> String? {
        payload.text("agent_id").map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    static func prompt(_ payload: JSONValue) -> String? {
        payload.text("prompt_id").map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
    }

    /// The folder of the session's tasks: `<config>/projects/<project>/<session>.jsonl` → `<config>/tasks/<session>`. Nothing else
    /// shows where the configuration is.
    private static func tasksDirectory(_ payload: JSONValue) -> String? {
        guard let transcript = payload.text("transcript_path"), transcript.hasPrefix("/"),
            transcript.utf8.count <= WireLimits.lineBytesMax,
            let name = payload.text("session_id"),
            SessionID(name) != nil
        else { return nil }
        var parts = transcript.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 4, parts[parts.count - 3] == "projects", !parts.contains("..") else { return nil }
        parts.removeLast(3)
        return parts.joined(separator: "/") + "/tasks/" + name
    }

    private mutating func forgetSessions() {
        guard sessions.count > limits.sessionsMax else { return }
        let oldest = sessions.values.filter(\.isEnded).min { $0.lastUse < $1.lastUse }
        if let oldest { sessions[oldest.id] = nil }
    }
}

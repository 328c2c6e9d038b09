internal import HostCore
internal import RelayProtocol

/// Lifecycle of a session: its start, turns, status and end.
extension CodexAdapter {
    mutating func startSession(_ name: String, _ thread: JSONValue, model: String?) {
        let id = sessionID(name)
        let known = sessions[id]
        var session = known ?? CodexSession(id: id, thread: name, at: now.monotonic)
        if known == nil { session.usage.isFork = thread.text("forkedFromId") != nil }
        if known == nil || known?.isEnded == true || known?.delegation != nil {
            session.delegation = parent(of: thread).map {
                named(known?.delegation?.moved(to: $0) ?? CodexSession.Delegation(parent: $0), thread, name)
            }
        }
        session.lostAt = nil
        session.unloadedAt = nil
        session.heardAt = now.monotonic
        session.workingDirectory = thread.text("cwd") ?? session.workingDirectory
        session.offer = known?.isEnded == false ? session.offer : nil
        session.standing = nil
        if known?.isEnded == true { session.settings = CodexThreadSettings() }
        session.model = (model ?? thread.text("model")).map { line($0, bytesMax: WireLimits.nameBytesMax) }
        session.isEnded = false
        session.hasNews = true
        sessions[id] = session
        forgetSessions()
        if known == nil || known?.isEnded == true {
            var facts = SessionFacts(agentName: "codex")
            facts.agentVersion = thread.text("cliVersion").map { line($0, bytesMax: WireLimits.nameBytesMax) }
            facts.model = session.model
            if let directory = session.workingDirectory {
                let checkout = threads[name]?.checkout
                // A line break in a name is spelled out, because the text before it may be the name of another folder.
                func shown(_ path: String) -> String { line(VisibleText.line(path)) }
                facts.project = shown(checkout?.repository ?? ShownPaths.last(directory))
                facts.workingDirectory = shown(paths(of: id).tilde(directory))
                facts.folder = paths(of: id).full(directory).map(shown)
                facts.branch = (checkout?.branch ?? thread.optional("gitInfo")?.text("branch")).map(shown)
            }
            facts.isResumed = known != nil
            emit(.sessionStarted(facts), in: id)
        }
        if let title = thread.text("name") ?? thread.text("preview") { rename(id, title) }
        if let status = thread.optional("status") { show(status, in: id) }
        joinSubagents(of: name)
    }

    func paths(of id: SessionID) -> ShownPaths {
        ShownPaths(home: home, workingDirectory: sessions[id]?.workingDirectory)
    }

    mutating func rename(_ id: SessionID, _ text: String) {
        let title = String(line(text).prefix(limits.texts.titleCharacters))
        guard !title.isEmpty, let session = sessions[id], session.title != title else { return }
        sessions[id]?.title = title
        sessions[id]?.hasNews = true
        emit(.sessionRenamed(title: title), in: id)
    }

    /// Ends the session: closes everything open in it.
    mutating func end(_ id: SessionID, reason: String?, isGone: Bool) {
        endSubagents(of: id)
        if sessions[id]?.delegation != nil {
            for approval in desk.approvals where isOwn(approval, of: id) {
                tellDesk(.shown(approval.id, .turnEnded(wentOn: false)))
            }
        }
        tellDesk(.sessionEnded(id, agentGone: isGone))
        closeCalls("Not finished", in: id)
        subagentFinished(id)
        sessions[id]?.isEnded = true
        sessions[id]?.lostAt = nil
        sessions[id]?.unloadedAt = nil
        sessions[id]?.dialogSince = nil
        sessions[id]?.status = nil
        sessions[id]?.forgetTurn()
        sessions[id]?.hasNews = true
        steering.forget(id)
        emit(.sessionEnded(reason: reason, failed: isGone), in: id)
    }

    private mutating func forgetSessions() {
        guard sessions.count > limits.sessionsMax else { return }
        guard let oldest = sessions.values.filter(\.isEnded).min(by: { $0.heardAt < $1.heardAt }) else { return }
        sessions[oldest.id] = nil
        order(.remember(oldest.id.rawValue, nil))
    }

    // MARK: Turns

    mutating func turnStarted(_ params: JSONValue, in id: SessionID) {
        guard let started = params.optional("turn"), let turn = started.text("id") else { return }
        sessions[id]?.begin(turn, countMax: limits.toldTurnsMax)
        setStatus(.running, in: id)
        // A review reports the start of a turn below its own, and the end of its own.
        if let review = sessions[id]?.review,
            turn == review || (started.text("rootTurnId") ?? sessions[id]?.activeTurn) == review
        {
            return
        }
        sessions[id]?.activeTurn = turn
        let policy = takeFreed(in: id) ?? sessions[id]?.settings.policy
        sessions[id]?.turnPolicy = policy
        haltIfTooFree(turn, policy, in: id)
    }

    mutating func turnCompleted(_ params: JSONValue, in id: SessionID) {
        guard let turn = params.optional("turn"), let name = turn.text("id") else { return }
        let isInterrupted = turn.text("status") == "interrupted"
        leaveCommands(of: name, in: id)
        for approval in desk.approvals where isOwn(approval, of: id) && approval.prompt == name {
            // A turn that ends by itself has waited for its commands' starts, and an allowed one that is still open runs on.
            let runsOn = !isInterrupted && approval.call.map { sessions[id]?.calls[$0]?.isLeft == true } == true
            tellDesk(.shown(approval.id, .turnEnded(wentOn: runsOn)))
        }
        closeCalls(isInterrupted ? "Interrupted" : "Not run", in: id) { !$0.isLeft }
        if let problem = turn.optional("error")?.text("message") {
            emit(
                .error(message: TextCut.line(cleaner.clean(problem, bytesMax: limits.texts.messageBytes)), recoverable: true),
                in: id)
        }
        sessions[id]?.dialogSince = nil
        sessions[id]?.isAsking = false
        if sessions[id]?.activeTurn == name { sessions[id]?.activeTurn = nil }
        settle(turn: name, isInterrupted: isInterrupted, in: id)
        setStatus(.idle, reason: isInterrupted ? "interrupted" : sessions[id]?.background, in: id)
    }

    /// Keeps a turn's commands open: neither its end nor an interruption ends them, and each reports its own end, perhaps in a later
    /// turn.
    private mutating func leaveCommands(of turn: String, in id: SessionID) {
        let unallowed = desk.approvals.filter { isOwn($0, of: id) && $0.prompt == turn && (!$0.isAnswered || $0.isDenied) }
        let calls = Set(unallowed.compactMap(\.call))
        for (name, call) in sessions[id]?.calls ?? [:] where call.tool == CodexTool.command && !calls.contains(name) {
            sessions[id]?.leave(name, countMax: limits.callsMax)
        }
    }

    /// Handles Codex's list of the commands that run on. One may have begun or ended while nobody here watched the thread. Nil if
    /// Codex gives no list: then nobody learns of their ends.
    mutating func terminalsListed(_ result: JSONValue?, in id: SessionID) {
        guard let session = sessions[id], !session.isEnded else { return }
        stirred.formUnion([id, shown(id)])
        let items = result?.optional("data").flatMap { try? $0.array() }
        let running = (items ?? []).compactMap { $0.text("itemId") }.map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        // One without a name could not be told from the others.
        sessions[id]?.areTerminalsKnown = items?.count == running.count
        for call in running { sessions[id]?.leave(call, countMax: limits.callsMax) }
        if result?.text("nextCursor") == nil {
            close(session.calls.filter { $0.value.isLeft && !running.contains($0.key) }, "Its end was not seen", in: id)
        }
        guard session.status == .idle, session.statusReason == session.background else { return }
        setStatus(.idle, reason: sessions[id]?.background, in: id)
    }

    private mutating func closeCalls(
        _ summary: String, in id: SessionID, where isMeant: (CodexSession.Call) -> Bool = { _ in true }
    ) {
        close((sessions[id]?.calls ?? [:]).filter { isMeant($0.value) }, summary, in: id)
        sessions[id]?.messages = []
    }

    private mutating func close(_ calls: [String: CodexSession.Call], _ summary: String, in id: SessionID) {
        for (name, call) in calls.sorted(by: { $0.value.order < $1.value.order }) {
            var finish = ToolFinish(call: name, tool: call.tool, succeeded: false)
            finish.summary = summary
            emit(.toolFinished(finish), in: id)
            sessions[id]?.wants(nil, of: name, bytesMax: limits.changesBytes)
            outputs.ended(name, of: shown(id))
            sessions[id]?.calls[name] = nil
            // A late report of the call must not begin a second one.
            _ = sessions[id]?.tell(name, countMax: limits.toldMax)
        }
    }

    // MARK: Status

    /// Handles a thread's status. Codex reports that a dialog is open before it says which: people see its card instead, unless
    /// none comes.
    mutating func show(_ status: JSONValue, in id: SessionID) {
        let flags = status.list("activeFlags").compactMap { try? $0.string() }
        sessions[id]?.isActive = status.text("type") == "active"
        sessions[id]?.isAsking = flags.contains("waitingOnUserInput") || flags.contains("waitingOnApproval")
        switch status.text("type") {
        case "active" where sessions[id]?.isAsking == true:
            sessions[id]?.dialog = flags.contains("waitingOnApproval") ? .tool : .question
            if sessions[id]?.dialogSince == nil { sessions[id]?.dialogSince = now.monotonic }
            if sessions[id]?.status == nil || sessions[id]?.status == .idle { setStatus(.running, in: id) }
        case "active":
            sessions[id]?.dialogSince = nil
            dialogsAreOver(in: id)
            setStatus(.running, in: id)
        case "idle":
            sessions[id]?.dialogSince = nil
            dialogsAreOver(in: id)
            // An interrupted turn reports that after this.
            if sessions[id]?.status != .idle { setStatus(.idle, reason: sessions[id]?.background, in: id) }
        case "systemError":
            emit(.error(message: "Codex reports an error of its own", recoverable: true), in: id)
            setStatus(.idle, in: id)
        default: break
        }
    }

    /// Closes questions of an earlier connection that are not open any more.
    private mutating func dialogsAreOver(in id: SessionID) {
        for approval in desk.approvals where isOwn(approval, of: id) && approval.token == nil && approval.isOpen {
            tellDesk(.shown(approval.id, .answeredAtTerminal))
        }
    }

    /// Shows what keeps a turn from its model, as the terminal does, while Codex tries again by itself.
    mutating func retries(_ params: JSONValue, in id: SessionID) {
        guard params.isTrue("willRetry"), sessions[id]?.status == .running,
            let message = params.optional("error")?.text("message").map({ line($0) }), !message.isEmpty
        else { return }
        sessions[id]?.retryReason = message
        setStatus(.running, reason: message, in: id)
    }

    mutating func reachesItsModel(_ id: SessionID) {
        guard let reason = sessions[id]?.retryReason else { return }
        sessions[id]?.retryReason = nil
        if sessions[id]?.status == .running, sessions[id]?.statusReason == reason { setStatus(.running, in: id) }
    }

    mutating func setStatus(_ status: SessionStatus, reason: String? = nil, in id: SessionID) {
        guard let session = sessions[id], session.status != status || session.statusReason != reason else { return }
        sessions[id]?.status = status
        sessions[id]?.statusReason = reason
        if session.delegation == nil { tellStatus(of: id) } else { subagentChanged(id, from: session.statusReason) }
    }

    /// Handles a dialog on the terminal's screen that no client can answer.
    mutating func waitAtTerminal(_ kind: ApprovalKind, in id: SessionID) {
        setStatus(kind == .tool ? .waitingApproval : .waitingAnswer, reason: Self.terminalReason, in: id)
    }

    func isWaitingAtTerminal(_ session: CodexSession) -> Bool { session.statusReason == Self.terminalReason }

    func hasOpenCard(_ id: SessionID) -> Bool { desk.contains { isOwn($0, of: id) && $0.isOpen } }

    static let terminalReason = "waits at the terminal"

    /// Sends the status again, which may be among the lost events. This also reports the gap to the relay.
    mutating func eventsLost(_ ids: Set<SessionID>) {
        for session in sessionsInOrder where ids.contains(session.id) && !session.isEnded {
            tellStatus(of: session.id)
        }
    }
}

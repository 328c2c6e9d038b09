internal import HostCore
internal import RelayProtocol

/// Threads of subagents. Codex runs each in its own thread; here it is a part of its parent's session, like other agents'
/// subagents.
///
/// Its calls, changes, approvals and tokens are reported there, its words are not. Everything else that belongs to a thread is kept
/// for itself: its turn, its policy, and what was reported of it.
extension CodexAdapter {
    /// Session of the parent thread; nil if that is not reported, so that this is a separate session.
    func parent(of thread: JSONValue) -> SessionID? {
        guard let name = thread.text("parentThreadId"), let session = sessions[sessionID(name)], !session.isEnded else {
            return nil
        }
        return session.delegation?.parent ?? session.id
    }

    /// Session in which people see what happens in this one.
    func shown(_ id: SessionID) -> SessionID { sessions[id]?.delegation?.parent ?? id }

    /// True for approvals that the session's own thread requests, also if it is a subagent's.
    func isOwn(_ approval: PendingApproval<CodexForm>, of id: SessionID) -> Bool {
        guard let session = sessions[id] else { return false }
        return approval.session == shown(id) && approval.agent == (session.delegation == nil ? nil : session.thread)
    }

    private func subagents(of id: SessionID) -> [CodexSession] { sessionsInOrder.filter { $0.delegation?.parent == id } }

    private func hasWorkingSubagent(_ id: SessionID) -> Bool {
        sessions.values.contains { $0.delegation?.parent == id && $0.delegation?.isStarted == true }
    }

    // MARK: Names

    /// Notes the task for which an agent is spawned; its own thread reports it later.
    mutating func spawned(_ item: JSONValue) {
        guard item.text("type") == "collabAgentToolCall", item.text("tool") == "spawnAgent", let task = item.text("prompt")
        else {
            return
        }
        let words = line(task)
        for thread in item.list("receiverThreadIds").compactMap({ try? $0.string() }) {
            let id = sessionID(thread)
            if sessions[id] == nil { tasks[thread] = words }
            sessions[id]?.delegation?.task = words
            sessions[id]?.hasNews = true
        }
        while tasks.count > limits.threadsMax, let oldest = tasks.keys.min() { tasks[oldest] = nil }
    }

    mutating func named(_ delegation: CodexSession.Delegation, _ thread: JSONValue, _ name: String) -> CodexSession.Delegation {
        var named = delegation
        named.nickname = thread.text("agentNickname").map { line($0) } ?? named.nickname
        named.task = tasks.removeValue(forKey: name) ?? named.task ?? thread.text("preview").map { line($0) }
        return named
    }

    // MARK: What is told of it in its parent's session

    /// The event as the parent's session reports it; nil for events that only a separate session has.
    func asSubagents(_ head: EventHead, in id: SessionID) -> EventHead? {
        switch head {
        case .toolStarted(var start):
            start.agent = sessions[id]?.thread
            return .toolStarted(start)
        case .toolFinished(var finish):
            finish.agent = sessions[id]?.thread
            return .toolFinished(finish)
        case .fileChanged, .error: return head
        default: return nil
        }
    }

    /// Handles a changed status of a subagent. `reason`: that of the earlier status.
    mutating func subagentChanged(_ id: SessionID, from reason: String?) {
        guard let session = sessions[id], let delegation = session.delegation, sessions[delegation.parent]?.isEnded == false
        else {
            return
        }
        switch session.status {
        case .idle: subagentFinished(id)
        case .running where !delegation.isStarted:
            sessions[id]?.delegation?.isStarted = true
            sessions[id]?.hasNews = true
            emit(.subagentStarted(agent: session.thread, name: delegation.name), in: delegation.parent)
        default: break
        }
        // A dialog at the terminal that no client can answer is shown as the session's status until it is closed.
        if isWaitingAtTerminal(session), let status = session.status {
            emit(.statusChanged(status, reason: session.statusReason), in: delegation.parent)
        } else if reason == Self.terminalReason {
            tellStatus(of: delegation.parent)
        }
    }

    mutating func subagentFinished(_ id: SessionID) {
        guard let session = sessions[id], let delegation = session.delegation, delegation.isStarted else { return }
        sessions[id]?.delegation?.isStarted = false
        sessions[id]?.hasNews = true
        guard sessions[delegation.parent]?.isEnded == false else { return }
        emit(.subagentFinished(agent: session.thread, name: delegation.name), in: delegation.parent)
        if sessions[delegation.parent]?.status == .idle { tellStatus(of: delegation.parent) }
    }

    /// Sends the status of a session. The work of its subagents counts as its own.
    mutating func tellStatus(of id: SessionID) {
        guard let session = sessions[id], let status = session.status else { return }
        let works = status == .idle && hasWorkingSubagent(id)
        emit(.statusChanged(works ? .running : status, reason: works ? "a subagent works" : session.statusReason), in: id)
    }

    mutating func endSubagents(of id: SessionID) {
        for subagent in subagents(of: id) where !subagent.isEnded { end(subagent.id, reason: nil, isGone: false) }
    }

    /// Adds a subagent's tokens to those of its parent, in the parent's run, because the relay adds up only successive runs.
    mutating func add(_ usage: Usage, of id: SessionID) {
        guard let delegation = sessions[id]?.delegation, let tokens = usage.tokens else { return }
        let isSameRun = delegation.countedRun == usage.run
        sessions[id]?.delegation?.counted = tokens
        sessions[id]?.delegation?.countedRun = usage.run
        sessions[id]?.hasNews = true
        guard var parent = sessions[delegation.parent], !parent.isEnded else { return }
        let told = parent.usage.add(isSameRun ? tokens.less(delegation.counted) : tokens, thread: parent.thread)
        parent.hasNews = true
        sessions[parent.id] = parent
        emit(.usage(told), in: parent.id)
    }

    /// The reach of a hold: the least of the session's own thread and of its working subagents.
    func reach(of session: CodexSession) -> HoldReach {
        let all = [session] + subagents(of: session.id).filter { $0.delegation?.isStarted == true }
        return all.allSatisfy { holdReach(of: $0) == .most } ? .most : .unchanged
    }
}

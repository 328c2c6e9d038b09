package import RelayProtocol

extension SessionView {
    /// Adds one event to the view. Never fails: whatever a host sends has a next state, and the same events give the same state.
    package mutating func reduce(_ event: Event, seq: Int64) {
        reduceApprovals(event, seq: seq)
        // One call: with each access to the state, the runtime checks that it is not being changed already.
        state.reduce(event, seq: seq, counting: approvals)
    }

    /// Adds an event that was added to the log at `time`. Returns its number.
    package mutating func add(_ event: Event, at time: Int64) -> Int64 {
        let seq = seq + 1
        reduceApprovals(event, seq: seq)
        state.add(event, seq: seq, at: time, counting: approvals)
        return seq
    }

    private mutating func reduceApprovals(_ event: Event, seq: Int64) {
        switch event.head {
        case .approvalRequested(let request): open(request, event: event, seq: seq)
        case .approvalDecided(let approval, let decision):
            change(approval, seq: seq) { $0.becomeDecided(decision) }
        case .approvalDelivered(let approval):
            change(approval, seq: seq) { $0.becomeDelivered(at: event.at) }
        case .approvalApplied(let approval, let outcome):
            change(approval, seq: seq) { $0.becomeApplied(outcome, at: event.at) }
        case .approvalExpired(let approval):
            change(approval, seq: seq) { $0.becomeExpired(at: event.at) }
        case .approvalCancelled(let approval, let reason):
            change(approval, seq: seq) { $0.becomeCancelled(reason: reason, at: event.at) }
        case .approvalStale(let approval, let reason):
            change(approval, seq: seq) { $0.becomeStale(reason: reason, at: event.at) }
        default: break
        }
    }

    package static func approval(of head: EventHead) -> ApprovalID? {
        switch head {
        case .approvalRequested(let request): request.approval
        case .approvalDecided(let approval, _), .approvalDelivered(let approval), .approvalApplied(let approval, _),
            .approvalExpired(let approval), .approvalCancelled(let approval, _), .approvalStale(let approval, _):
            approval
        default: nil
        }
    }

    package var openApprovalCount: Int { approvals.openCount }

    /// Removes the approval as if it had never been requested.
    package mutating func withdraw(_ approval: ApprovalID) {
        approvals.withdraw(approval)
        state.recount(approvals)
    }

    private mutating func open(_ request: ApprovalRequest, event: Event, seq: Int64) {
        // A host that asks twice under one identifier gets one approval: the first, in whatever stage it is.
        guard approvals[request.approval] == nil else { return }
        var approval = Approval(
            session: state.summary.session, request: request, requestBytes: event.bytes, requestedAt: event.at, seq: seq)
        // The host has already given the rule's answer to the agent: nobody can decide it.
        if let rule = request.rule {
            approval.stage = .delivered(rule.decision(on: request.approval, at: event.at), at: event.at)
            state.summary.ruleAnswers += 1
        }
        approvals.put(approval)
    }

    /// Changes the approval's stage if `become` allows it, else nothing: the first end of an approval counts.
    private mutating func change(_ id: ApprovalID, seq: Int64, _ become: (inout ApprovalStage) -> Bool) {
        guard var approval = approvals[id], become(&approval.stage) else { return }
        approval.seq = seq
        approvals.put(approval)
        if approval.stage.isFinal { approvals.forgetResolved(beyond: SessionLimits.resolvedApprovalsMax) }
    }
}

extension SessionState {
    /// Reduces the event, and counts its bytes.
    fileprivate mutating func add(_ event: Event, seq: Int64, at time: Int64, counting approvals: ApprovalBook) {
        reduce(event, seq: seq, counting: approvals)
        eventBytes += Int64(event.bytes.count)
        touchedAt = time
    }

    /// `approvals` is the state after the event.
    fileprivate mutating func reduce(_ event: Event, seq: Int64, counting approvals: ApprovalBook) {
        summary.seq = seq
        summary.lastActivityAt = max(summary.lastActivityAt, event.at)
        if let line = event.line { summary.line = line }
        switch event.head {
        case .sessionStarted(let facts): start(facts)
        case .sessionRenamed(let title): summary.title = title
        case .sessionEnded(let reason, let failed): end(reason: reason, failed: failed, at: event.at)
        case .statusChanged(let status, let reason): setStatus(status, reason: reason)
        case .message(let role, _, _, _): if role != .thought { summary.messages += 1 }
        case .toolStarted(let start): startTool(start)
        case .toolFinished(let finish): finishTool(finish)
        case .fileChanged(let path, let added, let removed, _):
            summary.file = path
            summary.linesAdded.addSaturating(added)
            summary.linesRemoved.addSaturating(removed)
        case .todoChanged(let progress): summary.todo = progress
        case .usage(let usage): add(usage)
        case .subagentStarted(let agent, _, _): if subagents.count < SessionLimits.subagentsMax { subagents.insert(agent) }
        case .subagentFinished(let agent, _): subagents.remove(agent)
        case .error(let message, _): summary.error = message
        case .approvalRequested, .approvalDecided, .approvalDelivered, .approvalApplied, .approvalExpired, .approvalCancelled,
            .approvalStale:
            count(approvals)
        case .steeringOffered(let offer): if summary.endedAt == nil { self.offer(offer) }
        case .steeringRequested(let call): openSteering.append(call.name)
        case .steeringChanged(let change): if change.stage.isFinal { openSteering.removeAll { $0 == change.name } }
        case .budgetCrossed, .steeringTyped, .truncated, .rewound, .unsupported: break
        }
        summary.subagents = Int64(subagents.count)
        coverStatus(approvals)
    }

    fileprivate mutating func recount(_ approvals: ApprovalBook) {
        count(approvals)
        coverStatus(approvals)
    }

    private mutating func count(_ approvals: ApprovalBook) {
        let pending = approvals.pendingCounts
        summary.questions = Int64(pending.questions)
        summary.approvals = Int64(pending.all - pending.questions)
    }

    /// Shows an open approval in place of the agent's own status: one that waits for a person, and also a decided one until its
    /// host has the decision, as the tool does not run before that.
    private mutating func coverStatus(_ approvals: ApprovalBook) {
        summary.status = agentStatus
        summary.statusReason = agentReason
        // While the agent waits at its terminal nothing runs, whatever tool began.
        summary.operation = agentStatus.isWaiting ? agentReason ?? agentOperation : agentOperation
        guard summary.endedAt == nil, approvals.openCount > 0,
            let (first, isOneForTool) = approvals.first(at: .pending) ?? approvals.first(at: .decided)
        else { return }
        summary.status = isOneForTool ? .waitingApproval : .waitingAnswer
        summary.operation = first.stage == .pending ? first.request.title : Self.decidedReason
        if first.stage.word == .decided { summary.statusReason = Self.decidedReason }
    }

    private static let decidedReason = "decided, waits for the host"

    fileprivate mutating func start(_ facts: SessionFacts) {
        summary.agentName = facts.agentName
        summary.agentVersion = facts.agentVersion ?? summary.agentVersion
        summary.model = facts.model ?? summary.model
        summary.title = facts.title ?? summary.title
        summary.project = facts.project ?? summary.project
        if let directory = facts.workingDirectory {
            (summary.workingDirectory, summary.folder, summary.branch) = (directory, facts.folder, facts.branch)
        }
        summary.endedAt = nil
        summary.error = nil
        agentReason = nil
        agentOperation = nil
        agentStatus = .starting
        currentCall = nil
        subagents = []
        if facts.run != run { closeRun(next: facts.run) }
    }

    /// Texts for the end reasons that hosts and Claude Code give as codes.
    private static let endWords = [
        "agentGone": "the agent is gone", "hostRestarted": "the host restarted", "prompt_input_exit": "ended at the terminal",
        "logout": "logged out", "clear": "cleared",
    ]

    fileprivate mutating func end(reason: String?, failed: Bool, at time: Int64) {
        summary.endedAt = time
        offer(nil)
        agentReason = reason.map { Self.endWords[$0] ?? $0 }
        agentOperation = nil
        currentCall = nil
        subagents = []
        agentStatus = failed ? .failed : .completed
        if !failed { summary.error = nil }
    }

    fileprivate mutating func setStatus(_ status: SessionStatus, reason: String?) {
        agentStatus = status
        agentReason = reason
        if status == .running { summary.error = nil }
        if status == .idle || status == .completed || status == .failed {
            agentOperation = nil
            currentCall = nil
        }
    }

    fileprivate mutating func startTool(_ start: ToolStart) {
        summary.operations += 1
        agentOperation = start.operation
        summary.file = start.file ?? summary.file
        currentCall = start.call
        // The agent works again: its wait at the terminal is over, and an earlier error was not final.
        agentStatus = .running
        summary.error = nil
        agentReason = nil
    }

    fileprivate mutating func finishTool(_ finish: ToolFinish) {
        guard finish.call == currentCall else { return }
        agentOperation = nil
        currentCall = nil
    }

    // MARK: - Cost

    /// Adds a usage report, which is cumulative within a run. A report of another run starts at zero again. One of the same run
    /// with a lower value is a repeat and changes nothing. If no run is named, a lower cost can only mean a new run.
    fileprivate mutating func add(_ usage: Usage) {
        summary.model = usage.model ?? summary.model
        summary.contextUsed = usage.contextUsed ?? summary.contextUsed
        summary.contextLimit = usage.contextLimit ?? summary.contextLimit
        if let run = usage.run, run != self.run {
            closeRun(next: run)
        } else if usage.run == nil, let cost = usage.costMicroUSD, cost < runCostMicroUSD {
            closeRun(next: nil)
        }
        if let cost = usage.costMicroUSD {
            runCostMicroUSD = max(runCostMicroUSD, cost)
        } else if let delta = usage.costDeltaMicroUSD {
            runCostMicroUSD.addSaturating(delta)
        }
        if let tokens = usage.tokens { runTokens = runTokens.maximum(tokens) }
        if usage.costMicroUSD != nil || usage.costDeltaMicroUSD != nil {
            summary.costMicroUSD = pastCostMicroUSD.sumSaturating(runCostMicroUSD)
        }
        if usage.tokens != nil { summary.tokens = pastTokens.plus(runTokens) }
        // The newest estimate counts, even if it is lower: estimated usage can become a cost.
        if let estimate = usage.estimateMicroUSD { runEstimateMicroUSD = estimate }
        let estimate = pastEstimateMicroUSD.sumSaturating(runEstimateMicroUSD)
        summary.estimateMicroUSD = estimate > 0 ? estimate : nil
    }

    private mutating func closeRun(next: String?) {
        pastCostMicroUSD.addSaturating(runCostMicroUSD)
        pastEstimateMicroUSD.addSaturating(runEstimateMicroUSD)
        pastTokens = pastTokens.plus(runTokens)
        runCostMicroUSD = 0
        runEstimateMicroUSD = 0
        runTokens = Tokens()
        run = next
    }
}

extension Tokens {
    fileprivate func maximum(_ other: Tokens) -> Tokens {
        Tokens(
            input: max(input, other.input), output: max(output, other.output), cacheRead: max(cacheRead, other.cacheRead),
            cacheWrite: max(cacheWrite, other.cacheWrite))
    }
}

extension Int64 {
    fileprivate mutating func addSaturating(_ other: Int64) { self = sumSaturating(other) }
}

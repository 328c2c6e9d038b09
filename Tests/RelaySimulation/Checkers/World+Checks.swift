import HostCore
import RelayCore
import RelayModel
import RelayProtocol

/// Runs the checkers on the world.
extension World {
    private var durability: DurabilityChecker { DurabilityChecker(log: log, workspace: World.workspace.id) }

    func checkDurable(_ message: MessageToClient) {
        if let complaint = durability.check(message) { report(.durability, complaint) }
    }

    func checkDurable(_ message: MessageToHost) {
        if let complaint = durability.check(message) { report(.durability, complaint) }
    }

    func checkFreedom(of ask: Agent.Ask, offer: String?) {
        if let complaint = freedom.ran(ask, offer: offer) { report(.freedom, complaint) }
    }

    func checkAnswer(_ asked: AgentChecker.Asked, isAllowed: Bool, offer: String?) {
        if let complaint = agents.answered(asked, isAllowed: isAllowed, offer: offer) { report(.freedom, complaint) }
    }

    /// An agent takes a text from a client.
    func checkTaken(_ text: String, in session: SessionID) {
        if let complaint = steering?.took(text, in: session) { report(.steering, complaint) }
    }

    /// A host's rules change from afar.
    func checkRules(_ action: SteeringAction, at host: HostProcess) {
        if consent?.isSigned(host.index) == true {
            consent?.changed(action, at: host.index)
        } else if action.kind != .ruleOff {
            report(.freedom, "\(host.name) takes a rule from afar, and asks for no signature")
        }
        if let complaint = steering?.changed(action) { report(.steering, complaint) }
    }

    func checkTaken(_ request: SteeringRequest) {
        if let complaint = steering?.took(request) { report(.steering, complaint) }
    }

    func tellLedgersOfClock() {
        for host in hosts { host.ledger.relayClock(shows: relay.wall) }
    }

    func checkCompleteness(of batch: LogBatch) {
        tellLedgersOfClock()
        for append in batch.appends {
            guard let host = hosts.first(where: { $0.identity.host.id == append.state.summary.host.id }) else { continue }
            let waiting = Set(host.daemon?.spool.index.sessions[append.key.session]?.entries.map(\.seq) ?? [])
            var events = append.events.map(\.bytes)
            if let sealing, host.isSealed {
                events = events.map { sealing.content(of: $0, in: append.key.session, of: host.index)?.plain ?? $0 }
            }
            let complaint = host.ledger.stored(
                events, of: append.key.session, through: append.state.hostSeq, waiting: waiting, areSealed: host.isSealed)
            if let complaint { report(.completeness, complaint) }
            sealing?.stored(append)
        }
    }

    func checkBudgets(of batch: LogBatch) {
        if let complaint = budgets.stored(batch) { report(.budget, complaint) }
        if let complaint = costs.stored(batch) { report(.budget, complaint) }
    }

    // MARK: Memory

    /// Checks that queues, readers and waiters are bounded, and that nothing is kept for peers that have left.
    func checkMemory() {
        guard let census = relay.relay?.census else { return }
        // At the end of a run every session is touched once more, which does not count.
        if held == nil { peak = max(peak, census.total) }
        let connected = connections.values.count { $0.isOpenAtRelay } + (pushes?.codes.count ?? 0)
        if census.peers > connected {
            report(.memory, "the core knows \(census.peers) peers, and \(connected) are connected")
        }
        if census.reads > relay.readsUnderWay {
            report(.memory, "the core waits for \(census.reads) reads, and \(relay.readsUnderWay) are under way")
        }
        if let breach = census.breach { report(.memory, breach) }
    }

    // MARK: Replay

    /// Checks that the live state equals that reduced again from all events.
    func checkReplay() {
        guard let live = relay.relay else { return }
        for (key, state, approvals) in live.committed {
            guard let stored = log.sessions[key] else { return report(.replay, "\(key.session) is live and not in the log") }
            do throws(WireError) {
                let replayed = try Relay.replay(stored.events, after: stored.begunAfter, usage: stored.usage, like: state)
                if replayed.state.bytes != state.bytes {
                    return report(
                        .replay, "\(key.session) is \(text(state.bytes)), and its events make it \(text(replayed.state.bytes))")
                }
                let replayedApprovals = replayed.approvals.mapValues { approval in
                    // The expiry depends on the relay's own clock.
                    var approval = approval
                    approval.expiresAt = approvals[approval.id]?.expiresAt
                    return approval
                }
                for (id, approval) in replayedApprovals.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                    // Resolved approvals are forgotten in time.
                    if approvals[id] == nil, approval.stage.isFinal { continue }
                    if approvals[id]?.bytes != approval.bytes { return report(.replay, "\(id) is not what its events make it") }
                }
            } catch { return report(.replay, "the log holds what cannot be read: \(error.message)") }
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: The end

    private func pending(_ approvals: some Sequence<Approval>) -> Set<ApprovalID> {
        Set(approvals.filter { $0.stage == .pending }.map(\.id))
    }

    private func named(_ ids: Set<ApprovalID>) -> String { ids.map(\.rawValue).sorted().joined(separator: " ") }

    private func stored(_ session: SessionID) -> SimulatedLog.Stored? {
        log.sessions[SessionKey(workspace: World.workspace.id, session: session)]
    }

    /// Checks the world after faults have stopped for long enough that all is quiet.
    func checkQuiet() {
        checkConverged()
        guard violation == nil, let live = relay.relay else { return }
        checkReplay()
        checkMemory()
        checkHolds()
        sealing?.checkQuiet(live)
        pushes?.checkQuiet(live)
        let open = pending(live.committed.flatMap(\.approvals.values))
        for client in clients where pending(client.approvals.values) != open {
            return report(
                .pending, "\(client.name) has pending \(named(pending(client.approvals.values))); the relay \(named(open))")
        }
        for host in hosts {
            for question in host.daemon?.questions ?? [] where question.isOpen {
                // An approval is decided, or ended by the relay's own clock, with an event.
                let (id, known) = (question.approval, stored(question.session))
                if known?.ends[id] != nil || known?.decisions[id] != nil { continue }
                if !open.contains(id) {
                    return report(.pending, "\(host.name) waits for \(id), which the relay does not have pending")
                }
            }
        }
        checkStatus(live, open)
        guard violation == nil else { return }
        let hooks = Set(hosts.flatMap(\.agents).compactMap { agent in agent.ask.flatMap { $0.isAtTerminal ? nil : $0.hook } })
        for id in open.sorted(by: { $0.rawValue < $1.rawValue }) {
            let asked = hosts.flatMap(\.bodies).flatMap { $0.asks + $0.untold }
            if asked.contains(where: { agents.isAbout($0, id) }) { continue }
            guard let hook = freedom.questions[id]?.hook, hooks.contains(hook) else {
                return report(.convergence, "\(id) is pending, and its agent no longer waits for it")
            }
        }
    }

    /// Checks that the reported status of real adapters' sessions is that of their agents.
    private func checkStatus(_ live: Relay, _ open: Set<ApprovalID>) {
        let states = Dictionary(uniqueKeysWithValues: live.committed.map { ($0.0.session, $0.1.summary) })
        // The relay's clock jumped, which ended questions that agents still ask.
        let expired = hosts.flatMap { $0.daemon?.questions ?? [] }
            .filter { $0.isOpen && stored($0.session)?.ends[$0.approval] != nil }
        let outdated = Set(expired.map(\.session))
        for (ledger, body) in hosts.flatMap({ host in host.bodies.map { (host.ledger, $0) } }) {
            for (session, status) in body.sessions where !outdated.contains(session) && !ledger.isLost(session) {
                let told = states[session].flatMap { $0.endedAt == nil ? $0.status : nil }
                guard told != status else { continue }
                let (shown, real) = (told?.rawValue ?? "over", status?.rawValue ?? "over")
                return report(.status, "\(session) is told to be \(shown), and is \(real)")
            }
            for ask in body.asks where !outdated.contains(ask.session) && !agents.isUnasked(ask) {
                if open.contains(where: { agents.isAbout(ask, $0) }) { continue }
                return report(.status, "\(ask.session) asks about \(ask.words), and nobody is asked")
            }
        }
    }

    private func checkHolds() {
        for host in hosts {
            let expected = budgets.holds(of: host.identity.host.id, at: relay.tickedAt).adding(host.askingAll)
            if host.holds != expected { return report(.budget, "\(host.name) holds \(host.holds), and not \(expected)") }
        }
    }

    private func checkConverged() {
        guard let live = relay.relay else { return report(.convergence, "the relay is down") }
        for host in hosts {
            guard let daemon = host.daemon, daemon.isLive else {
                return report(.convergence, "\(host.name) is not connected")
            }
            let waiting = daemon.spool.index.pendingCount
            if waiting > 0 { return report(.convergence, "\(waiting) events wait in the spool of \(host.name)") }
        }
        for client in clients {
            guard client.isLevel else { return report(.convergence, "\(client.name) is not connected") }
            for (session, view) in client.views.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let end = stored(session)?.seq ?? 0
                guard view.isFollowing, view.seq == end else {
                    return report(.convergence, "\(client.name) has \(session) through \(view.seq ?? 0) of \(end)")
                }
            }
            for (key, state, _) in live.committed where client.summaries[key.session] != state.summary {
                let shown = client.summaries[key.session].map { text($0.bytes) } ?? "none"
                return report(
                    .convergence, "\(client.name) shows \(shown), and the relay has \(text(state.summary.bytes))")
            }
        }
    }

    /// Checks the world after all agents' questions have ended.
    func checkSettled() {
        checkQuiet()
        guard violation == nil else { return }
        for key in log.order {
            guard let stored = log.sessions[key] else { continue }
            for id in stored.stages.keys.sorted(by: { $0.rawValue < $1.rawValue }) where stored.ends[id] == nil {
                return report(.convergence, "\(id) is over, and nothing says so")
            }
        }
        for key in log.order {
            guard let stored = log.sessions[key] else { continue }
            let events = stored.events.dropFirst(Int(stored.begunAfter))
            if let complaint = steering?.settled(events) { return report(.steering, complaint) }
        }
        if let complaint = decisions.settled(isOver: { self.stored($0)?.ends[$1] != nil }) {
            return report(.decision, complaint)
        }
        if let live = relay.relay { pushes?.checkSettled(live) }
        for host in hosts { if let complaint = host.ledger.settled() { return report(.completeness, complaint) } }
    }

    // MARK: Plants

    /// The message as a client sees it under the planted fault; nil if it is dropped.
    func planted(_ message: MessageToClient) -> MessageToClient? {
        switch (plant, message) {
        case (.droppedEvent, .events(var run)) where run.events.count > 1:
            run.events.remove(at: 1)
            return .events(run)
        case (.unheardApproval, .approval(let approval)): return approval.stage == .pending ? message : nil
        case (.twoWinners, .reply(let command, .failed(let notice, .some))) where notice.code == "alreadyDecided":
            return .reply(command, .decided(.decided))
        default: return message
        }
    }

    func planted(_ page: LogPage) -> LogPage {
        guard plant == .silentTrim, page.events.count > 1 else { return page }
        return LogPage(first: page.first, events: Array(page.events.dropFirst()))
    }
}

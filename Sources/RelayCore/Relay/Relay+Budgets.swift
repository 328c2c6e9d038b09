import PushPlanner
import RelayModel
import RelayProtocol

/// Budgets: spending is counted with every batch, and shown when the batch is on disk.
extension Relay {
    mutating func setBudget(_ budget: Budget, _ id: CommandID, of client: ClientPeer, _ peer: PeerID) {
        var isSessionShown = true
        if case .session(let session) = budget.scope {
            isSessionShown = shown[SessionKey(workspace: client.workspace, session: session)] != nil
        }
        let order = BudgetOrder(peer: peer, command: id, workspace: client.workspace, budget: budget)
        let hasRoom = commands.hasRoom(for: peer)
        if budgets.ordered(order, isSessionShown: isSessionShown, hasRoom: hasRoom, &orders) { commands.began(peer) }
    }

    mutating func listBudgets(_ id: CommandID, of client: ClientPeer, _ peer: PeerID) {
        let reports = budgets.reports(of: client.workspace, seeing: shown) { hostsThatCannotHold($0, client.workspace) }
        orders.reply(.budgets(reports.map(\.bytes)), to: id, of: peer)
    }

    /// Names of hosts of an older version, or whose agents cannot be held.
    private func hostsThatCannotHold(_ budget: Budget, _ workspace: WorkspaceID) -> [String] {
        var names: Set<String> = []
        for host in presence.hosts.values where host.hasSaidHello && host.key.workspace == workspace {
            if case .session(let session) = budget.scope,
                !sessions.ofHosts[host.key].contains(SessionKey(workspace: workspace, session: session))
            {
                continue
            }
            if !host.capabilities.contains(.hold) { names.insert(host.identity.host.name) }
        }
        return names.sorted()
    }

    // MARK: - Counting

    /// Adds the changes of budgets to the batch that is about to be cut. No commit is under way, so every committed view is as the
    /// last cut left it.
    mutating func settleBudgets(at now: Instant) {
        turnDay(at: now)
        budgets.applyOrders(&staging.records)
        for trim in staging.trims where trim.state == nil {
            let isHeld = sessions.staged(trim.key)?.budget?.isHeld == true
            budgets.sessionGoes(trim.key, isHeld: isHeld, &staging.records)
        }
        guard !staging.appends.isEmpty else { return }
        for key in staging.appends.map(\.key) { settleBudgets(of: key, at: now) }
        budgets.keepCounts(&staging.records)
    }

    private mutating func settleBudgets(of key: SessionKey, at now: Instant) {
        guard let staged = sessions.staged(key) else { return }
        let known = shown.costMicroUSD(of: key)
        // A session that retention had removed resumes with its earlier cost.
        let before = known ?? removed[key]?.costMicroUSD ?? 0
        if staged.costMicroUSD > before {
            let crossings = budgets.spend(key, from: before, to: staged.costMicroUSD)
            for crossing in crossings { stage(Event(.budgetCrossed(crossing), at: now.wall), in: key, at: now) }
            // If one budget crossed several levels at once, only the highest sends an alert.
            for (index, crossing) in crossings.enumerated()
            where !crossings.dropFirst(index + 1).contains(where: { $0.scope == crossing.scope }) {
                if let view = sessions.staged(key) { tellPlanner(.budgetCrossed(crossing, key, view), at: now) }
            }
        }
        if known == nil, removed[key]?.usage.isEmpty == false { budgets.goesOn(key) }
        // Needed even if nothing was spent: the day's budget no longer applies to a session that has ended.
        let mark = budgets.stagedMark(of: staged, in: key.workspace)
        if mark != staged.budget { sessions.setStagedBudget(mark, of: key) }
    }

    /// Begins a new day of budgets, so that sessions held by the old one continue. Not while a batch is under way: the views that
    /// it will show belong to the day in which it was cut.
    mutating func turnDay(at now: Instant) {
        guard committing == nil else { return }
        for workspace in budgets.turnDay(at: now) { showBudgets(of: workspace, at: now) }
    }

    /// Called again by housekeeping, as the wall clock may be set at any time.
    mutating func armDayEnd(at now: Instant) {
        orders.add(.armTimer(.dayEnd, after: UTCDay.timeLeft(at: now.wall)))
    }

    // MARK: - Shown

    mutating func startBudgets(at now: Instant) {
        budgets.started(at: now)
        armDayEnd(at: now)
        let marks = shown.views.compactMap { key, view in
            let mark = budgets.mark(of: view, in: key.workspace)
            return mark == view.budget ? nil : (key: key, mark: mark)
        }
        for (key, mark) in marks { sessions.update(key) { $0.state.summary.budget = mark } }
    }

    mutating func showBudgets(of workspace: WorkspaceID, at now: Instant) {
        var changed: [SessionKey] = []
        for key in sessions.inOrder(in: workspace) {
            // The view is released before it is changed, or it would be copied.
            guard let mark = shown[key].map({ (now: budgets.mark(of: $0, in: workspace), shown: $0.budget) }),
                mark.now != mark.shown
            else { continue }
            sessions.update(key) { $0.state.summary.budget = mark.now }
            showSummary(of: key)
            changed.append(key)
        }
        tellPlanner(changesOf: changed, at: now)
        for peer in presence.hosts.keys.sorted() where presence.hosts[peer]?.key.workspace == workspace { sayHolds(to: peer) }
    }

    /// Sends a host the sessions whose budget is spent, for which it then requires approval of every tool.
    mutating func sayHolds(to peer: PeerID) {
        guard let host = presence.hosts[peer], host.hasSaidHello, host.capabilities.contains(.hold) else { return }
        let keys = sessions.ofHosts[host.key]
        budgets.sayHolds(of: keys, in: host.key.workspace, to: peer, seeing: shown, &orders)
    }

    /// Replies to budget commands that are on disk, or failed.
    mutating func answerBudgets(_ answer: Reply) {
        for peer in budgets.answer(answer, &orders) { commands.answered(peer) }
    }
}

extension RemovedSession {
    fileprivate var costMicroUSD: Int64 {
        guard !usage.isEmpty, let value = try? JSONDocument(parsing: usage).root else { return 0 }
        return (try? value.optionalInteger("costMicroUSD")) ?? 0
    }
}

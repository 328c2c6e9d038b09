import PushPlanner
import RelayModel
import RelayProtocol

/// What may be spent: set by clients, counted with every batch, and told where it is crossed.
extension Relay {
    // MARK: - Commands

    mutating func setBudget(
        _ budget: Budget, _ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant
    ) {
        if case .session(let session) = budget.scope {
            guard shown[SessionKey(workspace: client.workspace, session: session)] != nil else {
                reply(.noSuchSession, to: id, of: peer)
                return
            }
            let known = budgets.staged[client.workspace]?.ofSessions ?? [:]
            let waiting = staging.budgets.count { $0.workspace == client.workspace }
            guard budget.microUSD == 0 || known[session] != nil || known.count + waiting < Limits.budgetsMax else {
                reply(.failed(.tooMany, "at most \(Limits.budgetsMax) sessions have a budget of their own"), to: id, of: peer)
                return
            }
        }
        guard commands.hasRoom(for: peer) else {
            reply(.failed(.tooMany, "too many commands wait for an answer"), to: id, of: peer)
            return
        }
        commands.began(peer)
        staging.budgets.append(BudgetOrder(peer: peer, command: id, workspace: client.workspace, budget: budget))
    }

    mutating func listBudgets(_ id: CommandID, of client: ClientPeer, _ peer: PeerID, at now: Instant) {
        let book = budgets.books[client.workspace] ?? BudgetBook()
        reply(.budgets(book.budgets.map { report($0, book, client.workspace).bytes }), to: id, of: peer)
    }

    private func report(_ budget: Budget, _ book: BudgetBook, _ workspace: WorkspaceID) -> BudgetReport {
        let spent: Int64
        switch budget.scope {
        case .session(let session):
            spent = shown[SessionKey(workspace: workspace, session: session)]?.costMicroUSD ?? 0
        case .everySession:
            let costs = sessions.values.compactMap { session -> Int64? in
                guard session.key.workspace == workspace, book.ofSessions[session.key.session] == nil,
                    let view = shown[session.key], view.endedAt == nil
                else { return nil }
                return view.costMicroUSD
            }
            spent = costs.max() ?? 0
        case .day: spent = book.days[budgets.today] ?? 0
        case .workspace: spent = book.workspaceMicroUSD
        }
        return BudgetReport(
            budget, spentMicroUSD: spent, crossed: budget.level(at: spent),
            day: budget.scope == .day ? "\(budgets.today)" : nil, cannotHold: hostsThatCannotHold(budget, workspace))
    }

    // MARK: - Counting

    /// Adds to the batch that is about to be cut what budgets make of it: nothing is being committed, so every committed view
    /// is as the last cut left it.
    mutating func settleBudgets(at now: Instant) {
        turnDay(at: now)
        applyBudgets()
        for trim in staging.trims where trim.state == nil { forgetBudget(of: trim.key) }
        guard !staging.appends.isEmpty else { return }
        var spenders: Set<WorkspaceID> = []
        for key in staging.appends.map(\.key) {
            guard let session = sessions[key] else { continue }
            // A session that retention removed goes on from what it had cost.
            let before = shown[session.key]?.costMicroUSD ?? removed[key]?.costMicroUSD ?? 0
            let after = session.staged.costMicroUSD
            if after > before {
                spend(key, from: before, to: after, at: now)
                spenders.insert(key.workspace)
            }
            // What it has cost may be held at once, though it crosses nothing.
            if shown[session.key] == nil, removed[key]?.usage.isEmpty == false { staging.movedBudgets.insert(key.workspace) }
            // Also where nothing was spent: what has ended concerns the day no more.
            let mark = budgets.staged[key.workspace]?.mark(of: session.staged.summary, on: budgets.today)
            if mark != session.staged.budget { sessions[key]?.staged.state.summary.budget = mark }
        }
        for workspace in spenders.sorted(by: { $0.rawValue < $1.rawValue }) { keepCounts(of: workspace) }
    }

    private mutating func spend(_ key: SessionKey, from before: Int64, to after: Int64, at now: Instant) {
        let step = budgets.staged[key.workspace, default: BudgetBook()]
            .spend(key.session, from: before, to: after, on: budgets.today)
        for crossing in step.crossings { stage(Event(.budgetCrossed(crossing), at: now.wall), in: key, at: now) }
        // Where one budget passed several levels at once, the highest rings.
        for (index, crossing) in step.crossings.enumerated()
        where !step.crossings.dropFirst(index + 1).contains(where: { $0.scope == crossing.scope }) {
            if let view = sessions[key]?.staged { tellPlanner(.budgetCrossed(crossing, key, view), at: now) }
        }
        if step.isNews { staging.movedBudgets.insert(key.workspace) }
    }

    private mutating func keepCounts(of workspace: WorkspaceID) {
        guard let book = budgets.staged[workspace] else { return }
        keep(BudgetBook.name(budgets.today), book.bytes(budgets.today), of: workspace)
        if book.ofWorkspace != nil { keep(BudgetBook.name(.workspace), book.bytes(.workspace), of: workspace) }
        while let day = budgets.staged[workspace]?.forgetDay(today: budgets.today) {
            keep(BudgetBook.name(day), nil, of: workspace)
        }
    }

    /// Where there are several for one scope, the last holds, as with their records: what is taken away and set anew at once goes on.
    private mutating func applyBudgets() {
        var last: [BudgetOrder.Place: Int] = [:]
        for (index, order) in staging.budgets.enumerated() { last[order.place] = index }
        for (index, order) in staging.budgets.enumerated() where last[order.place] == index { apply(order) }
    }

    private mutating func apply(_ order: BudgetOrder) {
        budgets.staged[order.workspace, default: BudgetBook()].set(order.budget)
        let bytes = budgets.staged[order.workspace]?.bytes(order.budget.scope)
        keep(BudgetBook.name(order.budget.scope), bytes, of: order.workspace)
        staging.movedBudgets.insert(order.workspace)
    }

    /// Retention lets go of the session.
    private mutating func forgetBudget(of key: SessionKey) {
        if budgets.staged[key.workspace]?.ofSessions[key.session] != nil {
            budgets.staged[key.workspace]?.set(Budget(scope: .session(key.session), microUSD: 0))
            keep(BudgetBook.name(.session(key.session)), nil, of: key.workspace)
        }
        if sessions[key]?.staged.budget?.isHeld == true { staging.movedBudgets.insert(key.workspace) }
    }

    private mutating func keep(_ name: String, _ bytes: [UInt8]?, of workspace: WorkspaceID) {
        staging.records.append(PushRecord(workspace: workspace, kind: .budget, name: name, bytes: bytes))
    }

    // MARK: - Shown

    mutating func startBudgets(at now: Instant) {
        budgets.today = UTCDay(at: now.wall)
        for (key, session) in sessions {
            guard let state = shown[session.key]?.state else { continue }
            let mark = budgets.books[key.workspace]?.mark(of: state.summary, on: budgets.today)
            if mark != state.summary.budget { updateViews(of: key) { $0.state.summary.budget = mark } }
        }
    }

    /// What the batch made of budgets is on disk.
    mutating func showBudgets(of batch: Staging, at now: Instant) {
        budgets.books = budgets.staged
        for workspace in batch.movedBudgets.sorted(by: { $0.rawValue < $1.rawValue }) { showBudgets(of: workspace, at: now) }
        answer(batch.budgets, .done)
    }

    /// Nothing of it is on disk, nor will what was ordered since be.
    mutating func refuseBudgets(_ orders: [BudgetOrder], _ reason: String) {
        budgets.staged = budgets.books
        answer(orders, .failed(.unavailable, reason))
    }

    private mutating func answer(_ orders: [BudgetOrder], _ answer: Reply) {
        for order in orders {
            commands.answered(order.peer)
            reply(answer, to: order.command, of: order.peer)
        }
    }

    /// A new day begins with what was spent in it, which is mostly nothing. The clock alone says so: nothing waits for the disk.
    private mutating func turnDay(at now: Instant) {
        let day = UTCDay(at: now.wall)
        guard day != budgets.today else { return }
        budgets.today = day
        for workspace in budgets.books.keys.sorted(by: { $0.rawValue < $1.rawValue })
        where budgets.books[workspace]?.ofDay != nil {
            showBudgets(of: workspace, at: now)
        }
    }

    private mutating func showBudgets(of workspace: WorkspaceID, at now: Instant) {
        let book = budgets.books[workspace] ?? BudgetBook()
        var changed: [SessionKey] = []
        for key in sessions.keys.filter({ $0.workspace == workspace }).sorted() {
            guard let summary = shown[key]?.summary else { continue }
            let mark = book.mark(of: summary, on: budgets.today)
            guard mark != summary.budget else { continue }
            updateViews(of: key) { $0.state.summary.budget = mark }
            if let summary = shown[key]?.summary { sendToWatchers(.summary(summary), of: key) }
            changed.append(key)
        }
        tellPlanner(changesOf: changed, at: now)
        for peer in presence.hosts.keys.sorted() where presence.hosts[peer]?.key.workspace == workspace { sayHolds(to: peer) }
    }
}

extension RemovedSession {
    fileprivate var costMicroUSD: Int64 {
        guard !usage.isEmpty, let value = try? JSONDocument(parsing: usage).root else { return 0 }
        return (try? value.optionalInteger("costMicroUSD")) ?? 0
    }
}

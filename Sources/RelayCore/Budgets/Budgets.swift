import RelayModel
import RelayProtocol

/// Budgets of every workspace: set by clients, counted with every batch, and reported when a level is crossed.
struct Budgets {
    /// The books as on disk; only these are ever shown.
    private var books: [WorkspaceID: BudgetBook] = [:]
    /// The books including the batch under way.
    private var staged: [WorkspaceID: BudgetBook] = [:]
    /// The current day when it was last checked.
    private var today = UTCDay(number: 0)
    /// Held sessions that were last sent to each connected host.
    private var told: [PeerID: Holds] = [:]
    /// Changes for the next batch, and below it those in the batch that is being committed.
    private var next = Batch()
    private var committing = Batch()
    /// Records that do not decode, by name.
    private(set) var damaged: [String] = []

    private struct Batch {
        /// Orders of the batch: applied when it is cut, answered when it is on disk.
        var orders: [BudgetOrder] = []
        /// Workspaces in which the batch changes something that is shown or held.
        var moved: Set<WorkspaceID> = []
        /// Workspaces in which money was spent.
        var spenders: Set<WorkspaceID> = []
    }

    init(restoring records: [PushRecord]) {
        for record in records where record.kind == .budget {
            guard let bytes = record.bytes else { continue }
            // An undecodable record belongs to a newer relay, and is kept for it.
            do throws(WireError) {
                try books[record.workspace, default: BudgetBook()].restore(bytes)
            } catch {
                damaged.append("budget \(record.name)")
            }
        }
        staged = books
    }

    mutating func started(at now: Instant) { today = UTCDay(at: now.wall) }

    // MARK: - Commands

    /// Accepts an order: it is applied with the next batch, and answered when that is on disk. Returns false if it is refused.
    mutating func ordered(_ order: BudgetOrder, isSessionShown: Bool, hasRoom: Bool, _ orders: inout Orders) -> Bool {
        guard let refusal = refusal(of: order, isSessionShown: isSessionShown, hasRoom: hasRoom) else {
            next.orders.append(order)
            return true
        }
        orders.reply(refusal, to: order.command, of: order.peer)
        return false
    }

    private func refusal(of order: BudgetOrder, isSessionShown: Bool, hasRoom: Bool) -> Reply? {
        if case .session(let session) = order.budget.scope {
            guard isSessionShown else { return .noSuchSession }
            let known = staged[order.workspace]?.ofSessions ?? [:]
            let waiting = next.orders.count { $0.workspace == order.workspace }
            guard order.budget.microUSD == 0 || known[session] != nil || known.count + waiting < Limits.budgetsMax else {
                return .failed(.tooMany, "at most \(Limits.budgetsMax) sessions have a budget of their own")
            }
        }
        return hasRoom ? nil : .failed(.tooMany, "too many commands wait for an answer")
    }

    /// Reports on all budgets of a workspace. `cannotHold`: returns the names of hosts that cannot do what a budget asks for.
    func reports(
        of workspace: WorkspaceID, seeing shown: CommittedSessions, cannotHold: (Budget) -> [String]
    ) -> [BudgetReport] {
        let book = book(of: workspace)
        return book.budgets.map { budget in
            let spent = spent(of: budget, book, workspace, shown)
            return BudgetReport(
                budget, spentMicroUSD: spent, crossed: budget.level(at: spent), day: budget.scope == .day ? "\(today)" : nil,
                cannotHold: budget.holds ? cannotHold(budget) : [])
        }
    }

    private func spent(of budget: Budget, _ book: BudgetBook, _ workspace: WorkspaceID, _ shown: CommittedSessions) -> Int64 {
        switch budget.scope {
        case .session(let session): return shown[SessionKey(workspace: workspace, session: session)]?.costMicroUSD ?? 0
        case .everySession:
            let costs = shown.views.compactMap { key, view -> Int64? in
                guard key.workspace == workspace, book.ofSessions[key.session] == nil, view.endedAt == nil else { return nil }
                return view.costMicroUSD
            }
            return costs.max() ?? 0
        case .day: return book.days[today] ?? 0
        case .workspace: return book.workspaceMicroUSD
        }
    }

    private func book(of workspace: WorkspaceID) -> BudgetBook { books[workspace] ?? BudgetBook() }

    // MARK: - Counting

    /// Begins a new day, usually with nothing spent, and returns workspaces in which that may change what is shown. Only the clock
    /// decides: nothing waits for the disk.
    mutating func turnDay(at now: Instant) -> [WorkspaceID] {
        let day = UTCDay(at: now.wall)
        guard day != today else { return [] }
        today = day
        return books.keys.filter { books[$0]?.ofDay != nil }.sorted { $0.rawValue < $1.rawValue }
    }

    /// Applies the waiting orders. If there are several for one scope, the last one counts, as with their records: a budget that is
    /// removed and set again at once continues.
    mutating func applyOrders(_ records: inout [PushRecord]) {
        guard !next.orders.isEmpty else { return }
        var last: [BudgetOrder.Place: Int] = [:]
        for (index, order) in next.orders.enumerated() { last[order.place] = index }
        for (index, order) in next.orders.enumerated() where last[order.place] == index {
            staged[order.workspace, default: BudgetBook()].set(order.budget)
            let bytes = staged[order.workspace]?.bytes(order.budget.scope)
            records.append(PushRecord(of: order.workspace, BudgetBook.name(order.budget.scope), bytes))
            next.moved.insert(order.workspace)
        }
    }

    /// Removes the budget of a session that retention removes with this batch.
    mutating func sessionGoes(_ key: SessionKey, isHeld: Bool, _ records: inout [PushRecord]) {
        if staged[key.workspace]?.ofSessions[key.session] != nil {
            staged[key.workspace]?.set(Budget(scope: .session(key.session), microUSD: 0))
            records.append(PushRecord(of: key.workspace, BudgetBook.name(.session(key.session)), nil))
        }
        if isHeld { next.moved.insert(key.workspace) }
    }

    /// Counts the cost of a session in this batch. Returns the levels that it crosses.
    mutating func spend(_ key: SessionKey, from before: Int64, to after: Int64) -> [BudgetCrossing] {
        let step = staged[key.workspace, default: BudgetBook()].spend(key.session, from: before, to: after, on: today)
        next.spenders.insert(key.workspace)
        if step.isNews { next.moved.insert(key.workspace) }
        return step.crossings
    }

    /// Notes that a removed session resumed with its earlier cost: it may be held at once, though no level is crossed.
    mutating func goesOn(_ key: SessionKey) { next.moved.insert(key.workspace) }

    /// The session's mark including this batch.
    func stagedMark(of staged: SessionView, in workspace: WorkspaceID) -> BudgetMark? {
        self.staged[workspace]?.mark(of: staged.summary, on: today)
    }

    /// Adds the records of changed amounts to the batch.
    mutating func keepCounts(_ records: inout [PushRecord]) {
        for workspace in next.spenders.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let book = staged[workspace] else { continue }
            records.append(PushRecord(of: workspace, BudgetBook.name(today), book.bytes(today)))
            if book.ofWorkspace != nil {
                records.append(PushRecord(of: workspace, BudgetBook.name(.workspace), book.bytes(.workspace)))
            }
            while let day = staged[workspace]?.forgetDay(today: today) {
                records.append(PushRecord(of: workspace, BudgetBook.name(day), nil))
            }
        }
    }

    // MARK: - The disk

    mutating func cut() {
        committing = next
        next = Batch()
    }

    /// Makes the batch's state current, as it is on disk. Returns workspaces in which what is shown has changed; `answer` then
    /// replies to the orders.
    mutating func committed() -> [WorkspaceID] {
        books = staged
        return committing.moved.sorted { $0.rawValue < $1.rawValue }
    }

    /// Discards the batch, which is not on disk, together with the orders that came since.
    mutating func lost() {
        staged = books
        committing.orders += next.orders
        next = Batch()
    }

    /// Replies to the clients whose orders are on disk, or failed. Returns them, each once per order.
    mutating func answer(_ answer: Reply, _ orders: inout Orders) -> [PeerID] {
        defer { committing = Batch() }
        for order in committing.orders { orders.reply(answer, to: order.command, of: order.peer) }
        return committing.orders.map(\.peer)
    }

    /// Removes a removed workspace's state. No batch may be under way.
    mutating func forget(_ workspace: WorkspaceID) {
        books[workspace] = nil
        staged[workspace] = nil
        next.orders.removeAll { $0.workspace == workspace }
        next.moved.remove(workspace)
        next.spenders.remove(workspace)
    }

    // MARK: - Shown

    func mark(of view: SessionView, in workspace: WorkspaceID) -> BudgetMark? {
        books[workspace]?.mark(of: view.summary, on: today)
    }

    /// Sends a host its held sessions if they have changed. Derived from the committed state each time, so it cannot be lost.
    /// `keys`: all sessions of the host, also ended ones, as an agent can resume them.
    mutating func sayHolds(
        of keys: Set<SessionKey>, in workspace: WorkspaceID, to peer: PeerID, seeing shown: CommittedSessions,
        _ orders: inout Orders
    ) {
        let holds = holds(of: keys, in: workspace, shown)
        guard holds != told[peer] else { return }
        told[peer] = holds
        orders.send(.hold(holds), toHost: peer)
    }

    mutating func hostLeft(_ peer: PeerID) { told[peer] = nil }

    private func holds(of keys: Set<SessionKey>, in workspace: WorkspaceID, _ shown: CommittedSessions) -> Holds {
        guard let book = books[workspace] else { return Holds() }
        if book.isHolding(on: today) { return Holds(everySession: true) }
        let held = keys.filter { key in shown[key].map { book.isHolding(key.session, at: $0.costMicroUSD) } ?? false }
        if held.count > WireLimits.heldSessionsMax { return Holds(everySession: true) }
        return Holds(sessions: Set(held.map(\.session)))
    }

    // MARK: - Counting

    func count(into census: inout RelayCensus) {
        if books.values.contains(where: { $0.ofSessions.count > Limits.budgetsMax }) {
            census.breach = "a workspace has too many budgets"
        }
    }
}

/// A budget that is set with the next batch, and the command that is answered when it is on disk.
struct BudgetOrder {
    let peer: PeerID
    let command: CommandID
    let workspace: WorkspaceID
    let budget: Budget

    struct Place: Hashable {
        let workspace: WorkspaceID
        let scope: Budget.Scope
    }

    var place: Place { Place(workspace: workspace, scope: budget.scope) }
}

extension PushRecord {
    /// `bytes`: nil removes the record.
    fileprivate init(of workspace: WorkspaceID, _ name: String, _ bytes: [UInt8]?) {
        self.init(workspace: workspace, kind: .budget, name: name, bytes: bytes)
    }
}

import RelayProtocol

/// The budgets of one workspace, and what is counted for them.
///
/// Which levels are crossed is not kept: what is spent only grows, so a level is crossed by the one step that takes the count
/// from below it to it or beyond. The count is on disk in the transaction that tells of the step; hence each crossing is told
/// exactly once, whatever crashes, resets or repeats.
struct BudgetBook: Equatable {
    private(set) var ofSessions: [SessionID: Budget] = [:]
    private(set) var ofEverySession: Budget?
    private(set) var ofDay: Budget?
    private(set) var ofWorkspace: Budget?
    /// Since `ofWorkspace` was set.
    private(set) var workspaceMicroUSD: Int64 = 0
    /// Several, because a clock can be set back: a day that was counted goes on, and is not counted again.
    private(set) var days: [UTCDay: Int64] = [:]

    var isEmpty: Bool { self == BudgetBook() }

    /// The session's own budget, or that of every session.
    func budget(of session: SessionID) -> Budget? { ofSessions[session] ?? ofEverySession }

    var budgets: [Budget] {
        [ofEverySession, ofDay, ofWorkspace].compactMap { $0 }
            + ofSessions.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }

    // MARK: - Changes

    /// Sets, replaces or takes away. What is spent already crosses nothing: the person who sets it sees that.
    mutating func set(_ budget: Budget) {
        let kept = budget.microUSD > 0 ? budget : nil
        switch budget.scope {
        case .session(let session): ofSessions[session] = kept
        case .everySession: ofEverySession = kept
        case .day: ofDay = kept
        case .workspace:
            ofWorkspace = kept
            if kept == nil { workspaceMicroUSD = 0 }
        }
    }

    /// Result of one step of a session's spending.
    struct Step {
        /// Lowest first within each budget.
        var crossings: [BudgetCrossing] = []
        /// Something is shown or held otherwise than before.
        var isNews = false

        mutating func add(_ budget: Budget?, from before: Int64, to after: Int64) {
            guard let budget else { return }
            for level in budget.levels where budget.isReached(level, at: after) && !budget.isReached(level, at: before) {
                crossings.append(
                    BudgetCrossing(
                        level: level, scope: budget.scope.name, limitMicroUSD: budget.microUSD, spentMicroUSD: after))
                isNews = true
            }
            if budget.isHolding(at: before) != budget.isHolding(at: after) { isNews = true }
        }
    }

    /// The cost of a session grew.
    mutating func spend(_ session: SessionID, from before: Int64, to after: Int64, on day: UTCDay) -> Step {
        var step = Step()
        step.add(budget(of: session), from: before, to: after)
        let today = days[day] ?? 0
        let todayAfter = today.sumSaturating(after - before)
        days[day] = todayAfter
        step.add(ofDay, from: today, to: todayAfter)
        if let ofWorkspace {
            let workspace = workspaceMicroUSD
            workspaceMicroUSD = workspace.sumSaturating(after - before)
            step.add(ofWorkspace, from: workspace, to: workspaceMicroUSD)
        }
        return step
    }

    /// Returns the day that is forgotten for a new one: the farthest from today, as a clock can have been anywhere.
    mutating func forgetDay(today: UTCDay) -> UTCDay? {
        guard days.count > Limits.budgetDaysMax else { return nil }
        let farthest = days.keys.max { (abs($0.number - today.number), $0.number) < (abs($1.number - today.number), $1.number) }
        if let farthest { days[farthest] = nil }
        return farthest
    }

    // MARK: - What it means for a session

    /// Budgets that concern a session with this cost.
    private func concerns(_ summary: Summary, on day: UTCDay) -> [(budget: Budget, spent: Int64)] {
        var list: [(budget: Budget, spent: Int64)] = []
        if let budget = budget(of: summary.session) { list.append((budget, summary.costMicroUSD ?? 0)) }
        // A session that has ended spends nothing any more.
        guard summary.endedAt == nil else { return list }
        if let ofDay { list.append((ofDay, days[day] ?? 0)) }
        if let ofWorkspace { list.append((ofWorkspace, workspaceMicroUSD)) }
        return list
    }

    func mark(of summary: Summary, on day: UTCDay) -> BudgetMark? {
        var mark: BudgetMark?
        for (budget, spent) in concerns(summary, on: day) {
            let isHolding = budget.isHolding(at: spent)
            guard let level = budget.level(at: spent) ?? (isHolding ? 100 : nil) else { continue }
            if level > mark?.level ?? 0 {
                mark = BudgetMark(level: level, microUSD: budget.microUSD, isHeld: mark?.isHeld == true)
            }
            if isHolding { mark?.isHeld = true }
        }
        if mark?.isHeld == true { mark?.reach = summary.steering?.hold }
        return mark
    }

    /// True if every session of the workspace is held.
    func isHolding(on day: UTCDay) -> Bool {
        ofDay?.isHolding(at: days[day] ?? 0) == true || ofWorkspace?.isHolding(at: workspaceMicroUSD) == true
    }

    func isHolding(_ session: SessionID, at costMicroUSD: Int64) -> Bool {
        budget(of: session)?.isHolding(at: costMicroUSD) == true
    }
}

// MARK: - On disk

extension BudgetBook {
    /// The names of the records: `session/ID`, `everySession`, `day`, `workspace`, and `spent/DAY` for what a day has cost.
    static func name(_ scope: Budget.Scope) -> String {
        if case .session(let session) = scope { "session/\(session)" } else { scope.name.rawValue }
    }

    /// Nil removes the record.
    func bytes(_ scope: Budget.Scope) -> [UInt8]? {
        let budget: Budget? =
            switch scope {
            case .session(let session): ofSessions[session]
            case .everySession: ofEverySession
            case .day: ofDay
            case .workspace: ofWorkspace
            }
        return budget.map { budget in
            JSONWriter.object {
                budget.write(to: &$0)
                if scope == .workspace { $0.field("spentMicroUSD", workspaceMicroUSD) }
            }
        }
    }

    static func name(_ day: UTCDay) -> String { "spent/\(day)" }

    func bytes(_ day: UTCDay) -> [UInt8]? {
        days[day].map { spent in
            JSONWriter.object {
                $0.field("day", day.number)
                $0.field("microUSD", spent)
            }
        }
    }

    mutating func restore(_ bytes: [UInt8]) throws(WireError) {
        let value = try JSONDocument(parsing: bytes).root.object()
        guard value.optional("scope") == nil else {
            let budget = try Budget(from: value)
            set(budget)
            if budget.scope == .workspace { workspaceMicroUSD = try value.integer("spentMicroUSD") }
            return
        }
        let day = try value.integer("day", in: -JSONValue.integerMax...JSONValue.integerMax)
        days[UTCDay(number: day)] = try value.integer("microUSD")
    }
}

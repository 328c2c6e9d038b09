import RelayProtocol

/// The budgets of one workspace, and the amounts spent under them.
///
/// Levels that were crossed are not stored. Spending only grows, so a level is crossed by the one step that takes the amount from
/// below it to it or beyond. The amount is on disk in the same transaction as that step's events; hence each crossing is reported
/// exactly once, in spite of crashes, resets and repeats.
struct BudgetBook: Equatable {
    private(set) var ofSessions: [SessionID: Budget] = [:]
    private(set) var ofEverySession: Budget?
    private(set) var ofDay: Budget?
    private(set) var ofWorkspace: Budget?
    /// Spent since `ofWorkspace` was set.
    private(set) var workspaceMicroUSD: Int64 = 0
    /// Amounts by day. Several days, because a clock can be set back: a day that was counted continues, and is not counted again.
    private(set) var days: [UTCDay: Int64] = [:]

    var isEmpty: Bool { self == BudgetBook() }

    func budget(of session: SessionID) -> Budget? { ofSessions[session] ?? ofEverySession }

    var budgets: [Budget] {
        [ofEverySession, ofDay, ofWorkspace].compactMap { $0 }
            + ofSessions.sorted { $0.key.rawValue < $1.key.rawValue }.map(\.value)
    }

    // MARK: - Changes

    /// Sets, replaces or removes a budget. Levels below the amount already spent are not reported: the person who sets the budget
    /// sees that amount.
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
        /// Crossed levels, lowest first within each budget.
        var crossings: [BudgetCrossing] = []
        /// True if something that is shown or held has changed.
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

    /// Counts the growth of a session's cost.
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

    /// Removes a day if there are too many, and returns it: the one farthest from today, as a clock can have been set to any time.
    mutating func forgetDay(today: UTCDay) -> UTCDay? {
        guard days.count > Limits.budgetDaysMax else { return nil }
        let farthest = days.keys.max { (abs($0.number - today.number), $0.number) < (abs($1.number - today.number), $1.number) }
        if let farthest { days[farthest] = nil }
        return farthest
    }

    // MARK: - What it means for a session

    /// Budgets that apply to a session with this cost, and the amounts spent under them.
    private func concerns(_ summary: Summary, on day: UTCDay) -> [(budget: Budget, spent: Int64)] {
        var list: [(budget: Budget, spent: Int64)] = []
        if let budget = budget(of: summary.session) { list.append((budget, summary.costMicroUSD ?? 0)) }
        // A session that has ended spends nothing any more, so shared budgets do not apply to it.
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
    /// Name of a budget's record: `session/ID`, `everySession`, `day` or `workspace`. The amount spent on a day is in `spent/DAY`.
    static func name(_ scope: Budget.Scope) -> String {
        if case .session(let session) = scope { "session/\(session)" } else { scope.name.rawValue }
    }

    /// The budget's record; nil removes it.
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

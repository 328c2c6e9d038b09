import RelayCore
import RelayModel
import RelayProtocol

/// Checks that each level of a budget is crossed once, by the spending that passes it, and that hosts hold the sessions of spent
/// budgets. Keeps its own count of durable spending, for one workspace.
struct BudgetChecker {
    private struct Session {
        let host: HostID
        var cost: Int64 = 0
    }

    private static let dayLength: Int64 = 24 * 60 * 60 * 1000

    private var sessions: [SessionID: Session] = [:]
    /// Cost of sessions that retention removed.
    private var removed: [SessionID: Int64] = [:]
    /// Budgets by the names of their records.
    private var budgets: [String: Budget] = [:]
    private var workspace: Int64 = 0
    /// Spending of each day, by days since 1970.
    private var days: [Int64: Int64] = [:]
    /// All budgets ever on disk, as they were spelled.
    private var known: Set<[UInt8]> = []
    /// Budgets in the order in which clients sent them, by scope.
    private var asked: [Budget.Scope: [Budget]] = [:]

    // MARK: The log

    mutating func stored(_ batch: LogBatch) -> String? {
        var today: (day: Int64, spent: Int64)?
        var workspaceSpent: Int64?
        do throws(WireError) {
            for record in batch.records where record.kind == .budget {
                guard let bytes = record.bytes else {
                    if !record.name.hasPrefix("spent/") { take(nil, record.name) }
                    continue
                }
                let value = try JSONDocument(parsing: bytes).root
                if record.name.hasPrefix("spent/") {
                    if today != nil { return "two days are counted in one batch" }
                    today = (try value.integer("day"), try value.integer("microUSD"))
                } else {
                    take(try Budget(from: value), record.name)
                    if record.name == "workspace" { workspaceSpent = try value.integer("spentMicroUSD") }
                }
            }
        } catch { return "a budget's record cannot be read: \(error.path) \(error.message)" }
        for append in batch.appends {
            if let complaint = stored(append, on: today?.day) { return complaint }
        }
        for trim in batch.trims where trim.state == nil {
            removed[trim.key.session] = sessions.removeValue(forKey: trim.key.session)?.cost
        }
        if let today, days[today.day] ?? 0 != today.spent {
            return "day \(today.day) is said to have cost \(today.spent), and has cost \(days[today.day] ?? 0)"
        }
        if let workspaceSpent, workspaceSpent != workspace {
            return "the workspace is said to have cost \(workspaceSpent), and has cost \(workspace)"
        }
        return nil
    }

    private mutating func take(_ budget: Budget?, _ name: String) {
        if name == "workspace", budget == nil { workspace = 0 }
        budgets[name] = budget
        if let budget { known.insert(budget.bytes) }
    }

    private mutating func stored(_ append: SessionAppend, on day: Int64?) -> String? {
        let session = append.key.session
        let before = sessions[session]?.cost ?? removed[session] ?? 0
        let after = append.state.summary.costMicroUSD ?? 0
        sessions[session] = Session(host: append.state.summary.host.id, cost: after)
        var expected: [BudgetCrossing] = []
        func cross(_ budget: Budget?, _ before: Int64, _ after: Int64) {
            guard let budget else { return }
            for level in budget.levels {
                // Computed differently than in the relay: the amount at which the level is reached, rounded up.
                let mark = (level * budget.microUSD + 99) / 100
                if before < mark, mark <= after {
                    expected.append(
                        BudgetCrossing(
                            level: level, scope: budget.scope.name, limitMicroUSD: budget.microUSD, spentMicroUSD: after))
                }
            }
        }
        cross(budget(of: session), before, after)
        if after > before {
            guard let day else { return "\(session) has cost more, and no day is counted" }
            let spent = days[day] ?? 0
            days[day] = spent + after - before
            cross(budgets["day"], spent, spent + after - before)
            if let budget = budgets["workspace"] {
                cross(budget, workspace, workspace + after - before)
                workspace += after - before
            }
        }
        let told = append.events.compactMap { event -> BudgetCrossing? in
            guard case .budgetCrossed(let crossing)? = (try? Event(stored: event.bytes))?.head else { return nil }
            return crossing
        }
        return told == expected ? nil : "\(session) went from \(before) to \(after) and crossed \(told), and not \(expected)"
    }

    private func budget(of session: SessionID) -> Budget? { budgets["session/\(session)"] ?? budgets["everySession"] }

    // MARK: Clients and hosts

    mutating func asks(_ budget: Budget) { asked[budget.scope, default: []].append(budget) }

    /// A client got the reply that the budget is set. Of several within one tick only the last is written.
    func acknowledged(_ budget: Budget) -> String? {
        // Retention removes a session's budget with the session, in the same commit.
        if case .session(let session) = budget.scope, sessions[session] == nil, removed[session] != nil { return nil }
        let orders = asked[budget.scope] ?? []
        let first = orders.firstIndex(of: budget) ?? orders.count
        // Messages of two clients may overtake each other.
        let later = orders.dropFirst(max(0, first - Self.passingMax))
        let isKept =
            budget.microUSD == 0 || known.contains(budget.bytes)
            || later.contains { $0.microUSD == 0 || known.contains($0.bytes) }
        return isKept ? nil : "a budget is said to be set, and is not on disk"
    }

    private static let passingMax = 3

    /// Holds that a host must have, by the relay's clock in milliseconds since 1970.
    func holds(of host: HostID, at wall: Int64) -> Holds {
        func isSpent(_ budget: Budget?, _ spent: Int64) -> Bool {
            budget.map { $0.holds && spent >= $0.microUSD } ?? false
        }
        if isSpent(budgets["day"], days[wall / Self.dayLength] ?? 0) || isSpent(budgets["workspace"], workspace) {
            return Holds(everySession: true)
        }
        let held = sessions.filter { $0.value.host == host && isSpent(budget(of: $0.key), $0.value.cost) }
        return Holds(sessions: Set(held.keys))
    }
}

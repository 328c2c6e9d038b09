internal import HeliographLink
internal import RelayProtocol

/// `heliograph budgets`: sets or clears one on request, then shows all.
final class BudgetsTask: ClientTask {
    private unowned let run: ClientRun
    private let wish: BudgetOptions?
    private var setting: CommandID?
    private var listing: CommandID?

    init(_ run: ClientRun, setting wish: BudgetOptions?) {
        self.run = run
        self.wish = wish
        run.expect { false }
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where listing == nil && setting == nil:
            if let wish { set(wish) } else { listing = run.submit(.budgets) }
        case .replied(let command, let reply) where command == setting || command == listing: replied(reply)
        default: break
        }
    }

    private func replied(_ reply: Reply) {
        switch reply {
        case .failed(let notice, _): run.fail(.notTaken(notice, "set budgets"))
        case .budgets(let budgets): show(budgets)
        default: listing = run.submit(.budgets)
        }
    }

    private func set(_ wish: BudgetOptions) {
        let scope: Budget.Scope
        switch wish.scope {
        case .session(let text):
            do throws(ClientError) { scope = .session(try WatchTask.find(text, in: run.view)) } catch { return run.fail(error) }
        case .everySession: scope = .everySession
        case .day: scope = .day
        case .workspace: scope = .workspace
        }
        let budget = Budget(
            scope: scope, microUSD: wish.microUSD, levels: wish.levels ?? Budget.defaultLevels, holds: wish.holds)
        setting = run.submit(.budget(budget))
    }

    private func show(_ budgets: [[UInt8]]) {
        if run.options.isJSON {
            run.terminal.print(JSONLine.text(JSONWriter.object { $0.array("budgets", budgets) }))
            return run.finish(.done)
        }
        var reports: [BudgetReport] = []
        do throws(WireError) {
            for bytes in budgets { reports.append(try BudgetReport(from: JSONDocument(parsing: bytes).root)) }
        } catch {
            return run.fail(ClientError(.failed, "the relay's answer is not understood: \(error.message)"))
        }
        if reports.isEmpty {
            run.terminal.print("no budgets; set one: heliograph budget set --day 20")
        } else {
            let names = ShortNames.shortest(of: run.view.sessions.keys.map(\.rawValue))
            run.terminal.print(Self.table(reports, names: names))
        }
        let deaf = Set(reports.flatMap(\.cannotHold)).sorted().map { VisibleText.line($0) }
        if !deaf.isEmpty {
            let names = deaf.joined(separator: ", ")
            run.terminal.remark("warning: tools are not held on \(names): heliograph there is too old", .yellow)
        }
        for line in Self.reaches(of: reports, over: run.view.sessions.values) { run.terminal.remark(line, .yellow) }
        run.finish(.done)
    }

    /// One line for each kind of session that these budgets concern and that cannot be held completely.
    static func reaches(of reports: [BudgetReport], over sessions: some Sequence<Summary>) -> [String] {
        let holding = reports.map(\.budget).filter(\.holds)
        let own = Set(reports.compactMap { if case .session(let session) = $0.budget.scope { session } else { nil } })
        let names = ShortNames.shortest(of: sessions.map(\.session.rawValue))
        let concerned = SessionsTask.sorted(Array(sessions)).filter { summary in
            summary.endedAt == nil
                && holding.contains { budget in
                    switch budget.scope {
                    case .session(let session): session == summary.session
                    case .everySession: !own.contains(summary.session)
                    case .day, .workspace: true
                    }
                }
        }
        return HoldReach.allCases.compactMap { reach -> String? in
            let these = concerned.filter { $0.steering?.hold == reach }
            guard !these.isEmpty else { return nil }
            let list = these.map { "\(names[$0.session.rawValue] ?? $0.session.rawValue) (\(VisibleText.line($0.agentName)))" }
            let shown = list.prefix(sessionsNamedMax).joined(separator: ", ")
            let more = list.count > sessionsNamedMax ? " and \(list.count - sessionsNamedMax) more" : ""
            return switch reach {
            case .most: "held in part: \(shown)\(more): asks about all tools but those that the agent's own rules trust"
            case .unchanged:
                "not held: \(shown)\(more): asks as before; prompts from clients are refused while the budget is spent"
            }
        }
    }

    /// Sessions of one kind that are listed by name; further ones are counted.
    private static let sessionsNamedMax = 8

    static func table(_ reports: [BudgetReport], names: [String: String]) -> TextTable {
        var table = TextTable([
            .init("BUDGET", flexibleMin: 8), .init("SPENT", alignsRight: true), .init("OF", alignsRight: true),
            .init("REACHED", alignsRight: true), .init("LEVELS"), .init("AT 100 %"),
        ])
        for report in reports {
            let budget = report.budget
            let isHolding = budget.isHolding(at: report.spentMicroUSD)
            let style: Style? = report.crossed.map { $0 >= 100 ? .red : .yellow } ?? nil
            table.rows.append([
                .init(title(report, names: names), .cyan),
                .init(Moment.money(microUSD: report.spentMicroUSD), style),
                .init(Moment.money(microUSD: budget.microUSD)),
                .init(report.crossed.map { "\($0) %" } ?? "", style),
                .init(budget.levels.map { "\($0)" }.joined(separator: ", ")),
                .init(budget.holds ? (isHolding ? "holds now" : "holds") : "tells", isHolding ? .alert : nil),
            ])
        }
        return table
    }

    private static func title(_ report: BudgetReport, names: [String: String]) -> String {
        switch report.budget.scope {
        case .session(let session): "session \(names[session.rawValue] ?? session.rawValue)"
        case .everySession: "every session (the dearest)"
        case .day: "day" + (report.day.map { " \(VisibleText.line($0)), UTC" } ?? "")
        case .workspace: "workspace"
        }
    }
}

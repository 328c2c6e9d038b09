internal import HeliographLink
internal import RelayProtocol

/// `heliograph cost`: usage by day or another dimension.
final class CostsTask: ClientTask {
    private unowned let run: ClientRun
    private let wish: CostOptions
    private let days: [LocalDay]
    private let now = Moment.now
    private var listing: CommandID?
    private var asking: CommandID?
    private var budgets: [BudgetReport] = []

    init(_ run: ClientRun, _ wish: CostOptions) {
        self.run = run
        self.wish = wish
        let today = LocalDay(at: now)
        days = Array((0..<CostOptions.daysMax).lazy.map { wish.since.advanced(by: $0) }.prefix { $0 <= today })
        run.expect { false }
    }

    func heard(_ news: RelayLink.News) {
        switch news {
        case .changed(.workspaceKnown) where listing == nil: listing = run.submit(.budgets)
        case .replied(let command, let reply) where command == listing || command == asking: replied(reply)
        default: break
        }
    }

    private func replied(_ reply: Reply) {
        switch reply {
        case .failed(let notice, _): run.fail(.notTaken(notice, "see costs"))
        case .budgets(let entries):
            budgets = entries.compactMap { try? BudgetReport(from: JSONDocument(parsing: $0).root) }
            let until = (days.last ?? wish.since).advanced(by: 1).begin
            asking = run.submit(.costs(CostQuery(days: days.map(\.begin), until: until, sessions: CostQuery.sessionsMax)))
        case .costs(let report): show(report)
        default: run.fail(ClientError(.failed, "the relay's answer is not understood"))
        }
    }

    private func show(_ report: CostReport) {
        if run.options.isJSON {
            let line = JSONWriter.object {
                $0.strings("days", days.map(\.description))
                $0.raw("costs", report.bytes)
            }
            run.terminal.print(JSONLine.text(line))
            return run.finish(.done)
        }
        let rows = CostTable.rows(of: report, by: wish.dimension, days: days)
        if wish.isCSV {
            for line in CostTable.csv(rows, by: wish.dimension) { run.terminal.print(line) }
            return run.finish(.done)
        }
        if rows.isEmpty {
            run.terminal.print("nothing was used since \(wish.since)")
        } else {
            let names = ShortNames.shortest(of: run.view.sessions.keys.map(\.rawValue))
            let table = CostTable.table(rows, total: report.total, by: wish.dimension) { names[$0] ?? $0 }
            run.terminal.print(table)
        }
        let left = Int(report.sessionCount) - report.sessions.count
        if wish.dimension == .session, left > 0 {
            run.terminal.remark("others: \(Moment.count(left, "session")) that cost less", .dim)
        }
        if let forecast = Self.forecast(budgets, lastHourMicroUSD: report.lastHourMicroUSD, at: now) {
            run.terminal.remark(
                "at the pace of the last hour the day's budget is spent at \(Moment.clock(forecast, now: now))", .yellow)
        }
        run.finish(.done)
    }

    /// Time at which the day's budget is spent at the last hour's pace, in milliseconds since 1970. Nil if there is no such budget,
    /// it is spent, or it lasts until midnight UTC.
    static func forecast(_ budgets: [BudgetReport], lastHourMicroUSD pace: Int64, at now: Int64) -> Int64? {
        guard let day = budgets.first(where: { $0.budget.scope == .day }), pace > 0 else { return nil }
        let left = day.budget.microUSD - day.spentMicroUSD
        let dayLength: Int64 = 24 * 60 * 60 * 1_000
        guard left > 0 else { return nil }
        let spent = Double(now) + Double(left) / Double(pace) * 3_600_000
        return spent < Double((now / dayLength + 1) * dayLength) ? Int64(spent) : nil
    }
}

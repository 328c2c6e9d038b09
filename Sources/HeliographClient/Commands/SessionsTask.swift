internal import HeliographLink
internal import RelayProtocol

/// `heliograph sessions`: lists all sessions once.
final class SessionsTask: ClientTask {
    /// Time for which ended sessions are shown without `--all`.
    static let endedShownMilliseconds: Int64 = 24 * 3_600_000

    private unowned let run: ClientRun
    private let showsAll: Bool

    init(_ run: ClientRun, showsAll: Bool) {
        self.run = run
        self.showsAll = showsAll
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        guard case .changed(.workspaceKnown) = news else { return }
        let now = Moment.now
        let sorted = Self.sorted(Array(run.view.sessions.values))
        let shown = sorted.filter { showsAll || now - ($0.endedAt ?? now) < Self.endedShownMilliseconds }
        if run.options.isJSON {
            run.terminal.print(JSONLine.text(JSONWriter.object { $0.array("sessions", sorted.map(\.bytes)) }))
        } else if shown.isEmpty {
            run.terminal.print(sorted.isEmpty ? "no sessions yet" : "no sessions of today; \(sorted.count) older: --all")
        } else {
            let table = Self.table(shown, names: ShortNames.shortest(of: sorted.map(\.session.rawValue)), now: now)
            run.terminal.print(table)
            if shown.count < sorted.count { run.terminal.remark("\(sorted.count - shown.count) older: --all", .dim) }
        }
        run.remarkSealed()
        run.finish(.done)
    }

    /// The sessions without those that represent a host: those that wait for a person first, then by latest activity.
    static func sorted(_ sessions: [Summary]) -> [Summary] {
        sessions.filter { !$0.standsForHost }.sorted {
            (rank($0), -$0.lastActivityAt, $0.session.rawValue) < (rank($1), -$1.lastActivityAt, $1.session.rawValue)
        }
    }

    private static func rank(_ summary: Summary) -> Int {
        if summary.approvals + summary.questions > 0 { return 0 }
        switch summary.status {
        case .waitingApproval, .waitingAnswer: return 0
        case .failed: return summary.endedAt == nil ? 1 : 5
        case .stale: return 2
        case .starting, .running: return 3
        case .idle: return 4
        case .completed: return 5
        }
    }

    static func table(_ sessions: [Summary], names: [String: String], now: Int64) -> TextTable {
        var table = TextTable([
            .init("SESSION"), .init("STATUS", flexibleMin: 12), .init("PROJECT / TITLE", flexibleMin: 12),
            .init("DOING", flexibleMin: 12, isOptional: true),
            .init("TODO", alignsRight: true, isOptional: true), .init("COST", alignsRight: true, isOptional: true),
            .init("PENDING", alignsRight: true),
            .init("AGE", alignsRight: true),
        ])
        for summary in sessions {
            let status = StatusText(summary.status)
            let place = summary.project.map { project in summary.branch.map { "\(project) (\($0))" } ?? project }
            let title = [place, summary.title].compactMap { $0 }.joined(separator: ": ")
            let pending = summary.approvals + summary.questions
            table.rows.append([
                .init(names[summary.session.rawValue] ?? summary.session.rawValue, .cyan),
                .init(
                    status.word + (summary.hostIsConnected || summary.endedAt != nil ? "" : ", host away")
                        + (summary.endedAt == nil ? asked(summary) : ""), status.style),
                .init(VisibleText.line(title.isEmpty ? summary.workingDirectory ?? summary.agentName : title)),
                .init(
                    VisibleText.line(summary.error ?? summary.operation ?? summary.statusReason ?? ""),
                    summary.error == nil ? nil : .red),
                .init(summary.todo.map { "\($0.completed)/\($0.total)" } ?? ""),
                .init(cost(summary)),
                .init(pending > 0 ? "\(pending)" : "", .alert),
                .init(Moment.age(now - summary.lastActivityAt), .dim),
            ])
        }
        return table
    }

    /// The cost in words. An agent's estimate, which is in no budget, is marked as such.
    static func cost(_ summary: Summary) -> String {
        let guess = summary.estimateMicroUSD.map { "~\(Moment.money(microUSD: $0)) guessed" }
        let cost = summary.knownCostMicroUSD.map { Moment.money(microUSD: $0) }
        return [cost, guess].compactMap(\.self).joined(separator: " + ")
    }

    /// The tools about which a person is asked, if that differs from the agent's own behaviour.
    private static func asked(_ summary: Summary) -> String {
        guard let budget = summary.budget, budget.isHeld else {
            return summary.steering?.asksAll == true ? ", asks for all" : ""
        }
        return switch budget.reach {
        case nil: ", held"
        case .most: ", held in part"
        case .unchanged: ", cannot be held"
        }
    }
}

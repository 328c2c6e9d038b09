internal import Consent
internal import DeviceConsent
internal import HeliographLink
internal import RelayProtocol

/// `heliograph approvals list`: the approvals that wait for a person, oldest first.
final class ApprovalListTask: ClientTask {
    private unowned let run: ClientRun
    private let showsAll: Bool

    init(_ run: ClientRun, showsAll: Bool) {
        self.run = run
        self.showsAll = showsAll
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        guard case .changed(.workspaceKnown) = news else { return }
        let view = run.view
        let resolved = view.approvals.values.filter { $0.stage != .pending }.sorted { $0.requestedAt > $1.requestedAt }
        let shown = view.pendingApprovals + (showsAll ? resolved : [])
        if run.options.isJSON {
            run.terminal.print(JSONLine.text(JSONWriter.object { $0.array("approvals", shown.map(\.bytes)) }))
        } else if shown.isEmpty {
            run.terminal.print("nothing waits for a decision")
        } else {
            let names = ShortNames.shortest(of: view.approvals.values.map(\.id.rawValue))
            let table = Self.table(shown, view.sessions, names: names, now: Moment.now)
            run.terminal.print(table)
            run.terminal.remark("heliograph approvals show ID prints one in full", .dim)
        }
        run.remarkSealed()
        run.finish(.done)
    }

    static func table(
        _ approvals: [Approval], _ sessions: [SessionID: Summary], names: [String: String], now: Int64
    ) -> TextTable {
        var table = TextTable([
            .init("ID"), .init("STAGE", flexibleMin: 8), .init("KIND", isOptional: true), .init("TOOL"),
            .init("TITLE", flexibleMin: 24), .init("SESSION", flexibleMin: 8, isOptional: true),
            .init("AGE", alignsRight: true), .init("EXPIRES", alignsRight: true),
        ])
        for approval in approvals {
            let summary = sessions[approval.session]
            let approval = ApprovalReading(approval, summary).approval
            let expires = approval.stage == .pending ? approval.expiresAt.map { Moment.age($0 - now) } : nil
            var stage = DecisionText.stage(approval)
            if let decision = approval.decision { stage = DecisionText.sentence(decision) + ", " + stage }
            let title = [summary?.project, summary?.title].compactMap { $0 }.joined(separator: ": ")
            table.rows.append([
                .init(names[approval.id.rawValue] ?? approval.id.rawValue, .cyan),
                .init(VisibleText.line(stage), approval.stage == .pending ? .alert : .dim),
                .init(approval.request.isCut ? "\(approval.request.kind.rawValue), cut" : approval.request.kind.rawValue),
                .init(VisibleText.exactLine(ToolWords.name(approval.request.tool))),
                .init(VisibleText.exactLine(approval.request.title)),
                .init(VisibleText.line(title.isEmpty ? approval.session.rawValue : title)),
                .init(Moment.age(now - approval.requestedAt), .dim),
                .init(expires ?? "", .dim),
            ])
        }
        return table
    }
}

/// `heliograph approvals show`: one approval, complete.
final class ApprovalShowTask: ClientTask {
    private unowned let run: ClientRun
    private let wanted: String

    init(_ run: ClientRun, _ wanted: String) {
        self.run = run
        self.wanted = wanted
        run.expectWorkspace()
    }

    func heard(_ news: RelayLink.News) {
        guard case .changed(.workspaceKnown) = news else { return }
        do throws(ClientError) {
            let approval = try ApprovalLookup.find(wanted, in: run.view)
            if run.options.isJSON {
                run.terminal.print(JSONLine.text(approval.bytes))
            } else {
                let summary = run.view.sessions[approval.session]
                let reading = ApprovalReading(approval, summary)
                let text = ApprovalText(reading.approval)
                let lines = text.lines(
                    summary: summary, width: run.terminal.width, palette: run.terminal.palette,
                    now: Moment.now)
                for line in lines { run.terminal.print(line) }
                if let reminder = text.reminder(width: run.terminal.width) { run.terminal.print(reminder) }
                remark(reading, summary)
            }
            run.finish(.done)
        } catch { run.fail(error) }
    }

    /// Prints the reason if it cannot be allowed from here.
    private func remark(_ reading: ApprovalReading, _ summary: Summary?) {
        switch reading.basis {
        case .open: break
        case .signed(let shown):
            do throws(ClientError) {
                _ = try TerminalSigner(run.options).identity(for: shown.host, named: summary?.host.name)
            } catch { run.terminal.report(error) }
        case .unreadable(let reason): run.terminal.remark("! \(reason), so it can only be denied from here", .alert)
        }
    }
}

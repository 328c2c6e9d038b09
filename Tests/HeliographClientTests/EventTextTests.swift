import HeliographLink
import HeliographTestSupport
import RelayProtocol
import Testing

@testable import HeliographClient

struct EventTextTests {
    @Test func everyKindHasALineThatIsSafeToPrint() {
        let evil = "x\u{1B}[2J\u{202E}\ny"
        var start = ToolStart(call: "1", tool: evil, operation: evil)
        start.file = evil
        var finish = ToolFinish(call: "1", tool: evil, succeeded: false)
        finish.summary = evil
        var facts = SessionFacts(agentName: evil)
        facts.title = evil
        let approval = ApprovalID("a")!
        let heads: [EventHead] = [
            .sessionStarted(facts), .sessionRenamed(title: evil), .sessionEnded(reason: evil, failed: true),
            .statusChanged(.idle, reason: evil), .message(.assistant, summary: evil), .toolStarted(start),
            .toolFinished(finish),
            .fileChanged(path: evil, added: 1, removed: 2), .todoChanged(TodoProgress(completed: 1, total: 2, current: evil)),
            .usage(Usage()),
            .approvalRequested(
                ApprovalRequest(approval: approval, kind: .tool, tool: evil, title: evil, digest: Fixtures.digest)),
            .approvalDecided(approval, Fixtures.decision(.deny(message: evil))), .approvalDelivered(approval),
            .approvalApplied(approval, outcome: .ran), .approvalExpired(approval), .approvalCancelled(approval, reason: evil),
            .approvalStale(approval, reason: evil), .subagentStarted(agent: evil), .subagentFinished(agent: evil),
            .budgetCrossed(BudgetCrossing(level: 80)), .error(message: evil, recoverable: true), .truncated(count: 3),
            .rewound(to: 4),
            .unsupported(kind: "new.kind"),
        ]
        for head in heads {
            let text = EventText(Event(head, at: 1).bytes)
            #expect(!text.line.isEmpty)
            #expect(!text.line.unicodeScalars.contains { $0 == "\n" || VisibleText.isHidden($0) }, "\(head.kind)")
        }
    }

    @Test func whatIsToldOfAnApprovalAfterItsEndIsNotShown() {
        let (one, other) = (SessionID("s1")!, SessionID("s2")!)
        let approval = ApprovalID("a")!
        var ends = ApprovalEnds()
        func isShown(_ head: EventHead, _ session: SessionID) -> Bool {
            !ends.isAfterEnd(EventText(Event(head, at: 1).bytes), of: session)
        }
        #expect(isShown(.approvalDelivered(approval), one))
        #expect(isShown(.approvalApplied(approval, outcome: .ran), one))
        #expect(!isShown(.approvalStale(approval, reason: "unknownApproval"), one))
        #expect(!isShown(.approvalDelivered(approval), one))
        #expect(isShown(.approvalCancelled(approval, reason: "turnEnded"), other))
        #expect(isShown(.sessionRenamed(title: "x"), one))
    }

    @Test func bytesThatAreNoEventAreSaidToBeNone() {
        #expect(EventText(Array("{}".utf8)).line == "an event that this version cannot read")
    }

    @Test func aToolThatFailedSaysHow() {
        var finish = ToolFinish(call: "1", tool: "Bash", succeeded: false)
        finish.exitCode = 1
        finish.durationMilliseconds = 65_200
        finish.summary = "1 failed"
        #expect(EventText(Event(.toolFinished(finish), at: 1).bytes).line == "✗ Bash: exit 1, 1 min 5 s, 1 failed")
    }

    @Test(arguments: [
        (ApprovalKind.tool, "Bash", "Run: ls", "WANTS TO Bash: Run: ls"),
        (.tool, "ExitPlanMode", "Carry out the plan", "ASKS: Carry out the plan"),
        (.question, "AskUserQuestion", "Which file?", "ASKS: Which file?"),
        (
            .tool, "mcp__github__create_issue", "Use create issue (github)",
            "WANTS TO create_issue of github: Use create issue (github)"
        ),
    ])
    func whatIsAskedIsToldInWords(kind: ApprovalKind, tool: String, title: String, line: String) {
        let request = ApprovalRequest(approval: ApprovalID("a")!, kind: kind, tool: tool, title: title, digest: Fixtures.digest)
        #expect(EventText(Event(.approvalRequested(request), at: 1).bytes).line == line)
    }

    @Test func whatIsListedIsWholeWhenItIsKnown() {
        var link = RelayLink(software: "test", idPrefix: "c")
        _ = link.started()
        _ = link.opened()
        _ = link.received(Fixtures.welcome().bytes)
        let pages: [MessageToClient] = [
            .workspaceSnapshot(sessions: [Fixtures.summary(seq: 1)], approvals: [], more: true),
            .summary(Fixtures.summary(Fixtures.other, seq: 1)), .approval(Fixtures.approval()), .snapshotEnd,
        ]
        for (number, page) in pages.enumerated() {
            let isKnown = link.received(page.bytes).contains {
                if case .tell(.changed(.workspaceKnown)) = $0 { true } else { false }
            }
            #expect(isKnown == (number == 3) && link.view.isWorkspaceKnown == isKnown)
        }
        #expect(SessionsTask.sorted(Array(link.view.sessions.values)).map(\.session) == [Fixtures.session, Fixtures.other])
        #expect(link.view.pendingApprovals.count == 1)
    }

    @Test func latestIsTheLastActiveThatHasNotEnded() throws {
        var view = ClientView()
        #expect(throws: ClientError.self) { try WatchTask.find("latest", in: view) }
        _ = view.reduce(
            .workspaceSnapshot(
                sessions: [
                    Fixtures.summary(seq: 1) { $0.lastActivityAt = 5 },
                    Fixtures.summary(Fixtures.other, seq: 1) {
                        $0.lastActivityAt = 9
                        $0.endedAt = 9
                    },
                ], approvals: []))
        #expect(try WatchTask.find("latest", in: view) == Fixtures.session)
        #expect(try WatchTask.find("sess-2", in: view) == Fixtures.other)
        #expect(throws: ClientError.self) { try WatchTask.find("sess", in: view) }
    }
}

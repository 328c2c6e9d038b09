import PushPlanner
import RelayProtocol

/// Sessions as they may stand when a push is planned: nothing there, everything there, numbers at the ends of the wire's range.
enum Subjects {
    /// 2026-11-20T12:34:56Z
    private static let moment: Int64 = 1_795_178_096_000

    static func make(_ status: SessionStatus, _ text: String, variant: Int) -> PushSubject {
        let line = String(decoding: text.utf8.prefix(WireLimits.lineBytesMax), as: UTF8.self)
        let number = [0, 1, 4_132, JSONValue.integerMax][variant % 4]
        guard let session = SessionID("sess_7f3a"), let host = HostID("h1") else {
            preconditionFailure("these are identifiers")
        }
        var summary = Summary(
            session: session, host: Named(id: host, name: line), hostIsConnected: variant % 3 > 0,
            agentName: line, startedAt: variant % 2 == 0 ? moment : 0)
        summary.status = status
        if variant % 2 == 1 {
            (summary.title, summary.project, summary.workingDirectory) = (line, line, "/tmp/" + line)
            (summary.operation, summary.file, summary.error, summary.statusReason) = (line, line, line, line)
            (summary.model, summary.agentVersion) = (line, line)
            summary.todo = TodoProgress(completed: number, total: 7, current: line)
            summary.tokens = Tokens(input: number, output: number)
            (summary.costMicroUSD, summary.contextUsed, summary.contextLimit) = (number, number, 7)
            (summary.endedAt, summary.budget) = (moment, BudgetMark(level: 80, microUSD: number, isHeld: true))
        }
        (summary.operations, summary.messages, summary.linesAdded) = (number, number, number)
        summary.lastActivityAt = variant % 2 == 0 ? JSONValue.integerMax : moment
        let texts = PushText.allCases
        var subject = PushSubject(
            summary: summary, approval: variant % 4 == 2 ? nil : approval(variant % 2 == 0 ? .tool : .question, line, session),
            text: texts[variant % texts.count], now: variant % 5 == 4 ? JSONValue.integerMax : moment)
        (subject.isOfAll, subject.sessions) = (variant % 3 == 2, 1 + number)
        subject.budgetLevel = variant % 2 == 0 ? 0 : 1_000
        return subject
    }

    private static func approval(_ kind: ApprovalKind, _ line: String, _ session: SessionID) -> Approval {
        guard let id = ApprovalID("req_91"), let digest = InputDigest(String(repeating: "a", count: 64)) else {
            preconditionFailure("these are an identifier and a digest")
        }
        var request = ApprovalRequest(approval: id, kind: kind, tool: line, title: line, digest: digest)
        request.alert = RequestWords(full: line, summary: line, isWhole: true)
        let event = Event(.approvalRequested(request), at: moment)
        return Approval(session: session, request: request, requestBytes: event.bytes, requestedAt: moment, seq: 1)
    }
}

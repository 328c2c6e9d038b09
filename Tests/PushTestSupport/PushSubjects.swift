package import PushPlanner
package import RelayProtocol

/// Subjects for tests: the session of the golden payloads, and others.
package enum PushSubjects {
    /// 2026-11-20T12:34:56Z
    package static let moment: Int64 = 1_795_178_096_000
    package static let started: Int64 = 1_795_176_866_000
    package static let session = "sess_7f3a"

    package static func summary(session: String = session, _ change: (inout Summary) -> Void = { _ in }) -> Summary {
        var summary = Summary(
            session: SessionID(session)!, host: Named(id: HostID("h1")!, name: "build-server"), hostIsConnected: true,
            agentName: "claude", startedAt: started)
        summary.status = .running
        summary.title = "Fix APNs client"
        summary.project = "relay"
        summary.workingDirectory = "~/relay"
        summary.operations = 12
        summary.messages = 18
        summary.todo = TodoProgress(completed: 3, total: 7)
        summary.costMicroUSD = 413_200
        summary.lastActivityAt = moment
        change(&summary)
        return summary
    }

    package static func subject(
        _ summary: Summary, approval: Approval? = nil, text: PushText = .summary, now: Int64 = moment
    ) -> PushSubject {
        PushSubject(summary: summary, approval: approval, text: text, now: now)
    }

    package static func approval(
        _ kind: ApprovalKind = .tool, id: String = "req_91", tool: String = "Bash", title: String = "Run: swift test",
        isCut: Bool = false, isRedacted: Bool = false, needsPasskey: Bool = false, risks: [String] = [],
        alert: RequestWords? = .command("swift test")
    ) -> Approval {
        var request = ApprovalRequest(
            approval: ApprovalID(id)!, kind: kind, tool: tool, title: title,
            digest: InputDigest(String(repeating: "a", count: 64))!)
        request.isCut = isCut
        request.isRedacted = isRedacted
        request.needsPasskey = needsPasskey
        request.alert = alert
        request.risks = risks
        let event = Event(.approvalRequested(request), at: moment)
        return Approval(
            session: SessionID(session)!, request: request, requestBytes: event.bytes, requestedAt: moment, seq: 1)
    }

    /// The four states of the golden payloads.
    package static func golden(_ state: String, session: String = session) -> PushSubject {
        switch state {
        case "working":
            return subject(
                summary(session: session) {
                    $0.operation = "Editing APNsClient.swift"
                    $0.file = "Sources/PushAPNs/APNsClient.swift"
                    $0.todo?.current = "Fix token refresh race"
                })
        case "approval":
            return subject(
                summary(session: session) {
                    $0.status = .waitingApproval
                    $0.approvals = 1
                }, approval: approval())
        case "question":
            return subject(
                summary(session: session) {
                    $0.status = .waitingAnswer
                    $0.questions = 1
                },
                approval: approval(
                    .question, id: "req_92", tool: "AskUserQuestion", title: "Which branch?",
                    alert: RequestWords(full: "Which branch?\n• main", isWhole: true)))
        default:
            return subject(
                summary(session: session) {
                    $0.status = .completed
                    $0.statusReason = "All 7 tasks done"
                    $0.todo = TodoProgress(completed: 7, total: 7)
                    $0.operations = 29
                    $0.messages = 31
                    $0.costMicroUSD = 771_800
                    $0.endedAt = moment + 600_000
                }, now: moment + 600_000)
        }
    }
}

extension RequestWords {
    /// A host's text for a tool that runs a command.
    package static func command(_ command: String) -> RequestWords {
        RequestWords(full: "command: " + command, summary: "Run: " + command, isWhole: true)
    }
}

import RelayProtocol

@testable import HeliographClient
@testable import HeliographLink

/// Messages as a relay would send them.
enum Fixtures {
    static let session = SessionID("sess-1")!
    static let other = SessionID("sess-2")!
    static let epoch = Epoch("epoch-1")!
    static let laterEpoch = Epoch("epoch-2")!
    static let digest = InputDigest(String(repeating: "ab", count: 32))!

    static func event(_ number: Int64) -> [UInt8] { Event(.sessionRenamed(title: "title \(number)"), at: number).bytes }

    static func events(_ range: ClosedRange<Int64>, of session: SessionID = session, epoch: Epoch = epoch) -> MessageToClient {
        .events(SessionEvents(session: session, epoch: epoch, first: range.lowerBound, events: range.map(event)))
    }

    static func snapshot(_ range: ClosedRange<Int64>, epoch: Epoch = epoch, approvals: [Approval] = []) -> MessageToClient {
        .sessionSnapshot(
            SessionEvents(session: session, epoch: epoch, first: range.lowerBound, events: range.map(event)),
            seq: range.upperBound, summary: summary(seq: range.upperBound), approvals: approvals)
    }

    static func summary(_ session: SessionID = session, seq: Int64, change: (inout Summary) -> Void = { _ in }) -> Summary {
        var summary = Summary(
            session: session, host: Named(id: HostID("host-1")!, name: "mac-mini"), hostIsConnected: true, agentName: "Agent",
            startedAt: 1_000)
        summary.seq = seq
        change(&summary)
        return summary
    }

    static func approval(
        _ id: String = "appr-1", seq: Int64 = 3, stage: ApprovalStage = .pending, kind: ApprovalKind = .tool,
        isCut: Bool = false, modes: [String] = [], body: (inout JSONWriter) -> Void = { _ in }
    ) -> Approval {
        var request = ApprovalRequest(
            approval: ApprovalID(id)!, kind: kind, tool: "Bash", title: "run it", digest: digest)
        request.isCut = isCut
        request.modes = modes
        let event = Event(.approvalRequested(request), at: 5_000, body: body)
        var approval = Approval(session: session, request: request, requestBytes: event.bytes, requestedAt: 5_000, seq: seq)
        approval.stage = stage
        return approval
    }

    static func tool(_ fields: [(StaticString, String)]) -> Approval {
        approval { body in
            body.object("input") { input in for (key, text) in fields { input.field(key, text) } }
        }
    }

    static func welcome(_ epoch: Epoch = epoch) -> MessageToClient {
        .welcome(
            Welcome(software: "test", epoch: epoch, heartbeat: Heartbeat(pingSeconds: 20, hangUpSeconds: 30)),
            client: Named(id: ClientID("client-1")!, name: "me"), workspace: Named(id: WorkspaceID("w-1")!, name: "W"))
    }

    static func decision(_ verdict: Decision.Verdict = .allow, at: Int64 = 7_000) -> Decision {
        Decision(verdict, client: ClientID("client-2")!, clientName: "Ada's laptop", at: at, command: CommandID("x-1")!)
    }
}

/// Changes in a form that reads as a transcript.
func told(_ changes: [ClientView.Change]) -> [String] { changes.map(told) }

func told(_ change: ClientView.Change) -> String {
    switch change {
    case .epochChanged: "epoch changed"
    case .workspaceKnown: "workspace known"
    case .session(let summary, let previous): "session \(summary.session) \(previous?.seq ?? 0)→\(summary.seq)"
    case .sessionGone(let session): "gone \(session)"
    case .approval(let approval, let previous):
        "approval \(approval.id) \(previous?.stage.rawValue ?? "none")→\(approval.stage.rawValue)"
    case .events(let run, let skipped):
        "events \(run.first)…\(run.first + Int64(run.events.count) - 1)\(skipped > 0 ? " skipped \(skipped)" : "")"
    case .delta(let delta): "delta \(delta.text)"
    case .reset(let session, let reason): "reset \(session) \(reason.rawValue)"
    case .sessionKnown(let session): "known \(session)"
    case .resubscribe(let session, let after): "resubscribe \(session) \(after.map { "after \($0.seq)" } ?? "from a snapshot")"
    case .unusable(let session): "unusable \(session)"
    }
}

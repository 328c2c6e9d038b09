package import RelayProtocol

/// Messages as a relay would send them.
package enum Fixtures {
    package static let session = SessionID("sess-1")!
    package static let other = SessionID("sess-2")!
    package static let epoch = Epoch("epoch-1")!
    package static let laterEpoch = Epoch("epoch-2")!
    package static let digest = InputDigest(String(repeating: "ab", count: 32))!

    package static func event(_ number: Int64) -> [UInt8] { Event(.sessionRenamed(title: "title \(number)"), at: number).bytes }

    package static func events(_ range: ClosedRange<Int64>, of session: SessionID = session, epoch: Epoch = epoch)
        -> MessageToClient
    {
        .events(SessionEvents(session: session, epoch: epoch, first: range.lowerBound, events: range.map(event)))
    }

    package static func snapshot(_ range: ClosedRange<Int64>, epoch: Epoch = epoch, approvals: [Approval] = [])
        -> MessageToClient
    {
        .sessionSnapshot(
            SessionEvents(session: session, epoch: epoch, first: range.lowerBound, events: range.map(event)),
            seq: range.upperBound, summary: summary(seq: range.upperBound), approvals: approvals)
    }

    package static func summary(_ session: SessionID = session, seq: Int64, change: (inout Summary) -> Void = { _ in })
        -> Summary
    {
        var summary = Summary(
            session: session, host: Named(id: HostID("host-1")!, name: "mac-mini"), hostIsConnected: true, agentName: "Agent",
            startedAt: 1_000)
        summary.seq = seq
        change(&summary)
        return summary
    }

    package static func approval(
        _ id: String = "appr-1", seq: Int64 = 3, stage: ApprovalStage.Word = .pending, kind: ApprovalKind = .tool,
        isCut: Bool = false, isRedacted: Bool = false, needsPasskey: Bool = false, modes: [String] = [], offers: [Offer] = [],
        body: (inout JSONWriter) -> Void = { _ in }
    ) -> Approval {
        var request = ApprovalRequest(
            approval: ApprovalID(id)!, kind: kind, tool: "Bash", title: "run it", digest: digest)
        request.isCut = isCut
        request.isRedacted = isRedacted
        request.needsPasskey = needsPasskey
        request.modes = modes
        request.offers = offers
        let event = Event(.approvalRequested(request), at: 5_000, body: body)
        var approval = Approval(session: session, request: request, requestBytes: event.bytes, requestedAt: 5_000, seq: seq)
        approval.stage = ApprovalStage(stage)
        return approval
    }

    package static func tool(_ fields: [(StaticString, String)]) -> Approval {
        approval { body in
            body.object("input") { input in for (key, text) in fields { input.field(key, text) } }
        }
    }

    package static func welcome(_ epoch: Epoch = epoch) -> MessageToClient {
        .welcome(
            Welcome(software: "test", epoch: epoch, heartbeat: Heartbeat(pingSeconds: 20, hangUpSeconds: 30)),
            client: Named(id: ClientID("client-1")!, name: "me"), workspace: Named(id: WorkspaceID("w-1")!, name: "W"),
            may: Set(ClientRight.allCases))
    }

    package static func decision(_ verdict: Decision.Verdict = .allow, at: Int64 = 7_000) -> Decision {
        Decision(verdict, client: ClientID("client-2")!, clientName: "Ada's laptop", at: at, command: CommandID("x-1")!)
    }
}

internal import HeliographTestSupport
package import RelayCore
package import RelayModel
package import RelayProtocol

/// Writes one session on: makes batches that follow each other.
package struct Writer {
    package let key: SessionKey
    package var seq: Int64 = 0
    package var host = "host1"

    package init(_ key: SessionKey) { self.key = key }

    /// Content of event `seq`, by which a reader can check that it is the right one.
    package static func bytes(_ key: SessionKey, seq: Int64, bytes: Int = 0) -> [UInt8] {
        let text = "\(key.workspace)/\(key.session)/\(seq)"
        return Array((text + String(repeating: ".", count: max(0, bytes - text.utf8.count))).utf8)
    }

    package func state(seq: Int64) -> SessionState {
        var summary = Summary(
            session: key.session, host: Named(id: id(host), name: "Laptop"), hostIsConnected: true, agentName: "agent",
            startedAt: 1_000)
        summary.seq = seq
        summary.operations = seq
        var state = SessionState(summary: summary)
        state.hostSeq = seq * 10
        return state
    }

    package mutating func append(_ count: Int, bytes: Int = 0, approvals: [Approval] = []) -> SessionAppend {
        let first = seq + 1
        seq += Int64(count)
        return SessionAppend(
            key: key, firstSeq: first,
            events: (first..<first + Int64(count)).map {
                LogEvent(kind: "message", at: 1_000 + $0, bytes: Self.bytes(key, seq: $0, bytes: bytes))
            },
            state: state(seq: seq), approvals: approvals)
    }

    package mutating func batch(_ count: Int, bytes: Int = 0, approvals: [Approval] = []) -> LogBatch {
        LogBatch(appends: [append(count, bytes: bytes, approvals: approvals)])
    }

    /// Without `decision`, one is made up for the stages that need one.
    package func approval(
        _ name: String, seq: Int64, stage: ApprovalStage.Word = .pending, decision: Decision? = nil, resolvedAt: Int64 = 900
    ) -> Approval {
        let request = ApprovalRequest(
            approval: id(name), kind: .tool, tool: "Bash", title: "rm -rf build",
            digest: InputDigest(String(repeating: "ab", count: 32))!)
        var approval = Approval(
            session: key.session, request: request,
            requestBytes: Event(.approvalRequested(request), at: 900) { $0.field("command", "rm -rf build\u{202e}") }.bytes,
            requestedAt: 900, seq: seq)
        approval.stage = ApprovalStage(stage, decision, at: resolvedAt)
        return approval
    }
}

extension Writer {
    package init(_ key: SessionKey, seq: Int64) {
        self.init(key)
        self.seq = seq
    }

    /// The next append, without advancing the writer.
    package func appending(_ count: Int) -> SessionAppend {
        var copy = self
        return copy.append(count)
    }

    package func batchAhead(_ count: Int) -> LogBatch { LogBatch(appends: [appending(count)]) }
}

import RelayModel
import RelayProtocol

/// Checks that nothing is shown, acknowledged or given to a host before it is on disk.
struct DurabilityChecker {
    let log: SimulatedLog
    let workspace: WorkspaceID

    func check(_ message: MessageToClient) -> String? {
        switch message {
        case .events(let batch): check(batch)
        case .summary(let summary): check(summary)
        case .approval(let approval): check(approval)
        case .workspaceSnapshot(let summaries, let approvals, _, _):
            summaries.lazy.compactMap(check).first ?? approvals.lazy.compactMap(check).first
        case .sessionSnapshot(let tail, _, let summary, let approvals):
            check(tail) ?? check(summary) ?? approvals.lazy.compactMap(check).first
        case .welcome, .deltas, .output, .reset, .reply, .notice, .removed, .push, .letter, .snapshotEnd: nil
        }
    }

    func check(_ message: MessageToHost) -> String? {
        switch message {
        case .welcome(_, _, let progress), .ack(let progress):
            for one in progress where one.through > stored(one.session)?.hostSeq ?? 0 {
                return "a host is told that \(one.session) is on disk through \(one.through)"
            }
        case .decision(let session, let approval, _, let decision):
            if stored(session)?.decisions[approval] != decision {
                return "a host is given a decision of \(approval) that is not on disk"
            }
        default: break
        }
        return nil
    }

    private func stored(_ session: SessionID) -> SimulatedLog.Stored? {
        log.sessions[SessionKey(workspace: workspace, session: session)]
    }

    private func check(_ batch: SessionEvents) -> String? {
        let last = batch.first + Int64(batch.events.count) - 1
        return last > stored(batch.session)?.seq ?? 0 ? "event \(last) of \(batch.session) is shown before it is on disk" : nil
    }

    private func check(_ summary: Summary) -> String? {
        summary.seq > stored(summary.session)?.seq ?? 0
            ? "a summary of \(summary.session) after \(summary.seq) is shown before that is on disk" : nil
    }

    private func check(_ approval: Approval) -> String? {
        stored(approval.session)?.stages[approval.id]?[approval.seq] == approval.stage.word
            ? nil : "\(approval.id) is shown as \(approval.stage.word.rawValue), which is not on disk"
    }
}

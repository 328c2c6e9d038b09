internal import RelayModel
internal import RelayProtocol

/// Reason to keep a host's report out of its session's log and the audit. Its number is skipped without a gap. Devices of a sealing
/// host would miss the number: their log gets the report without effect, or a `truncated`.
enum ReportRefusal {
    /// The command was never sent to this session, or has had its outcome.
    case noSuchCommand
    /// The approval has ended: a restarted host may not know what it reported before.
    case afterEnd
}

extension SessionView {
    /// Nil if the report is recorded.
    func refusal(of event: Event) -> ReportRefusal? {
        switch event.head {
        case .steeringChanged(let change): openSteering.contains(change.name) ? nil : .noSuchCommand
        case .approvalDelivered(let id), .approvalApplied(let id, _), .approvalCancelled(let id, _), .approvalStale(let id, _):
            approvals[id]?.stage.isFinal == true ? .afterEnd : nil
        default: nil
        }
    }
}

extension Notice {
    static func noSuchCommand(in session: SessionID) -> Notice {
        Notice(
            code: ErrorCode.closed.rawValue, message: "no such command waits for its end: what became of it is not recorded",
            path: "$.events", session: session)
    }
}

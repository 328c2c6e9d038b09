internal import RelayModel
internal import RelayProtocol

/// Why what a host reports is neither for its session's log nor for the audit. Its number is passed over: nothing is missing there.
/// Devices of a host that seals miss each number: their log gets the report, without effect, or a `truncated`.
enum ReportRefusal {
    /// The command was never sent to this session, or has its end.
    case noSuchCommand
    /// Of an approval that has its end: a host that was restarted may not know what an earlier life of it told.
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

internal import RelayModel
internal import RelayProtocol

extension SessionView {
    /// False where a host tells of a command that nobody sent to this session, or that has its end: neither is for its log and the audit to
    /// say. What it took of the host's numbering is a gap.
    func waits(for event: Event) -> Bool {
        guard case .steeringChanged(let change) = event.head else { return true }
        return openSteering.contains(change.name)
    }
}

extension Notice {
    static func noSuchCommand(in session: SessionID) -> Notice {
        Notice(
            code: ErrorCode.closed.rawValue, message: "no such command waits for its end: what became of it is not recorded",
            path: "$.events", session: session)
    }
}

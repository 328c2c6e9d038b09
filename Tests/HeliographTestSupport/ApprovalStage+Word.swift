package import RelayProtocol

extension ApprovalStage {
    /// The stage with its required values. Without `decision`, one is made up only if the stage has one.
    package init(
        _ word: Word, _ decision: Decision? = nil, outcome: ApprovalOutcome = .ran, reason: String = "turnEnded",
        at: Int64 = 8_000
    ) {
        let given = decision ?? Fixtures.decision()
        self =
            switch word {
            case .pending: .pending
            case .decided: .decided(given)
            case .delivered: .delivered(given, at: at)
            case .applied: .applied(Given(given), outcome, at: at)
            case .expired: .expired(decision, at: at)
            case .cancelled: .cancelled(decision.map { Given($0) }, reason: reason, at: at)
            case .stale: .stale(decision.map { Given($0) }, reason: reason, at: at)
            }
    }
}

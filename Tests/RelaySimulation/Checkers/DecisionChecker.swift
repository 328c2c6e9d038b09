import RelayProtocol

/// Checks that there is one winner for all: replies to clients about their decisions match the disk, and every decision has an end.
struct DecisionChecker {
    /// Commands that got the reply that their decision counts.
    private var accepted: [(command: CommandID, decide: DecideCommand)] = []

    /// `winner` is the decision on disk, if there is one; `isRemoved`: retention has removed the session since.
    mutating func replied(
        _ reply: Reply, to command: CommandID, _ decide: DecideCommand, winner: Decision?, isRemoved: Bool
    ) -> String? {
        switch reply {
        case .decided:
            accepted.append((command, decide))
            guard let winner else { return "\(command) is told that it decided \(decide.approval), and no decision is on disk" }
            if winner.verdict != decide.verdict {
                return "\(command) is told that it decided \(decide.approval), and \(winner.command) decided otherwise"
            }
        case .failed(let notice, let told):
            if let told, told != winner { return "\(command) is told of a winner that is not on disk" }
            if let winner, winner.command == command, !isRemoved {
                return "\(command) decided \(decide.approval), and is told \(notice.code) when it asks again"
            }
        default: return "\(command) is a decision, and is answered as something else"
        }
        return nil
    }

    /// Checks the end, once all is settled.
    func settled(isOver: (SessionID, ApprovalID) -> Bool) -> String? {
        for (command, decide) in accepted where !isOver(decide.session, decide.approval) {
            return "\(command) decided \(decide.approval), and nothing ever came of it"
        }
        return nil
    }
}

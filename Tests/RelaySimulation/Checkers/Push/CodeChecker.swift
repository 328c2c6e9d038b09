import PushPlanner
import RelayProtocol

/// Checks that a code decides once, and only its own approval.
struct CodeChecker {
    struct Use {
        let command: CommandID
        let push: PushID
        let decide: DecideCommand
    }

    private(set) var orders: [PushID: PushIntent] = [:]
    private var uses: [CommandID: Use] = [:]

    mutating func ordered(_ order: PushIntent) {
        orders[order.id] = order
        if orders.count > 500, let oldest = orders.keys.min() { orders[oldest] = nil }
    }

    mutating func used(_ use: Use) { uses[use.command] = use }

    /// A push for another approval, for a planted fault.
    func other(than push: PushID) -> PushID? {
        orders.keys.filter { orders[$0]?.code?.approval != orders[push]?.code?.approval }.max()
    }

    /// Checks a decision that is on disk.
    func decided(_ approval: ApprovalID, _ decision: Decision) -> String? {
        guard let use = uses[decision.command] else { return nil }
        if use.decide.approval != approval { return "a code for \(use.decide.approval) decided \(approval)" }
        return nil
    }
}

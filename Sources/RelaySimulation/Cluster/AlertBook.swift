import PushPlanner
import RelayProtocol

/// An approval rings on every device that wants it, whichever process owns the workspace by then: at least once, and with one number as
/// long as an earlier push may have arrived. Alerts lost with a database's tail may ring again in the epoch that follows.
struct AlertBook {
    private struct Name: Hashable {
        let workspace: WorkspaceID
        let device: DeviceID
        let approval: ApprovalID
    }

    private struct Push: Hashable {
        let workspace: WorkspaceID
        let epoch: Epoch
        let id: PushID
    }

    private struct Ring {
        let epoch: Epoch
        let push: PushID
        /// The last outcome that an owner received.
        var outcome: PushOutcome?

        var isLost: Bool { outcome.mayBeUnheard }
    }

    private var rings: [Name: [Ring]] = [:]
    private var heard: Set<Name> = []
    /// Pushes that an owner found without an answer and did not send again. The process that committed one may still send it: it was
    /// stopped between the two and does not know that another process took over.
    private var givenUp: Set<Push> = []

    mutating func ordered(_ order: PushIntent, in epoch: Epoch) -> String? {
        guard let name = Self.name(of: order) else { return nil }
        let before = (rings[name] ?? []).filter { $0.epoch == epoch }
        if before.contains(where: { $0.push == order.id }) { return nil }
        let isGivenUp = givenUp.contains(Push(workspace: order.workspace, epoch: epoch, id: order.id))
        rings[name, default: []].append(Ring(epoch: epoch, push: order.id, outcome: isGivenUp ? Self.unanswered : nil))
        guard !isGivenUp, let first = before.first(where: { !$0.isLost }) else { return nil }
        return "\(order.device) of \(order.workspace) rings for \(name.approval) by push \(order.id.rawValue), and has by push "
            + "\(first.push.rawValue)"
    }

    /// An owner received the outcome.
    mutating func told(_ order: PushIntent, in epoch: Epoch, of outcome: PushOutcome) {
        guard let name = Self.name(of: order),
            let place = rings[name]?.firstIndex(where: { ($0.epoch, $0.push) == (epoch, order.id) })
        else { return }
        rings[name]?[place].outcome = outcome
    }

    /// The next owner has begun. Pushes without an outcome in its log that are not sent again, as they have expired by its clock, count
    /// as lost.
    mutating func began(in workspace: WorkspaceID, _ epoch: Epoch, unanswered: Set<PushID>, repeating: Set<PushID>) {
        let given = unanswered.subtracting(repeating)
        guard !given.isEmpty else { return }
        for push in given { givenUp.insert(Push(workspace: workspace, epoch: epoch, id: push)) }
        for (name, list) in rings where name.workspace == workspace {
            for place in list.indices where list[place].epoch == epoch && given.contains(list[place].push) {
                rings[name]?[place].outcome = Self.unanswered
            }
        }
    }

    private static let unanswered = PushOutcome.unknown("the owner ended before it had an answer")

    /// Its service has it.
    mutating func arrived(_ order: PushIntent) { if let name = Self.name(of: order) { heard.insert(name) } }

    func isHeard(_ approval: ApprovalID, on device: DeviceID, in workspace: WorkspaceID) -> Bool {
        heard.contains(Name(workspace: workspace, device: device, approval: approval))
    }

    private static func name(of order: PushIntent) -> Name? {
        order.code.map { Name(workspace: order.workspace, device: order.device, approval: $0.approval) }
    }
}

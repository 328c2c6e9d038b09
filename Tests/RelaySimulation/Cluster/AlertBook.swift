import PushPlanner
import RelayProtocol

/// Checks that an approval rings on every device that wants it, through changes of the workspace's owner: at least once, and again
/// only if the service may not have the last ring, or as a reminder. An owner knows the time by its own clock only: if that is an
/// hour ahead of the last owner's, it reminds when it takes over, as after an hour without any owner. Rings that were lost with a
/// database's tail may be repeated in the next epoch.
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
        /// True if it was counted with others, without a notification of its own.
        let isCounted: Bool
        /// Time of the ring by its owner's clock, in milliseconds since 1970; or the earliest clock of later owners for which that
        /// was in the future.
        var rangAt: Int64
        /// The outcome that an owner got last.
        var outcome: PushOutcome?

        var isLost: Bool { outcome.mayBeUnheard }
    }

    /// The first reminder, in milliseconds. Later ones take longer.
    private static let reminder = PushSettings.remindersDefault[0] * 60_000
    private var rings: [Name: [Ring]] = [:]
    private var heard: Set<Name> = []
    /// Approvals that a push without a code rings for.
    private var calls: [Push: [ApprovalID]] = [:]
    /// Pushes that an owner found without an answer and did not send again. The process that committed one may still send it: it was
    /// stopped between the two and does not know that another process took over.
    private var givenUp: Set<Push> = []

    /// `now` is the time by the owner's clock, in milliseconds since 1970. The owner may just repeat what an earlier one has
    /// planned. Returns a complaint, if any.
    mutating func ordered(_ order: PushIntent, calling approvals: [ApprovalID], in epoch: Epoch, at now: Int64) -> String? {
        if !approvals.isEmpty { calls[Push(workspace: order.workspace, epoch: epoch, id: order.id)] = approvals }
        for name in names(of: order, in: epoch) {
            if let complaint = ordered(order, for: name, in: epoch, at: now) { return complaint }
        }
        return nil
    }

    private mutating func ordered(_ order: PushIntent, for name: Name, in epoch: Epoch, at now: Int64) -> String? {
        let before = (rings[name] ?? []).filter { $0.epoch == epoch }
        if before.contains(where: { $0.push == order.id }) { return nil }
        if givenUp.contains(Push(workspace: order.workspace, epoch: epoch, id: order.id)) { return nil }
        let ring = Ring(epoch: epoch, push: order.id, isCounted: order.code == nil, rangAt: min(order.plannedAt, now))
        rings[name, default: []].append(ring)
        guard let last = before.last, !last.isLost, !last.isCounted || ring.isCounted,
            order.plannedAt - last.rangAt < Self.reminder
        else { return nil }
        return "\(order.device) of \(order.workspace) rings for \(name.approval) by push \(order.id.rawValue), and has by push "
            + "\(last.push.rawValue)"
    }

    /// An owner received the outcome.
    mutating func told(_ order: PushIntent, in epoch: Epoch, of outcome: PushOutcome) {
        for name in names(of: order, in: epoch) {
            guard let place = rings[name]?.firstIndex(where: { ($0.epoch, $0.push) == (epoch, order.id) }) else { continue }
            rings[name]?[place].outcome = outcome
        }
    }

    /// The next owner has begun; `now` is its clock, in milliseconds since 1970. A push without an outcome in its log that is not
    /// repeated, because it has expired by that clock, counts as lost.
    mutating func began(
        in workspace: WorkspaceID, _ epoch: Epoch, at now: Int64, unanswered: Set<PushID>, repeating: Set<PushID>
    ) {
        for (name, list) in rings where name.workspace == workspace {
            for place in list.indices where list[place].epoch == epoch && list[place].rangAt > now {
                rings[name]?[place].rangAt = now
            }
        }
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

    /// The service got the push.
    mutating func arrived(_ order: PushIntent, in epoch: Epoch) { heard.formUnion(names(of: order, in: epoch)) }

    func isHeard(_ approval: ApprovalID, on device: DeviceID, in workspace: WorkspaceID) -> Bool {
        heard.contains(Name(workspace: workspace, device: device, approval: approval))
    }

    private func names(of order: PushIntent, in epoch: Epoch) -> [Name] {
        let called = calls[Push(workspace: order.workspace, epoch: epoch, id: order.id)] ?? []
        return (order.code.map { [$0.approval] } ?? called).map {
            Name(workspace: order.workspace, device: order.device, approval: $0)
        }
    }
}

import ChannelAPNs
import PushPlanner
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol

/// The push service of a cluster's world, for pushes of every node, and the checks of pushes that successive owners of workspaces
/// order.
final class ClusterPushes {
    /// Identity of a push to services and phones: numbers are reused in an epoch that follows one that has ended.
    private struct Name: Hashable {
        let epoch: Epoch
        let push: PushID
    }

    /// A person's decision by code, awaiting its answer.
    private struct Use {
        let intent: PushIntent
        let verdict: Decision.Verdict
        let since: Int64
        let node: ClusterNode
        /// The run of the node that got the request: work that it had not begun when it ended gets no answer.
        let life: Int
    }

    /// Longest time for an answer: a broken link that is noticed late, and the owner's own limit.
    private static let answeredWithin = OwnerCommandPeers.deadline + NodeWire.silenceMax + 2_000

    private unowned let world: ClusterWorld
    private var orders: [Name: PushIntent] = [:]
    private var alerts = AlertBook()
    private var uses: [Int: Use] = [:]
    private var lastUse = 0
    /// Decisions by code, as reported by owners.
    private(set) var decidedCount = 0

    init(world: ClusterWorld) { self.world = world }

    /// Initial settings of the planner of a workspace's owner.
    func settings(of workspace: WorkspaceID) -> PushSettings {
        guard let numbers = PushNumbers(workspace: Int64(world.database[workspace].number)) else {
            preconditionFailure("workspaces are numbered from 1")
        }
        return PushSettings(channels: [.apns: APNsChannel()], numbers: world.plant == .sharedNumbers ? .ofAll : numbers)
    }

    func device(ofClient index: Int, named name: String) -> Device {
        var device = Device(
            id: DeviceID("phone-\(name)")!, name: name, profile: "heliograph", address: .apns(APNsTokens(.sandbox)),
            system: "18.1")
        device.address.alerts = String(0xA000 + index, radix: 16)
        (device.cards, device.starts, device.text) = (.off, .never, .full)
        return device
    }

    // MARK: What owners order

    /// The next owner of a workspace has begun with these records, and orders these effects at once.
    func began(
        in workspace: WorkspaceID, _ epoch: Epoch, at now: Instant, with records: [PushRecord], ordering effects: [Effect]
    ) {
        let unanswered = records.filter { record in
            record.kind == .push
                && record.bytes.map { (try? JSONDocument(parsing: $0).root.object().optional("outcome")) == nil } == true
        }
        alerts.began(
            in: workspace, epoch, at: now.wall, unanswered: Set(unanswered.compactMap { PushID(text: $0.name) }),
            repeating: Set(effects.compactMap { if case .push(let intent) = $0 { intent.id } else { nil } }))
    }

    /// A push is on disk, and to be sent. `approvals` are those that it rings for without a code.
    func ordered(
        _ intent: PushIntent, calling approvals: [ApprovalID], in epoch: Epoch, of workspace: WorkspaceID, at now: Instant
    ) {
        let called = (intent.code.map { [$0.approval] } ?? approvals).map(\.rawValue).joined(separator: " ")
        world.trace.note(
            world.now, "owner", "pushes", "\(intent.id.rawValue) \(intent.purpose) of \(workspace) in \(epoch): \(called)")
        if intent.workspace != workspace {
            world.report(.wall, "the owner of \(workspace) pushes what is of \(intent.workspace)")
        }
        let block = PushNumbers(of: intent.id).workspace
        if block != Int64(world.database[workspace].number) {
            world.report(.numbers, "push \(intent.id.rawValue) of \(workspace) has a number of workspace \(block)")
        }
        if !world.history(of: workspace).holds(intent.id, in: epoch) {
            world.report(.durability, "push \(intent.id.rawValue) of \(workspace) is sent, and not committed")
        }
        let name = Name(epoch: epoch, push: intent.id)
        if let first = orders[name], !first.isSame(as: intent) {
            world.report(.numbers, "number \(intent.id.rawValue) of \(workspace) in \(epoch) is given to two pushes")
        }
        orders[name] = intent
        if let complaint = alerts.ordered(intent, calling: approvals, in: epoch, at: now.wall) {
            world.report(.alerts, complaint)
        }
    }

    /// Sends a push. If the process ends in between, the request may be lost, and its outcome always is.
    func take(_ intent: PushIntent, in epoch: Epoch, from node: ClusterNode, then answer: @escaping (PushOutcome) -> Void) {
        let life = node.life
        // A request may wait for others, and for a connection.
        let way = world.dice.chance(world.faults.latePush) ? world.dice.within(500...8_000) : world.dice.within(1...40)
        world.after(way) { [self] world in
            guard node.life == life || world.dice.chance(0.5) else { return }
            let said = outcome(of: intent)
            let isThere: Bool
            switch said {
            case .accepted: isThere = true
            case .unknown: isThere = world.dice.chance(0.5)
            case .refused, .notSent: isThere = false
            }
            if isThere { arrived(intent, in: epoch) }
            let wait = world.dice.chance(world.faults.latePush) ? world.dice.within(500...10_000) : world.dice.within(1...150)
            world.after(wait) { _ in if node.life == life { node.run { answer(said) } } }
        }
    }

    private func outcome(of intent: PushIntent) -> PushOutcome {
        if world.dice.chance(world.faults.refusedPush) { return .refused(.sendLater, text: "TooManyRequests") }
        if world.dice.chance(world.faults.unknownPush) { return .unknown("the connection broke") }
        return .accepted(intent.environment, channel: nil)
    }

    private func arrived(_ intent: PushIntent, in epoch: Epoch) {
        alerts.arrived(intent, in: epoch)
        guard intent.code != nil else { return }
        world.after(world.dice.within(50...800)) { world in
            guard let phone = world.clients.first(where: { $0.has(intent.device, in: intent.workspace) }) else {
                return world.report(.wall, "a push of \(intent.workspace) is for \(intent.device), which is not of it")
            }
            phone.rang(ClusterCode(intent.id, in: epoch))
        }
    }

    /// Delivers an outcome. If the node is no longer the owner, the outcome stays unknown to the owner.
    func told(_ intent: PushIntent, in epoch: Epoch, of outcome: PushOutcome, by holder: String) {
        guard world.database[intent.workspace].row.holder == holder else { return }
        world.trace.note(world.now, "owner", "hears", "\(intent.id.rawValue) of \(intent.workspace) in \(epoch): \(outcome)")
        alerts.told(intent, in: epoch, of: outcome)
    }

    // MARK: Codes

    /// Presents a code at any node, as a load balancer would choose.
    func present(_ code: ClusterCode, _ verdict: Decision.Verdict) {
        guard let epoch = Epoch(code.life), let intent = orders[Name(epoch: epoch, push: code.push)] else {
            preconditionFailure("what rings was ordered")
        }
        lastUse += 1
        let (use, node) = (lastUse, world.dice.pick(world.nodes))
        uses[use] = Use(intent: intent, verdict: verdict, since: world.now, node: node, life: node.life)
        world.trace.note(world.now, "phone", "uses code", "\(code.push.rawValue) at \(node.name)")
        world.after(world.transit()) { [self] _ in
            guard node.isUp else { return answered(use, nil) }
            node.run { [self] in
                node.calls.take(code.call(verdict.deed == .allow ? ClusterCode.allow : ClusterCode.deny)) { [self] answer in
                    world.after(world.transit()) { [self] _ in answered(use, answer?.status) }
                }
            }
        }
    }

    private func answered(_ number: Int, _ status: UInt16?) {
        guard let use = uses.removeValue(forKey: number) else { return world.report(.codes, "a code is answered twice") }
        world.trace.note(
            world.now, "phone", "hears", "\(status.map { "\($0)" } ?? "nothing") of push \(use.intent.id.rawValue)")
        guard status == 200, let code = use.intent.code else { return }
        decidedCount += 1
        let stored = world.database[use.intent.workspace]
        // The decision may have been lost by a promotion, or a removal.
        guard !world.losesTails, !stored.isRemoved else { return }
        let decision = stored.log.sessions[SessionKey(workspace: stored.id, session: code.session)]?.decisions[code.approval]
        if decision?.verdict.deed != use.verdict.deed {
            world.report(.codes, "a code is told that it decided \(code.approval) of \(stored.id), and that is not on disk")
        }
    }

    /// A decision by code was committed.
    func decided(_ approval: ApprovalID, by command: CommandID, in workspace: WorkspaceID, _ epoch: Epoch) {
        let prefix = "code_"
        guard command.rawValue.hasPrefix(prefix), let push = PushID(text: command.rawValue.dropFirst(prefix.count)) else {
            return
        }
        guard let intent = orders[Name(epoch: epoch, push: push)], intent.workspace == workspace,
            intent.code?.approval == approval
        else {
            return world.report(.codes, "the code of push \(push.rawValue) decides \(approval) of \(workspace) in \(epoch)")
        }
    }

    /// For a planted fault: another push of the same owner.
    func planted(_ push: PushID, in epoch: Epoch) -> PushID {
        guard world.plant == .swappedCode else { return push }
        let approval = orders[Name(epoch: epoch, push: push)]?.code?.approval
        let others = orders.filter { $0.key.epoch == epoch && $0.value.code.map { $0.approval != approval } == true }
        return others.keys.map(\.push).max() ?? push
    }

    // MARK: The end

    /// A request that got no answer in time; nil for none.
    var unanswered: String? {
        let late = uses.values.contains { use in
            use.life == use.node.life && world.now - use.since > Self.answeredWithin
        }
        return late ? "a code has no answer" : nil
    }

    /// The first approval for which no phone rang; nil for none.
    var unrung: String? {
        for workspace in world.standing {
            guard let relay = world.nodes.lazy.compactMap({ $0.placement.owner(of: workspace.id)?.relay }).first else {
                continue
            }
            for client in world.clients where client.identity.workspace.id == workspace.id {
                guard let device = client.device else { continue }
                guard relay.planner.knownDevices.contains(where: { $0.device.id == device.id }) else {
                    return "\(device.id) of \(workspace.id) is not known"
                }
                for view in relay.committed {
                    for (approval, state) in view.approvals.sorted(by: { $0.key.rawValue < $1.key.rawValue })
                    where state.stage == .pending && !alerts.isHeard(approval, on: device.id, in: workspace.id) {
                        return "\(device.id) of \(workspace.id) has never rung for \(approval), which is pending"
                    }
                }
            }
        }
        return nil
    }
}

extension PushIntent {
    /// True if both are the same push: a number may be sent again.
    fileprivate func isSame(as other: PushIntent) -> Bool {
        (workspace, device, purpose, plannedAt) == (other.workspace, other.device, other.purpose, other.plannedAt)
            && code?.approval == other.code?.approval && payload == other.payload
    }
}

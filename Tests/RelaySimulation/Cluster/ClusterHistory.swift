import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// Commits to a workspace, by epoch, and the views shown of it: the reference for the checkers of a cluster.
final class ClusterHistory {
    private struct Life {
        var events: [SessionKey: [[UInt8]]] = [:]
        var hostSeqs: [SessionKey: Int64] = [:]
        var decisions: [ApprovalID: CommandID] = [:]
        /// Numbers of the pushes that were planned.
        var pushes: Set<PushID> = []
        /// The last event of each session that any client was sent.
        var shown: [SessionKey: Int64] = [:]
    }

    private unowned let world: ClusterWorld
    private let workspace: WorkspaceID
    private var lives: [Epoch: Life] = [:]
    private var current: Epoch?
    private(set) var commits = 0
    /// Processes that have dropped it and not claimed it since.
    private var dropped: Set<String> = []
    /// Processes whose core has released the workspace since its removal, and that have not claimed it since.
    private var left: Set<String> = []
    /// Time since which nothing fails, and from then on: the time of the last claim, and their number.
    private var settledSince: Int64?
    private var lastMove: Int64?
    private var moves = 0

    init(_ workspace: WorkspaceID, world: ClusterWorld) {
        self.workspace = workspace
        self.world = world
    }

    func knows(_ epoch: Epoch) -> Bool { lives[epoch] != nil }
    func holds(_ push: PushID, in epoch: Epoch) -> Bool { lives[epoch]?.pushes.contains(push) == true }
    func events(of key: SessionKey, in epoch: Epoch) -> [[UInt8]] { lives[epoch]?.events[key] ?? [] }

    // MARK: What the database does

    func commits(_ batch: LogBatch, as generation: Int64, of row: OwnerRow) {
        commits += 1
        if !batch.workspaces.isSubset(of: [workspace]) {
            world.report(.wall, "a commit of \(batch.workspaces.map(\.rawValue).sorted()) is taken as one of \(workspace)")
        }
        if generation != row.generation {
            world.report(.fence, "a commit of generation \(generation) is taken in generation \(row.generation)")
        }
        guard let epoch = row.epoch else { return world.report(.fence, "a commit is taken that nobody's claim came before") }
        var life = lives[epoch] ?? Life()
        for append in batch.appends {
            life.events[append.key, default: []] += append.events.map(\.bytes)
            life.hostSeqs[append.key] = append.state.hostSeq
            for approval in append.approvals {
                if let decision = approval.decision { decided(approval.id, decision, &life, in: epoch) }
            }
            checkOrder(life.events[append.key] ?? [], of: append.key, host: append.state.summary.host.id)
        }
        for record in batch.records where record.kind == .push && record.bytes != nil {
            if let push = PushID(text: record.name) { life.pushes.insert(push) }
        }
        lives[epoch] = life
    }

    private func decided(_ approval: ApprovalID, _ decision: Decision, _ life: inout Life, in epoch: Epoch) {
        if life.decisions[approval] == nil { world.pushes?.decided(approval, by: decision.command, in: workspace, epoch) }
        if let winner = life.decisions[approval], winner != decision.command {
            world.report(.decision, "\(approval) was decided by \(winner) and by \(decision.command)")
        }
        life.decisions[approval] = decision.command
    }

    /// Checks that the host's events come first and in order.
    private func checkOrder(_ stored: [[UInt8]], of key: SessionKey, host id: HostID) {
        guard let host = world.hosts.first(where: { $0.identity.host.id == id && $0.identity.workspace == workspace }) else {
            return world.report(.wall, "\(key.session) is in the log of \(workspace), and its host \(id) is not of it")
        }
        let said = host.said(in: key.session)
        let its = stored.filter { !Self.isRelayMade($0) }
        if its.count > said.count || !zip(its, said).allSatisfy(==) {
            world.report(.completeness, "the log of \(key.session) is not what its host said")
        }
    }

    private static func isRelayMade(_ bytes: [UInt8]) -> Bool {
        (try? Event(stored: bytes))?.head.knownKind?.isMadeByRelay == true
    }

    func refuses(_ batch: LogBatch, _ error: LogError) {
        if world.plant == nil { world.report(.fence, "the log refuses what was checked: \(error.message)") }
    }

    func claims(_ row: OwnerRow, after before: OwnerRow, on timeline: Int, in log: SimulatedLog) {
        guard let epoch = row.epoch else { return }
        if row.holder != before.holder { moved() }
        if epoch != before.epoch, before.epoch != nil, before.bornOn == timeline {
            world.report(.fence, "an epoch begins without a cause")
        }
        if row.generation <= before.generation { world.report(.fence, "a generation is given twice") }
        guard epoch != current || before.bornOn != timeline else { return }
        if epoch == current, let events = lives[epoch]?.events.values.map(\.count).reduce(0, +),
            log.sessions.values.map(\.events.count).reduce(0, +) < events
        {
            world.report(.view, "\(epoch) goes on, and positions in it are of what was lost")
        }
        current = epoch
        // Decisions made so far stand, and pushes ordered so far are sent.
        var life = Life()
        life.pushes = log.pushes
        for key in log.order {
            guard let stored = log.sessions[key] else { continue }
            life.events[key] = stored.events
            life.hostSeqs[key] = stored.hostSeq
            for (approval, decision) in stored.decisions { life.decisions[approval] = decision.command }
        }
        lives[epoch] = life
    }

    /// Reports a workspace that changes its owner too soon after the last change, or too often, while nothing fails.
    private func moved() {
        if settledSince != world.settledSince { (settledSince, lastMove, moves) = (world.settledSince, nil, 0) }
        guard settledSince != nil else { return }
        moves += 1
        if let last = lastMove, world.now - last < ServiceLimits.kept {
            world.report(.placement, "\(workspace) has another owner \(world.now - last) ms after the last, and nothing fails")
        }
        if moves > ServiceLimits.movesMax {
            world.report(.placement, "\(workspace) has its \(moves)th owner since all were level, and nothing fails")
        }
        lastMove = world.now
    }

    func loads(_ database: ClusterDatabase) {
        if database.isSynchronous, !database[workspace].isReplicated {
            world.report(.load, "what is loaded is on one machine only")
        }
    }

    func promoted(to log: SimulatedLog, isSynchronous: Bool) {
        guard isSynchronous, !world.database[workspace].isRemoved, let current, let life = lives[current] else { return }
        for (key, seq) in life.shown.sorted(by: { $0.key < $1.key }) where (log.sessions[key]?.seq ?? 0) < seq {
            world.report(.durability, "event \(seq) of \(key.session) was shown, and is lost in spite of a synchronous standby")
        }
    }

    // MARK: What an owner does

    func takes(by holder: String) {
        dropped.remove(holder)
        left.remove(holder)
    }

    func drops(_ own: OwnerRow, by holder: String) {
        dropped.insert(holder)
        let row = world.database[workspace].row
        if row.holder == holder, row.generation == own.generation, row.bornOn == world.database.timeline {
            world.report(.kept, "\(holder) drops \(workspace), which is its own in generation \(row.generation)")
        }
    }

    /// The core reports that no work for the workspace is left.
    func leaves(by holder: String) { left.insert(holder) }

    func puts(_ batch: LogBatch, by holder: String) {
        let adds = !batch.appends.isEmpty || !batch.commands.isEmpty || batch.records.contains { $0.bytes != nil }
        if adds, left.contains(holder) { world.report(.removal, "\(holder) commits to \(workspace), which it has let go of") }
        if dropped.contains(holder) { world.report(.fence, "\(holder) commits to \(workspace), which it has dropped") }
    }

    // MARK: What an owner shows

    func shows(_ bytes: [UInt8], toHost isHost: Bool, in epoch: Epoch) {
        let life = lives[epoch] ?? Life()
        do throws(WireError) {
            if isHost {
                switch try MessageToHost(parsing: bytes) {
                case .ack(let acks):
                    for ack in acks where ack.through > life.hostSeqs[key(ack.session)] ?? 0 {
                        world.report(.durability, "\(ack.through) of \(ack.session) is acknowledged, and not committed")
                    }
                case .decision(_, let approval, _, let decision) where life.decisions[approval] != decision.command:
                    world.report(.durability, "what \(decision.command) decided is handed out, and not committed")
                default: break
                }
            } else {
                switch try MessageToClient(parsing: bytes) {
                case .events(let run): show(run, in: epoch)
                case .sessionSnapshot(let tail, _, _, _): show(tail, in: epoch)
                default: break
                }
            }
        } catch { world.report(.codec, "the owner sends what its own codec refuses: \(error)") }
    }

    private func show(_ run: SessionEvents, in epoch: Epoch) {
        let stored = events(of: key(run.session), in: epoch)
        if let complaint = ViewChecker.compare(run.events, first: run.first, with: stored) {
            world.report(.durability, "\(run.session) is shown in \(epoch): \(complaint)")
        }
        let last = run.first + Int64(run.events.count) - 1
        let shown = lives[epoch]?.shown[key(run.session)] ?? 0
        lives[epoch]?.shown[key(run.session)] = max(shown, last)
    }

    private func key(_ session: SessionID) -> SessionKey { SessionKey(workspace: workspace, session: session) }
}

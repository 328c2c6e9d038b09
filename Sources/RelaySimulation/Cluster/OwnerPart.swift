import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// A workspace at the node that owns it: the shipped core, its commits under the generation that was claimed, and its end.
final class OwnerPart {
    private struct Commit {
        let batch: LogBatch
        var number: Int
        let begun: Int64
    }

    private static let commitPatience: Int64 = 2_000
    private static let loadRetry: Int64 = 1_000
    private static let freeingRetry: Int64 = 250
    /// A removal is not urgent, so a database that rejects it is not asked more often.
    static let removalRetry: Int64 = 30_000

    let workspace: WorkspaceID
    private unowned let node: ClusterNode
    private var world: ClusterWorld { node.world }
    private(set) var row: OwnerRow
    /// Nil while the content of the log is unknown.
    private(set) var relay: Relay?
    /// The current core; work that an earlier one waited for is dropped.
    private var life = 0
    private var timers: [RelayTimer: Int] = [:]
    private var lastTimer = 0
    private var isTickArmed = false
    private var underWay: Commit?
    /// The result of the last commit is unknown.
    private var isInDoubt = false
    private let pushes: OwnerPushes
    private let callers: OwnerCommandPeers
    /// By the node's clock.
    let ownedSince: Int64
    /// Its data is being taken away.
    private var isRemoving = false
    /// For the fault that is planted.
    private var lastAppends = LogBatch()
    /// Told when the row is free; nil: it is not being handed over.
    private var whenFree: (() -> Void)?
    /// True if another process owns the workspace, or none does.
    private(set) var isOver = false

    init(_ node: ClusterNode, _ workspace: WorkspaceID, _ row: OwnerRow) {
        self.node = node
        self.workspace = workspace
        self.row = row
        ownedSince = node.uptime
        pushes = OwnerPushes(node)
        callers = OwnerCommandPeers(node)
        pushes.tell = { [unowned self] in feed(.pushAnswered($0, $1)) }
        callers.tell = { [unowned self] in feed($0) }
    }

    var isServing: Bool { relay != nil && whenFree == nil && !isOver }
    private var epoch: Epoch { row.epoch ?? Epoch("none")! }

    private func after(_ wait: Int64, _ action: @escaping () -> Void) {
        node.inThisLife(after: wait) { [self] in if !isOver { action() } }
    }

    private func inThisCore(after wait: Int64, _ action: @escaping () -> Void) {
        let life = life
        after(wait) { [self] in if life == self.life, relay != nil { action() } }
    }

    /// On the connection for commits; `answer` comes only while it is owned.
    private func ask<Answer>(
        within limit: Int64 = NodeDatabase.askingMax,
        _ question: @escaping (DatabaseWorkspace, DatabaseConnection, @escaping (Answer) -> Void) -> Void,
        answer: @escaping (Answer?) -> Void
    ) {
        node.database.ask(.log(workspace), within: limit) { [workspace] database, connection, reply in
            question(database[workspace], connection, reply)
        } answer: { [self] (value: Answer?) in
            if !isOver { answer(value) }
        }
    }

    // MARK: The core

    /// Says whether it could be loaded.
    func start(_ then: @escaping (Bool) -> Void) {
        ask { [self] stored, _, reply in
            reply(load(stored))
        } answer: { [self] (state: LogState??) in
            guard let state, let state else { return then(false) }
            then(true)
            if !isOver, whenFree == nil { begin(state) }
        }
    }

    private func load(_ stored: DatabaseWorkspace) -> LogState? {
        world.history(of: workspace).loads(world.database)
        guard node.cannotLoadUntil <= world.now else {
            world.trace.note(world.now, node.name, "cannot load", workspace.rawValue)
            return nil
        }
        // The rows left of a removed workspace have no owner.
        if stored.isRemoved { return LogState() }
        let wall = node.instant.wall
        let state = try? stored.log.load(
            resolvedSince: wall - SessionLimits.resolvedApprovalsAge, commandsSince: wall - 24 * 3_600_000)
        guard world.plant == .forgottenRings, var state else { return state }
        state.records.removeAll { $0.kind == .card }
        return state
    }

    private func begin(_ state: LogState) {
        life += 1
        var configuration = Relay.Configuration(software: "simulated", heartbeat: World.heartbeat)
        if let settings = world.pushes?.settings(of: workspace) { configuration.push = settings }
        var fresh = Relay(
            configuration: configuration, epochs: Epochs(ofLog: epoch, first: workspace), state: state, boot: node.holder,
            at: node.instant)
        var effects = fresh.started(at: node.instant)
        if world.plant == .mutePushes { effects.removeAll { if case .push = $0 { true } else { false } } }
        relay = fresh
        world.pushes?.began(in: workspace, epoch, at: node.instant, with: state.records, ordering: effects)
        world.trace.note(world.now, node.name, "serves", "\(workspace) in generation \(row.generation), \(epoch)")
        run(effects)
        if node.entrants.isRemoved(workspace) { workspaceRemoved() }
        armTick()
    }

    /// All peers leave and come back; their state is not in memory.
    private func suspend() {
        guard let peers = relay?.peers.sorted() else { return }
        world.trace.note(world.now, node.name, "suspends", workspace.rawValue)
        for peer in peers {
            close(peer, CloseCode.restarting.rawValue, CloseCode.restarting(inMilliseconds: world.dice.within(0...1_000)))
        }
        forget()
    }

    private func forget() {
        relay = nil
        life += 1
        pushes.suspend()
        (timers, underWay, isTickArmed) = ([:], nil, false)
    }

    private func reload() {
        guard relay == nil, whenFree == nil else { return }
        guard isInDoubt else { return loadAgain() }
        renew { [self] isOurs in
            guard whenFree == nil else { return }
            switch isOurs {
            case true: loadAgain()
            case false: fenced()
            default: after(Self.loadRetry) { self.reload() }
            }
        }
    }

    private func loadAgain() {
        start { [self] isLoaded in if !isLoaded { after(Self.loadRetry) { self.reload() } } }
    }

    // MARK: Facts

    func opened(_ peer: PeerID, _ role: ClusterSocket.Role) {
        switch role {
        case .host(let index): feed(.hostConnected(peer, world.hosts[index].identity))
        case .client(let index):
            let known = world.clients[index].identity
            let workspace = node.entrants.named(known.workspace.id)
            feed(.clientConnected(peer, ClientIdentity(workspace: workspace, client: known.client, scope: known.scope)))
        }
    }

    func received(_ bytes: [UInt8], from peer: PeerID, _ role: ClusterSocket.Role) {
        guard relay != nil else { return }
        switch role {
        case .host:
            do throws(WireError) { feed(.hostSent(peer, try HostMessage(parsing: bytes))) } catch {
                world.report(.codec, "the owner does not understand a host: \(error)")
            }
        case .client:
            do throws(ClientMessageError) { feed(.clientSent(peer, try ClientMessage(parsing: bytes))) } catch {
                world.report(.codec, "the owner does not understand a client: \(error)")
            }
        }
    }

    func closed(_ peer: PeerID) { feed(.disconnected(peer)) }
    func congested(_ peer: PeerID) { feed(.congested(peer)) }
    func drained(_ peer: PeerID) { feed(.drained(peer)) }

    /// Its peers leave, then its memory is released, then its rows are deleted.
    func workspaceRemoved() { feed(.workspaceRemoved(workspace)) }

    /// The code of a notification of this workspace's.
    func present(_ push: PushID, of life: String, _ verdict: Decision.Verdict, then answer: @escaping (Reply) -> Void) {
        guard life == epoch.rawValue else { return answer(.failed(.notFound, "there is no such code")) }
        callers.present(world.pushes?.planted(push, in: epoch) ?? push, named: push, verdict, then: answer)
    }

    /// While it is being handed over, nothing more is taken in.
    private func feed(_ input: Input) {
        if whenFree != nil { guard case .committed = input else { return } }
        guard let effects = relay?.handle(input, at: node.instant) else { return }
        run(effects)
        if case .tickEnded = input { return }
        armTick()
    }

    private func armTick() {
        guard !isTickArmed, relay != nil else { return }
        isTickArmed = true
        inThisCore(after: world.dice.within(0...1)) { [self] in
            isTickArmed = false
            feed(.tickEnded)
        }
    }

    // MARK: Orders

    private func run(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .send(let bytes, let peers): send(bytes, to: peers.sorted())
            case .close(let peer, let code):
                if peer.isCommandPeer { callers.closed(peer) } else { close(peer, code.rawValue, code.reason) }
            case .append(let batch): commit(batch)
            case .read(let id, let query):
                read(id) { .pageRead(id, (try? $0.log.page(query)) ?? LogPage(first: 0, events: [])) }
            case .readRemovedSessions(let id, let keys): read(id) { .removedSessionsRead(id, $0.log.places(of: keys)) }
            case .readApproval(let id, let key, let approval):
                read(id) { .approvalRead(id, try? $0.log.approval(approval, of: key)) }
            case .armTimer(let timer, let wait): arm(timer, wait)
            case .cancelTimer(let timer): timers[timer] = nil
            case .findPictures(let peer, let request, _):
                inThisCore(after: 0) { self.feed(.picturesFound(peer, request, .lacking)) }
            case .answer(let reply, let command, let peer): callers.answered(reply, to: command, of: peer)
            case .push(let intent):
                world.pushes?.ordered(
                    intent, calling: relay?.planner.approvalsCalled(by: intent.id) ?? [], in: epoch, of: workspace,
                    at: node.instant)
                pushes.push(intent, in: epoch)
            case .workspaceLeft: left()
            // Whatever was ordered is on its way here, and is sent once.
            case .withdrawPush: break
            case .makePairingCode, .quotaReached, .historyRemoved, .clockJudged: break
            }
        }
    }

    private func send(_ bytes: [UInt8], to peers: [PeerID]) {
        if let first = peers.first, let relay {
            world.history(of: workspace).shows(bytes, toHost: relay.isHost(first), in: epoch)
        }
        for peer in peers {
            guard let role = node.role(of: peer), world.workspace(of: role) != workspace else { continue }
            world.report(.wall, "\(world.name(of: role)), of \(world.workspace(of: role)), is sent what is of \(workspace)")
        }
        for peer in node.links.send(bytes, to: peers) { node.peers.send(bytes, to: peer) }
    }

    private func close(_ peer: PeerID, _ code: UInt16, _ reason: String) {
        if !node.links.close(peer, code, reason) { node.peers.close(peer, code, reason) }
    }

    private func arm(_ timer: RelayTimer, _ wait: Int64) {
        lastTimer += 1
        let number = lastTimer
        timers[timer] = number
        inThisCore(after: wait) { [self] in
            guard timers[timer] == number else { return }
            timers[timer] = nil
            feed(.timerFired(timer))
        }
    }

    private func read(_ id: ReadID, _ question: @escaping (DatabaseWorkspace) -> Input) {
        let life = life
        node.database.ask(.reads(workspace)) { [workspace] database, _, reply in
            reply(question(database[workspace]))
        } answer: { [self] (answer: Input?) in
            guard life == self.life, relay != nil else { return }
            feed(answer ?? .readFailed(id, reason: "the database does not answer", isLasting: false))
        }
    }

    // MARK: A workspace that was removed

    /// Nothing of it is in memory, nor on its way to the log.
    private func left() {
        world.history(of: workspace).leaves(by: node.holder)
        if world.plant == .lateRows, !lastAppends.appends.isEmpty { commit(lastAppends) }
        guard !isRemoving else { return }
        isRemoving = true
        takeAway()
    }

    private func takeAway() {
        ask { (stored, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
            stored.begin(.removal, on: connection, reply: reply)
        } answer: { [self] outcome in
            guard case .removed(let isAll) = outcome else { return after(Self.removalRetry) { self.takeAway() } }
            if isAll { isRemoving = false } else { after(Limits.trimInterval) { self.takeAway() } }
        }
    }

    // MARK: Commits

    private func commit(_ batch: LogBatch) {
        guard underWay == nil else { return world.report(.fence, "two batches are being committed at once") }
        underWay = Commit(batch: batch, number: world.nextBatch(), begun: node.uptime)
        if world.plant == .lateRows, !batch.appends.isEmpty { lastAppends = batch }
        put()
    }

    private func put() {
        guard let commit = underWay else { return }
        let (life, generation) = (life, row.generation)
        let losesAnswer = world.dice.chance(world.faults.unclearCommit)
        world.history(of: workspace).puts(commit.batch, by: node.holder)
        ask(within: losesAnswer ? 20 : NodeDatabase.askingMax) {
            (stored, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
            stored.begin(.commit(commit.batch, number: commit.number, generation: generation), on: connection) {
                if !losesAnswer { reply($0) }
            }
        } answer: { [self] outcome in
            guard life == self.life, relay != nil else { return }
            switch outcome {
            case .committed: committed()
            case .none: settle()
            case .refused where world.database[workspace].isRemoved: findGone()
            case .fenced, .refused, .claimed, .freed, .removed: fenced()
            }
        }
    }

    /// The rows have been deleted: the core does not know yet that the workspace was removed.
    private func findGone() {
        suspend()
        if whenFree != nil { setFree() } else { after(Self.loadRetry) { self.reload() } }
    }

    private func committed() {
        underWay = nil
        isInDoubt = false
        feed(.committed)
        if whenFree != nil, underWay == nil { setFree() }
    }

    private func fenced() {
        world.trace.note(world.now, node.name, "is fenced", "in generation \(row.generation) of \(workspace)")
        if world.plant == .fencedShows, underWay != nil { return committed() }
        if whenFree != nil { freed() } else { node.placement.lost(self) }
    }

    /// The result of the commit is unknown. Once a new generation is stored, the commit is there or never will be.
    private func settle() {
        isInDoubt = true
        let life = life
        renew { [self] isOurs in
            guard life == self.life, let commit = underWay else { return }
            guard let isOurs else { return doubt(commit) }
            if isOurs { look(for: commit) } else { fenced() }
        }
    }

    private func look(for commit: Commit) {
        if world.plant == .doubledCommit {
            underWay?.number = world.nextBatch()
            return put()
        }
        let life = life
        ask { stored, _, reply in
            reply(stored.contains(commit.number))
        } answer: { [self] (isThere: Bool?) in
            guard life == self.life else { return }
            switch isThere {
            case true: committed()
            case false: put()
            default: doubt(commit)
            }
        }
    }

    private func doubt(_ commit: Commit) {
        guard node.uptime - commit.begun >= Self.commitPatience else { return inThisCore(after: 250) { self.settle() } }
        suspend()
        if whenFree != nil { setFree() } else { after(Self.loadRetry) { self.reload() } }
    }

    /// Stores a new generation for the workspace that this node holds, on a new connection. `then` gets false if another node holds it,
    /// nil if there is no answer.
    private func renew(_ then: @escaping (Bool?) -> Void) {
        if world.plant == .noFence { return after(1) { then(true) } }
        ask { (stored, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
            stored.begin(.claimAnew, on: connection, reply: reply)
        } answer: { [self] outcome in
            switch outcome {
            case .claimed(let row):
                self.row = row
                isInDoubt = false
                then(true)
            case .fenced, .refused, .committed, .freed, .removed: then(false)
            case .none: then(nil)
            }
        }
    }

    // MARK: The end

    /// Takes nothing more in, waits for its commit, and sets its row free; then its peers are sent away.
    func handOver(_ then: @escaping () -> Void) {
        whenFree = then
        if underWay == nil { setFree() }
    }

    private func setFree() {
        guard isInDoubt else {
            ask { [generation = row.generation] (stored, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
                stored.begin(.handOver(generation: generation), on: connection, reply: reply)
            } answer: { [self] outcome in
                if outcome == nil { after(Self.freeingRetry) { self.setFree() } } else { freed() }
            }
            return
        }
        renew { [self] isOurs in
            switch isOurs {
            case true: setFree()
            case false: freed()
            default: after(Self.freeingRetry) { self.setFree() }
            }
        }
    }

    /// The workspace is free, or another node owns it by now.
    private func freed() {
        let then = whenFree
        whenFree = nil
        if world.plant == .keptAfterHandOver {
            forget()
            isOver = true
        } else {
            end()
        }
        then?()
    }

    /// All peers have to find another.
    func end() {
        suspend()
        isOver = true
        pushes.end()
        node.database.close(workspace)
    }
}

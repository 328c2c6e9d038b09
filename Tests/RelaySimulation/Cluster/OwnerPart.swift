import PushPlanner
import RelayCore
import RelayModel
import RelayNode
import RelayProtocol

/// A workspace at the node that owns it: the product's core with the machines around it, its commits under the claimed generation,
/// and its end. Like `RelayRunner` with the database's store.
final class OwnerPart {
    private struct Commit {
        let batch: LogBatch
        var number: Int
        var tries: CommitTries
    }

    /// Milliseconds before a failed removal is retried: it is not urgent.
    static let removalRetry: Int64 = 30_000

    let workspace: WorkspaceID
    private unowned let node: ClusterNode
    private var world: ClusterWorld { node.world }
    private(set) var row: OwnerRow
    /// Nil until the log is loaded.
    private var core: CoreMachine?
    /// Nil while the content of the log is unknown.
    var relay: Relay? { core.flatMap { $0.isServing ? $0.relay : nil } }
    /// Number of the current core; work that an earlier one waited for is dropped.
    private var life = 0
    private var timers: [RelayTimer: Int] = [:]
    private var lastTimer = 0
    private var isTickArmed = false
    private var underWay: Commit?
    /// True if the result of the last commit is unknown.
    private var isInDoubt = false
    private let pushes: OwnerPushes
    private let callers: OwnerCommandPeers
    /// Time of the claim by the node's clock.
    let ownedSince: Int64
    /// True while its data is being deleted.
    private var isRemoving = false
    /// The last batch and the loaded records, for planted faults.
    private var lastAppends = LogBatch()
    private var loadedRecords: [PushRecord] = []
    /// True if new peers are refused.
    private var isShut = false
    /// Called when the row is free, as far as known; nil if it is not being handed over.
    private var whenFree: (() -> Void)?
    /// True if none of its work is left.
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

    var isServing: Bool { core != nil && !isShut && !isOver }
    private var epoch: Epoch { row.epoch ?? Epoch("none")! }

    private func after(_ wait: Int64, _ action: @escaping () -> Void) {
        node.inThisLife(after: wait) { [self] in if !isOver { action() } }
    }

    private func inThisCore(after wait: Int64, _ action: @escaping () -> Void) {
        let life = life
        after(wait) { [self] in if life == self.life { action() } }
    }

    /// Queries the database on the connection for commits; `answer` is called only while the workspace is owned.
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

    /// Starts the core. `then` gets false if the log could not be loaded.
    func start(_ then: @escaping (Bool) -> Void) {
        read { [self] state in
            then(state != nil)
            guard let state, !isShut, !isOver else { return }
            var configuration = Relay.Configuration(software: "simulated", heartbeat: World.heartbeat)
            if let settings = world.pushes?.settings(of: workspace) { configuration.push = settings }
            core = CoreMachine(
                Relay(
                    configuration: configuration, epochs: Epochs(ofLog: epoch, first: workspace), state: state,
                    boot: node.holder, at: node.instant))
            begin(core?.begin(at: node.instant, holders: nil))
            if node.entrants.isRemoved(workspace) { workspaceRemoved() }
        }
    }

    private func read(_ then: @escaping (LogState?) -> Void) {
        node.database.ask(.reads(workspace)) { [self] database, _, reply in
            reply(load(database[workspace]))
        } answer: { [self] (state: LogState??) in
            guard !isOver else { return }
            loadedRecords = state??.records ?? []
            then(state ?? nil)
        }
    }

    private func load(_ stored: DatabaseWorkspace) -> LogState? {
        world.history(of: workspace).loads(world.database)
        guard node.cannotLoadUntil <= world.now else {
            world.trace.note(world.now, node.name, "cannot load", workspace.rawValue)
            return nil
        }
        // The remaining rows of a removed workspace have no owner.
        if stored.isRemoved { return LogState() }
        let state = try? stored.log.load(resolvedSince: node.instant.wall - SessionLimits.resolvedApprovalsAge)
        guard world.plant == .forgottenRings, var state else { return state }
        state.records.removeAll { $0.kind == .card }
        return state
    }

    private func begin(_ effects: [Effect]?) {
        var effects = effects ?? []
        if world.plant == .mutePushes { effects.removeAll { if case .push = $0 { true } else { false } } }
        world.pushes?.began(in: workspace, epoch, at: node.instant, with: loadedRecords, ordering: effects)
        world.trace.note(world.now, node.name, "serves", "\(workspace) in generation \(row.generation), \(epoch)")
        run(effects)
        armTick()
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
        guard core?.isServing == true else { return }
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

    /// Disconnects its peers, then releases its memory, then deletes its rows.
    func workspaceRemoved() { feed(.workspaceRemoved(workspace)) }

    /// Presents the code of a notification of this workspace.
    func present(_ push: PushID, of life: String, _ verdict: Decision.Verdict, then answer: @escaping (Reply) -> Void) {
        guard life == epoch.rawValue else { return answer(.failed(.notFound, "there is no such code")) }
        callers.present(world.pushes?.planted(push, in: epoch) ?? push, named: push, verdict, then: answer)
    }

    private func feed(_ input: Input) {
        guard let effects = core?.handle(input, at: node.instant) else { return }
        run(effects)
        if case .tickEnded = input { return }
        armTick()
    }

    private func tell(_ fact: CoreMachine.Fact) {
        for order in core?.handle(fact, at: node.instant) ?? [] { carryOut(order) }
        armTick()
    }

    private func armTick() {
        guard !isTickArmed, core?.isServing == true else { return }
        isTickArmed = true
        inThisCore(after: world.dice.within(0...1)) { [self] in
            isTickArmed = false
            feed(.tickEnded)
        }
    }

    // MARK: Orders

    private func carryOut(_ order: CoreMachine.Order) {
        switch order {
        case .run(let effects): run(effects)
        case .shutOut(let isShut): self.isShut = isShut
        case .dismiss(let hosts, let clients):
            if world.plant == .keptAfterHandOver, whenFree != nil { return }
            if world.plant == .silentSuspension, whenFree == nil { return }
            let window = ReturnWindow(peers: hosts.count + clients.count)
            for peer in hosts { dismiss(peer, window.forHosts) }
            for peer in clients { dismiss(peer, window.forClients) }
        case .forget:
            world.trace.note(world.now, node.name, "suspends", workspace.rawValue)
            life += 1
            pushes.suspend()
            (timers, isTickArmed) = ([:], false)
        case .loadLater(let wait): after(wait) { self.tell(.loadFellDue) }
        case .load: loadAgain()
        case .beginAgain: begin(core?.beginAgain(at: node.instant))
        case .release: release()
        }
    }

    private func dismiss(_ peer: PeerID, _ window: ClosedRange<Int64>) {
        if peer.isCommandPeer { return callers.closed(peer) }
        close(peer, CloseCode.restarting.rawValue, CloseCode.restarting(inMilliseconds: world.dice.within(window)))
    }

    private func run(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .send(let bytes, let peers): send(bytes, to: strayed(bytes, peers).sorted())
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
            // Every ordered push is on its way and is sent once.
            case .withdrawPush: break
            case .makePairingCode, .quotaReached, .historyRemoved, .used, .clockJudged: break
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

    /// The recipients, plus another peer of the same kind under the planted fault.
    private func strayed(_ bytes: [UInt8], _ peers: [PeerID]) -> [PeerID] {
        guard world.plant == .strayLetter, bytes.starts(with: #"{"type":"letter""#.utf8), let relay, let first = peers.first
        else { return peers }
        let isForHost = relay.isHost(first)
        let others = relay.peers.filter { !$0.isCommandPeer && relay.isHost($0) == isForHost && !peers.contains($0) }
        return others.min().map { peers + [$0] } ?? peers
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
            guard life == self.life else { return }
            feed(answer ?? .readFailed(id, reason: "the database does not answer", isLasting: false))
        }
    }

    // MARK: A workspace that was removed

    /// Called when nothing of the workspace is in memory or on its way to the log.
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
        underWay = Commit(batch: batch, number: world.nextBatch(), tries: CommitTries(at: node.uptime))
        if world.plant == .lateRows, !batch.appends.isEmpty { lastAppends = batch }
        world.history(of: workspace).puts(batch, by: node.holder)
        attempt()
    }

    /// Tries to commit, like the store: while the result of the last attempt is unknown, it finds that out first, and it commits on
    /// a new connection only under a new generation.
    private func attempt() {
        if isInDoubt { return settle() }
        if node.database.isConnected(for: .log(workspace)) { return put() }
        renew { [self] isOurs in
            switch isOurs {
            case true: put()
            case false: fenced()
            default: failed(.unreachable(isPassing: true))
            }
        }
    }

    private func put(isLast: Bool = false) {
        guard let commit = underWay else { return }
        let generation = row.generation
        let losesAnswer = world.dice.chance(world.faults.unclearCommit)
        ask(within: losesAnswer ? 20 : NodeDatabase.askingMax) {
            (stored, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
            stored.begin(.commit(commit.batch, number: commit.number, generation: generation), on: connection) {
                if !losesAnswer { reply($0) }
            }
        } answer: { [self] outcome in
            switch outcome {
            case .committed: commitEnded(.committed([]))
            case .none:
                isInDoubt = true
                isLast ? failed(.inDoubt) : settle()
            // The rows may have been deleted, before the core learns that the workspace was removed.
            case .refused: failed(.conflict)
            case .fenced, .claimed, .freed, .removed: fenced()
            }
        }
    }

    private func failed(_ code: LogError.Code) {
        switch underWay?.tries.failed(LogError(code, "the database fails"), at: node.uptime) {
        case .again(let wait): after(wait) { self.attempt() }
        case .ended(let outcome): commitEnded(outcome)
        case nil: break
        }
    }

    private func commitEnded(_ outcome: CommitTries.Outcome) {
        underWay = nil
        if world.plant == .unreleased, whenFree != nil { return }
        tell(.commitEnded(outcome))
    }

    private func fenced() {
        world.trace.note(world.now, node.name, "is fenced", "in generation \(row.generation) of \(workspace)")
        if world.plant == .fencedShows, underWay != nil { return commitEnded(.committed([])) }
        failed(.fenced)
        node.placement.lost(self)
    }

    /// Finds out the result of the last commit: once a new generation is stored, the commit is there or never will be.
    private func settle() {
        renew { [self] isOurs in
            guard let commit = underWay else { return }
            switch isOurs {
            case true: look(for: commit)
            case false: fenced()
            default: failed(.inDoubt)
            }
        }
    }

    private func look(for commit: Commit) {
        if world.plant == .doubledCommit {
            underWay?.number = world.nextBatch()
            return put()
        }
        ask { stored, _, reply in
            reply(stored.contains(commit.number))
        } answer: { [self] (isThere: Bool?) in
            switch isThere {
            case true: commitEnded(.committed([]))
            case false: put(isLast: true)
            default:
                isInDoubt = true
                failed(.inDoubt)
            }
        }
    }

    private func loadAgain() {
        func load() {
            read { [self] state in tell(state.map { .loaded($0, boot: node.holder) } ?? .loadFailed) }
        }
        guard isInDoubt, world.plant != .unsettledLoad else { return load() }
        renew { [self] isOurs in
            if isOurs == true { return load() }
            tell(.loadFailed)
            if isOurs == false { node.placement.lost(self) }
        }
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

    /// Refuses new peers, disconnects the others, waits for its commit, and releases its row.
    func handOver(_ then: @escaping () -> Void) {
        whenFree = then
        end()
    }

    /// Ends the core. All peers have to find another owner.
    func end() {
        pushes.end()
        guard core != nil else {
            isShut = true
            return release()
        }
        tell(.endOrdered)
    }

    /// Releases the row. If that fails, the row still names this node, which claims the workspace again or ends.
    private func release() {
        guard whenFree != nil else { return close() }
        ask { [generation = row.generation] (stored, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
            stored.begin(.handOver(generation: generation), on: connection, reply: reply)
        } answer: { [self] _ in
            close()
            whenFree?()
            whenFree = nil
        }
    }

    private func close() {
        isOver = true
        node.database.close(workspace)
    }
}

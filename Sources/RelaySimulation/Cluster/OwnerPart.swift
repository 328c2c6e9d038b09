import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol

/// A node that owns the log: the shipped core, its commits under the generation that it claimed, and the lease that says that it lives.
final class OwnerPart {
    private struct Commit {
        let batch: LogBatch
        var number: Int
        let begun: Int64
    }

    private unowned let node: ClusterNode
    private var world: ClusterWorld { node.world }
    private var row: ClusterDatabase.Row
    private(set) var links: OwnerLinks!
    /// Nil while nobody can say what the log holds.
    private(set) var relay: Relay?
    /// Which core this is: what an earlier one was waiting for never comes.
    private var life = 0
    private var timers: [RelayTimer: Int] = [:]
    private var lastTimer = 0
    private var isTickArmed = false
    private var underWay: Commit?
    /// Nobody knows what came of the last commit.
    private var isInDoubt = false
    private var renewed: Int64
    private var isFenced = false

    private static let leaseLook: Int64 = 1_000
    private static let renewalInterval: Int64 = 2_000
    private static let leaseDeadline: Int64 = 7_000
    private static let commitPatience: Int64 = 2_000
    private static let loadRetry: Int64 = 1_000

    init(_ node: ClusterNode, _ row: ClusterDatabase.Row, renewed: Int64) {
        self.node = node
        self.row = row
        self.renewed = renewed
        links = OwnerLinks(node, self)
    }

    var isServing: Bool { relay != nil }
    var epoch: Epoch { row.epoch ?? Epoch("none")! }
    var generation: Int64 { row.generation }

    func start() {
        keepLease()
        load()
    }

    private func after(_ wait: Int64, _ action: @escaping (OwnerPart) -> Void) {
        node.inThisLife(after: wait) { node in
            if let owner = node.owner, owner === self { action(owner) }
        }
    }

    private func inThisCore(after wait: Int64, _ action: @escaping (OwnerPart) -> Void) {
        let life = life
        after(wait) { owner in if life == owner.life, owner.isServing { action(owner) } }
    }

    // MARK: The lease

    private func keepLease() {
        after(Self.leaseLook) { owner in
            let asked = owner.node.uptime
            guard asked - owner.renewed >= Self.renewalInterval else { return owner.keepLease() }
            let left = Self.leaseDeadline - (asked - owner.renewed)
            owner.node.ask(.lease, within: max(left, 0)) { [node = owner.node] database, _, reply in
                database.renew(node.address)
                reply(database.row.holder == node.holder ? database.timeline : 0)
            } answer: { node, timeline in
                guard node.owner === owner else { return }
                if let timeline {
                    guard timeline == owner.row.bornOn else {
                        return node.end("the log is another's, or another")
                    }
                    owner.renewed = asked
                } else if node.uptime - owner.renewed >= Self.leaseDeadline {
                    return node.end("it has not renewed its lease")
                }
                owner.keepLease()
            }
        }
    }

    // MARK: The core

    private func load() {
        node.ask(.log) { [world, node] (database, _, reply: @escaping (LogState?) -> Void) in
            world.history.loads(database)
            let wall = node.instant.wall
            reply(
                try? database.log.load(
                    resolvedSince: wall - SessionLimits.resolvedApprovalsAge, commandsSince: wall - 24 * 3_600_000))
        } answer: { node, state in
            guard node.owner === self, self.relay == nil else { return }
            guard let state, let state else { return self.after(Self.loadRetry) { $0.reload() } }
            self.begin(state)
        }
    }

    private func begin(_ state: LogState) {
        life += 1
        let configuration = Relay.Configuration(software: "simulated", heartbeat: World.heartbeat)
        var fresh = Relay(
            configuration: configuration, epochs: Epochs(ofLog: epoch, first: World.workspace.id), state: state,
            boot: node.holder, at: node.instant)
        let effects = fresh.started(at: node.instant)
        relay = fresh
        world.trace.note(world.now, node.name, "serves", "generation \(row.generation), \(epoch)")
        run(effects)
        armTick()
    }

    /// Everybody leaves and comes back; the log is read again.
    func suspend(reloads: Bool) {
        guard let peers = relay?.peers.sorted() else { return }
        world.trace.note(world.now, node.name, "suspends")
        for peer in peers {
            close(peer, CloseCode.restarting.rawValue, CloseCode.restarting(inMilliseconds: world.dice.within(0...1_000)))
        }
        relay = nil
        life += 1
        (timers, underWay, isTickArmed) = ([:], nil, false)
        if reloads { after(Self.loadRetry) { $0.reload() } }
    }

    private func reload() {
        guard relay == nil, !isFenced else { return }
        guard isInDoubt else { return load() }
        renew { owner, isOurs in
            if isOurs == true { owner.load() } else if isOurs == nil { owner.after(Self.loadRetry) { $0.reload() } }
        }
    }

    // MARK: Facts

    func opened(_ peer: PeerID, _ role: ClusterSocket.Role) {
        guard isServing else { return close(peer, CloseCode.restarting.rawValue, CloseCode.restarting.reason) }
        switch role {
        case .host(let index): feed(.hostConnected(peer, world.hosts[index].identity))
        case .client(let index): feed(.clientConnected(peer, world.clients[index].identity))
        }
    }

    func received(_ bytes: [UInt8], from peer: PeerID) {
        guard let relay else { return }
        if relay.isHost(peer) || bytes.starts(with: Self.hostWords) {
            do throws(WireError) { feed(.hostSent(peer, try HostMessage(parsing: bytes))) } catch {
                world.report(.codec, "the owner does not understand a host: \(error)")
            }
        } else {
            do throws(ClientMessageError) { feed(.clientSent(peer, try ClientMessage(parsing: bytes))) } catch {
                world.report(.codec, "the owner does not understand a client: \(error)")
            }
        }
    }

    /// What a host says that the core does not count among its peers any more.
    private static let hostWords = Array(#"{"type":"events""#.utf8)

    func closed(_ peer: PeerID) { feed(.disconnected(peer)) }

    func feed(_ input: Input) {
        guard let effects = relay?.handle(input, at: node.instant) else { return }
        run(effects)
        if case .tickEnded = input { return }
        armTick()
    }

    private func armTick() {
        guard !isTickArmed, isServing else { return }
        isTickArmed = true
        inThisCore(after: world.dice.within(0...1)) { owner in
            owner.isTickArmed = false
            owner.feed(.tickEnded)
        }
    }

    // MARK: Orders

    private func run(_ effects: [Effect]) {
        for effect in effects {
            switch effect {
            case .send(let bytes, let peers): send(bytes, to: peers.sorted())
            case .close(let peer, let code): close(peer, code.rawValue, code.reason)
            case .append(let batch): commit(batch)
            case .read(let id, let query):
                read(id) { .pageRead(id, (try? $0.log.page(query)) ?? LogPage(first: 0, events: [])) }
            case .readRemovedSessions(let id, let keys): read(id) { .removedSessionsRead(id, $0.log.places(of: keys)) }
            case .readApproval(let id, let key, let approval):
                read(id) { .approvalRead(id, try? $0.log.approval(approval, of: key)) }
            case .armTimer(let timer, let wait): arm(timer, wait)
            case .cancelTimer(let timer): timers[timer] = nil
            case .findPictures(let peer, let request, _):
                inThisCore(after: 0) { $0.feed(.picturesFound(peer, request, .lacking)) }
            case .answer, .push, .makePairingCode, .workspaceLeft, .quotaReached, .historyRemoved, .clockJudged: break
            }
        }
    }

    private func send(_ bytes: [UInt8], to peers: [PeerID]) {
        if let first = peers.first, let relay { world.history.shows(bytes, toHost: relay.isHost(first), in: epoch) }
        for peer in links.send(bytes, to: peers) { node.send(bytes, to: peer) }
    }

    private func close(_ peer: PeerID, _ code: UInt16, _ reason: String) {
        if !links.close(peer, code, reason) { node.close(peer, code, reason) }
    }

    private func arm(_ timer: RelayTimer, _ wait: Int64) {
        lastTimer += 1
        let number = lastTimer
        timers[timer] = number
        inThisCore(after: wait) { owner in
            guard owner.timers[timer] == number else { return }
            owner.timers[timer] = nil
            owner.feed(.timerFired(timer))
        }
    }

    private func read(_ id: ReadID, _ question: @escaping (ClusterDatabase) -> Input) {
        let life = life
        node.ask(.reads) { database, _, reply in
            reply(question(database))
        } answer: { node, answer in
            guard node.owner === self, self.life == life, self.isServing else { return }
            self.feed(answer ?? .readFailed(id, reason: "the database does not answer", isLasting: false))
        }
    }

    // MARK: Commits

    private func commit(_ batch: LogBatch) {
        guard underWay == nil else { return world.report(.fence, "two batches are being committed at once") }
        underWay = Commit(batch: batch, number: world.nextBatch(), begun: node.uptime)
        put()
    }

    private func put() {
        guard let commit = underWay else { return }
        let (life, generation) = (life, row.generation)
        let losesAnswer = world.dice.chance(world.faults.unclearCommit)
        node.ask(.log, within: losesAnswer ? 20 : ClusterNode.askingMax) {
            (database, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
            database.begin(.commit(commit.batch, number: commit.number, generation: generation), on: connection) {
                if !losesAnswer { reply($0) }
            }
        } answer: { node, outcome in
            guard node.owner === self, self.life == life, self.isServing else { return }
            switch outcome {
            case .committed: self.committed()
            case .none: self.settle()
            case .fenced, .refused, .claimed: self.fenced()
            }
        }
    }

    private func committed() {
        underWay = nil
        isInDoubt = false
        feed(.committed)
    }

    private func fenced() {
        world.trace.note(world.now, node.name, "is fenced", "in generation \(row.generation)")
        if world.plant == .fencedShows { return committed() }
        isFenced = true
        suspend(reloads: false)
    }

    /// Nobody has said what came of it: after another generation it is there, or never will be.
    private func settle() {
        isInDoubt = true
        let life = life
        renew { owner, isOurs in
            guard owner.life == life, let commit = owner.underWay else { return }
            guard let isOurs else { return owner.doubt(commit) }
            guard isOurs else { return owner.fenced() }
            owner.look(for: commit)
        }
    }

    private func look(for commit: Commit) {
        if world.plant == .doubledCommit {
            underWay?.number = world.nextBatch()
            return put()
        }
        let life = life
        node.ask(.log) { database, _, reply in
            reply(database.contains(commit.number))
        } answer: { node, isThere in
            guard node.owner === self, self.life == life else { return }
            switch isThere {
            case true: self.committed()
            case false: self.put()
            default: self.doubt(commit)
            }
        }
    }

    private func doubt(_ commit: Commit) {
        guard node.uptime - commit.begun < Self.commitPatience else { return suspend(reloads: true) }
        inThisCore(after: 250) { $0.settle() }
    }

    /// Another generation for what this node holds, on a new connection: false where another holds it, nil where nobody says.
    private func renew(_ then: @escaping (OwnerPart, Bool?) -> Void) {
        if world.plant == .noFence { return after(1) { then($0, true) } }
        node.ask(.log) { (database, connection, reply: @escaping (DatabaseTransaction.Outcome) -> Void) in
            database.begin(.claimAnew, on: connection, reply: reply)
        } answer: { node, outcome in
            guard node.owner === self else { return }
            switch outcome {
            case .claimed(let row):
                self.row = row
                self.isInDoubt = false
                then(self, true)
            case .fenced, .refused, .committed: then(self, false)
            case .none: then(self, nil)
            }
        }
    }
}

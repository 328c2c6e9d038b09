import PushPlanner
import RelayCore
import RelayModel
import RelayNode
import RelayProtocol

/// The relay as a process: the product's core with the machines around it, a disk that may answer ambiguously, and an end at any
/// moment.
final class RelayProcess {
    unowned let world: World
    /// Nil while the process is down.
    private var core: CoreMachine?
    /// Numbers of the current process, and of the core in it; work that an earlier one waited for is dropped.
    private var life = 0
    private var coreLife = 0
    /// True if new peers are refused.
    private var isShut = false
    private var bootedAt: Int64 = 0
    private var timers: [RelayTimer: Int] = [:]
    private var lastTimer = 0
    private var isTickArmed = false
    private var underWay: Commit?
    private var batches = 0
    private(set) var readsUnderWay = 0
    /// Milliseconds by which its wall clock is ahead of the truth.
    var wallOffset: Int64 = 0
    /// End of its last tick, by its own clock.
    private(set) var tickedAt: Int64 = 0

    /// A batch that was given to the disk.
    private final class Commit {
        let batch: LogBatch
        var tries: CommitTries
        var isDurable = false
        /// Names of approvals in it that the log has been given.
        var names: [ApprovalName] = []
        /// True if the disk fails each attempt from now on, without saying what it has.
        var isStuck = false

        init(_ batch: LogBatch, at now: Int64) { (self.batch, tries) = (batch, CommitTries(at: now)) }
    }

    var isUp: Bool { core != nil }
    /// True if a new peer is accepted. One that arrives at the moment when that ends may be accepted as well.
    var isOpen: Bool { isUp && (!isShut || world.dice.chance(0.1)) }
    /// Nil while the process is down, or does not know what is on its disk.
    var relay: Relay? { core.flatMap { $0.isServing ? $0.relay : nil } }

    init(world: World) { self.world = world }

    var wall: Int64 { instant.wall }

    private var instant: Instant {
        Instant(wall: world.now + World.wallAtStart + wallOffset, uptime: world.now - bootedAt)
    }

    // MARK: Life

    func start() {
        guard core == nil else { return }
        bootedAt = world.now
        guard let state = load() else { return }
        core = CoreMachine(
            Relay(
                configuration: world.relayConfiguration, epochs: Epochs(ofLog: world.log.epoch, first: World.workspace.id),
                state: state, boot: boot, at: instant))
        isShut = false
        world.trace.note(world.now, "relay", "starts", boot)
        begin { $0.begin(at: $1, holders: nil) }
    }

    private var boot: String { "life \(life)" }

    private func load() -> LogState? {
        do {
            var state = try world.log.load(resolvedSince: instant.wall - SessionLimits.resolvedApprovalsAge)
            if world.plant == .forgottenPlace { state.removed = [] }
            if world.plant == .forgottenCosts { state.records.removeAll { $0.kind == .cost } }
            if world.plant == .forgottenSpending { state.records.removeAll { $0.name.hasPrefix("spent/") } }
            if world.plant == .forgetfulOutbox { state.records.removeAll { $0.kind == .card } }
            if world.plant == .forgetfulLog { state.approvals.removeAll { !$0.approval.stage.isFinal } }
            return state
        } catch {
            world.report(.replay, "the relay cannot read what it stored: \(error.message)")
            return nil
        }
    }

    private func begin(_ begin: (inout CoreMachine, Instant) -> [Effect]) {
        guard var fresh = core else { return }
        world.pushes?.relayStarts(after: fresh.relay.planner.lastPush)
        let effects = begin(&fresh, instant)
        core = fresh
        world.pushes?.started(fresh.relay)
        world.checkReplay()
        run(effects)
        armTick()
    }

    /// Ends the process at once, in the middle of its work. A batch given to the disk is then stored or not.
    func crash() {
        guard isUp else { return }
        world.trace.note(world.now, "relay", "crashes")
        settleDisk()
        core = nil
        life += 1
        forget()
        world.pushes?.relayCrashed()
        let isSilent = world.dice.chance(0.2)
        for connection in world.connections.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            connection.isOpenAtRelay = false
            if isSilent { world.silence(connection) } else { world.cut(connection) }
        }
        world.after(world.dice.within(50...4_000)) { $0.relay.start() }
    }

    /// Drops the core: the answers to its orders are no longer delivered.
    private func forget() {
        coreLife += 1
        timers = [:]
        isTickArmed = false
        readsUnderWay = 0
    }

    // MARK: Facts

    func received(_ bytes: [UInt8], on connection: Connection) {
        guard core?.isServing == true else { return }
        world.sealing?.reached(bytes, from: connection.name)
        world.trace.note(world.now, connection.name, "→", bytes: bytes, String(decoding: bytes.prefix(400), as: UTF8.self))
        switch connection.role {
        case .host:
            do throws(WireError) {
                feed(.hostSent(connection.id, try HostMessage(parsing: bytes)))
            } catch {
                world.report(.completeness, "the relay does not understand what a host's own codec wrote: \(error)")
            }
        case .client, .phone:
            do throws(ClientMessageError) {
                let message = try ClientMessage(parsing: bytes)
                if case .phone = connection.role {
                    // The core that knew the peer is gone, and the checkers of pushes rely on what the current one knows.
                    if connection.isDismissed || world.pushes?.received(message, on: connection) == false { return }
                }
                feed(.clientSent(connection.id, message))
            } catch {
                world.report(.view, "the relay does not understand what a client's own codec wrote: \(error)")
            }
        }
    }

    func feed(_ input: Input) {
        // The planner adjusts to a clock that was set before the relay takes the input, so that its plans show the state before it.
        if relay?.planner.isBehindClock(at: instant) == true { take(.namesTaken([])) }
        take(input)
        if case .tickEnded = input { return }
        armTick()
    }

    private func take(_ input: Input) {
        guard let effects = core?.handle(input, at: instant) else { return }
        if let pushes = world.pushes, let relay { pushes.looked(at: relay) }
        run(effects)
    }

    private func tell(_ fact: CoreMachine.Fact) {
        if relay?.planner.isBehindClock(at: instant) == true { take(.namesTaken([])) }
        guard let orders = core?.handle(fact, at: instant) else { return }
        if let pushes = world.pushes, let relay { pushes.looked(at: relay) }
        let life = life
        for order in orders where life == self.life { carryOut(order) }
        armTick()
    }

    /// Input that arrives within a moment belongs to one tick.
    private func armTick() {
        guard !isTickArmed, isUp else { return }
        isTickArmed = true
        inThisLife(after: world.dice.within(0...1)) { process in
            process.isTickArmed = false
            process.tickedAt = process.instant.wall
            process.feed(.tickEnded)
            process.world.checkMemory()
        }
    }

    /// Runs the action later, unless the core has been replaced.
    func inThisLife(after wait: Int64, _ action: @escaping (RelayProcess) -> Void) {
        let coreLife = coreLife
        world.after(wait) { world in
            if world.relay.coreLife == coreLife, world.relay.isUp { action(world.relay) }
        }
    }

    private func inThisProcess(after wait: Int64, _ action: @escaping (RelayProcess) -> Void) {
        let life = life
        world.after(wait) { world in
            if world.relay.life == life, world.relay.isUp { action(world.relay) }
        }
    }

    // MARK: Orders

    private func carryOut(_ order: CoreMachine.Order) {
        switch order {
        case .run(let effects): run(effects)
        case .shutOut(let isShut):
            self.isShut = isShut
            if isShut { world.trace.note(world.now, "relay", "is suspended") }
        case .dismiss(let hosts, let clients):
            if world.plant == .unheardSuspension { return }
            let window = ReturnWindow(peers: hosts.count + clients.count)
            for peer in hosts { dismiss(peer, window.forHosts) }
            for peer in clients { dismiss(peer, window.forClients) }
        case .forget: forget()
        case .loadLater(let wait): inThisProcess(after: wait) { $0.tell(.loadFellDue) }
        case .load: loadAgain()
        case .beginAgain:
            // Not earlier: only now is it decided which pushes of the last batch are on disk.
            world.pushes?.relayCrashed()
            begin { $0.beginAgain(at: $1) }
        case .release: preconditionFailure("a relay that is alone keeps its workspace")
        }
    }

    private func dismiss(_ peer: PeerID, _ window: ClosedRange<Int64>) {
        guard let connection = world.connections[peer] else { return }
        connection.isDismissed = true
        world.relayCloses(connection, .restarting, CloseCode.restarting(inMilliseconds: world.dice.within(window)))
    }

    private func run(_ effects: [Effect]) {
        for effect in effects {
            if world.dice.chance(world.faults.relayCrash) { return crash() }
            switch effect {
            case .send(let bytes, let peers): send(bytes, to: peers)
            case .answer(let reply, let command, let peer): world.pushes?.answered(reply, to: command, of: peer)
            case .close(let peer, let code): if let connection = world.connections[peer] { world.relayCloses(connection, code) }
            case .append(let batch): commit(batch)
            case .read(let id, let query): read(id) { .pageRead(id, $0.planted(try $0.log.page(query))) }
            case .readRemovedSessions(let id, let keys):
                read(id) { world in .removedSessionsRead(id, world.plant == .forgottenPlace ? [:] : world.log.places(of: keys))
                }
            case .readApproval(let id, let key, let approval):
                read(id) { .approvalRead(id, try $0.log.approval(approval, of: key)) }
            case .armTimer(let timer, let wait): arm(timer, wait)
            case .cancelTimer(let timer): timers[timer] = nil
            case .push(let order): world.pushes?.ordered(order)
            // Every ordered push is on its way and is sent once.
            case .withdrawPush: break
            // There are no pictures in this world.
            case .findPictures(let peer, let request, _):
                inThisLife(after: 0) { $0.feed(.picturesFound(peer, request, .lacking)) }
            case .makePairingCode, .workspaceLeft, .quotaReached, .historyRemoved, .used, .clockJudged: break
            }
        }
    }

    private func arm(_ timer: RelayTimer, _ wait: Int64) {
        if world.plant == .sleepingCards, case .push(.card) = timer { return }
        if world.plant == .sleepingDigest, case .push(.digest) = timer { return }
        lastTimer += 1
        let number = lastTimer
        timers[timer] = number
        inThisLife(after: wait) { process in
            guard process.timers[timer] == number else { return }
            process.timers[timer] = nil
            process.feed(.timerFired(timer))
        }
    }

    private func send(_ bytes: [UInt8], to peers: [PeerID]) {
        // A broadcast lists its peers in no order; each has its own connection.
        let open = peers.sorted { $0.rawValue < $1.rawValue }.compactMap { world.connections[$0] }
        world.pushes?.sent(to: peers)
        guard let first = open.first else { return }
        do throws(WireError) {
            if case .host(let index) = first.role {
                let message = try MessageToHost(parsing: bytes)
                world.checkDurable(message)
                world.trace.note(
                    world.now, "relay", "⇒", bytes: bytes, "\(first.name) \(String(decoding: bytes, as: UTF8.self))")
                for connection in open {
                    world.sendToPeer(bytes.count, on: connection) { world in
                        world.hosts[index].received(message, on: connection)
                    }
                }
            } else {
                let message = try MessageToClient(parsing: bytes)
                world.checkDurable(message)
                world.trace.note(
                    world.now, "relay", "⇒", bytes: bytes,
                    "\(open.map(\.name).joined(separator: ",")) \(String(decoding: bytes.prefix(600), as: UTF8.self))")
                for connection in open {
                    if case .phone = connection.role {
                        world.sendToPeer(bytes.count, on: connection) { world in
                            world.phone(connection).received(message, on: connection)
                        }
                    }
                    guard case .client(let index) = connection.role else { continue }
                    let seen = world.planted(message)
                    world.sendToPeer(bytes.count, on: connection) { world in
                        if let seen { world.clients[index].received(seen, on: connection) }
                    }
                }
            }
        } catch {
            world.report(.view, "the relay sends what its own codec refuses: \(error.path) \(error.message)")
        }
    }

    // MARK: The disk

    /// Prepares every second batch's messages before it is on disk, which must make no difference.
    private func prepareSome() {
        batches += 1
        if batches % 2 == 0 { core?.prepare() }
    }

    private func commit(_ batch: LogBatch) {
        defer { prepareSome() }
        guard underWay == nil else { return world.report(.memory, "two batches are being committed at once") }
        let commit = Commit(batch, at: instant.uptime)
        underWay = commit
        put(commit)
    }

    /// One attempt to commit: the batch reaches the disk at some moment between the order and the answer, or never.
    private func put(_ commit: Commit) {
        let faults = world.faults
        if !commit.isStuck, world.isLogFull || world.dice.chance(faults.refusedCommit) {
            return inThisLife(after: world.dice.within(1...20)) { $0.failed(commit, .full) }
        }
        var durable = world.dice.within(0...3)
        var answered = durable + world.dice.within(0...2)
        if world.dice.chance(faults.slowCommit) {
            durable = world.dice.within(50...3_000)
            answered = durable + world.dice.within(0...1_000)
        }
        if world.dice.chance(faults.fatalCommit) { commit.isStuck = true }
        let isUnclear = commit.isStuck || world.dice.chance(faults.unclearCommit)
        if world.plant == .answerBeforeDurable { (durable, answered) = (answered + 5, durable) }
        if !isUnclear || world.dice.chance(0.5) { inThisLife(after: durable) { $0.makeDurable(commit) } }
        inThisLife(after: answered) { isUnclear ? $0.failed(commit, .inDoubt) : $0.commitEnded(.committed(commit.names)) }
    }

    private func failed(_ commit: Commit, _ code: LogError.Code) {
        world.trace.note(world.now, "disk", "fails", "\(code)")
        if code == .inDoubt {
            switch world.plant {
            case .hastyCommit: return commitEnded(.committed([]))
            case .carelessRefusal: return commitEnded(.refused("in doubt"))
            default: break
            }
        }
        switch commit.tries.failed(LogError(code, "the disk fails"), at: instant.uptime) {
        case .again(let wait): inThisLife(after: wait) { $0.put(commit) }
        case .ended(let outcome): commitEnded(outcome)
        }
    }

    private func commitEnded(_ outcome: CommitTries.Outcome) {
        if case .unknown = outcome {
            if world.plant == .stubbornCore {
                settleDisk()
                return commitEnded(.refused("unknown"))
            }
        } else {
            underWay = nil
        }
        tell(.commitEnded(outcome))
    }

    /// Settles a batch whose result is no longer awaited: it is stored or not.
    private func settleDisk() {
        guard let commit = underWay else { return }
        let isOnDisk = world.dice.chance(0.5)
        world.trace.note(world.now, "disk", isOnDisk || commit.isDurable ? "has its batch" : "does not have its batch")
        if isOnDisk { makeDurable(commit) }
        underWay = nil
    }

    private func loadAgain() {
        let isReadable = !world.dice.chance(world.faults.failedRead)
        inThisProcess(after: world.dice.within(1...50)) { process in
            guard isReadable else { return process.tell(.loadFailed) }
            let early = process.world.plant == .earlyLoad ? process.load() : nil
            process.settleDisk()
            if let state = early ?? process.load() { process.tell(.loaded(state, boot: process.boot)) }
        }
    }

    private func makeDurable(_ commit: Commit) {
        guard !commit.isDurable else { return }
        commit.isDurable = true
        do throws(LogError) { commit.names = try world.log.commit(commit.batch) } catch {
            world.report(.retention, error.message)
        }
        if let complaint = world.log.complaint { world.report(complaint.checker, complaint.sentence) }
        world.checkCompleteness(of: commit.batch)
        world.checkBudgets(of: commit.batch)
        world.pushes?.stored(commit.batch)
        world.trace.note(
            world.now, "disk", "has", "\(commit.batch.appends.map { "\($0.key.session) through \($0.state.seq)" })")
    }

    private func read(_ id: ReadID, _ answer: @escaping (World) throws -> Input) {
        readsUnderWay += 1
        let wait = world.dice.chance(world.faults.slowCommit) ? world.dice.within(50...2_000) : world.dice.within(0...3)
        let fails = world.dice.chance(world.faults.failedRead)
        inThisLife(after: wait) { process in
            process.readsUnderWay -= 1
            if fails { return process.feed(.readFailed(id, reason: "the disk failed", isLasting: false)) }
            do { process.feed(try answer(process.world)) } catch {
                process.feed(.readFailed(id, reason: "\(error)", isLasting: true))
            }
        }
    }
}

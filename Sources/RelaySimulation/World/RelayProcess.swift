import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// The relay as a process: the real core, a runner around it, and its end at any moment.
final class RelayProcess {
    unowned let world: World
    /// Nil while the process is down.
    private(set) var relay: Relay?
    /// The current life of the process; work that an earlier one waited for is dropped.
    private var life = 0
    private var bootedAt: Int64 = 0
    private var timers: [RelayTimer: Int] = [:]
    private var lastTimer = 0
    private var isTickArmed = false
    private var underWay: Commit?
    private var batches = 0
    private(set) var readsUnderWay = 0
    /// Milliseconds by which its wall clock is ahead of the truth.
    var wallOffset: Int64 = 0
    /// When its last tick ended, by its own clock.
    private(set) var tickedAt: Int64 = 0

    /// A batch that the disk was given.
    private final class Commit {
        let batch: LogBatch
        var isDurable = false

        init(_ batch: LogBatch) { self.batch = batch }
    }

    var isUp: Bool { relay != nil }
    var timerCount: Int { timers.count }

    init(world: World) { self.world = world }

    var wall: Int64 { instant.wall }

    private var instant: Instant {
        Instant(wall: world.now + World.wallAtStart + wallOffset, uptime: world.now - bootedAt)
    }

    // MARK: Life

    func start() {
        guard relay == nil else { return }
        bootedAt = world.now
        do {
            let wall = instant.wall
            var state = try world.log.load(
                resolvedSince: wall - SessionLimits.resolvedApprovalsAge, commandsSince: wall - 24 * 3_600_000)
            if world.plant == .forgottenPlace { state.removed = [] }
            if world.plant == .forgottenSpending { state.records.removeAll { $0.name.hasPrefix("spent/") } }
            if world.plant == .forgetfulOutbox { state.records.removeAll { $0.kind == .card } }
            if world.plant == .forgetfulLog { state.approvals.removeAll { !$0.approval.stage.isFinal } }
            var fresh = Relay(
                configuration: world.relayConfiguration, epochs: Epochs(ofLog: world.log.epoch, first: World.workspace.id),
                state: state, boot: "life \(life)", at: instant
            )
            world.pushes?.relayStarts(after: fresh.planner.lastPush)
            let effects = fresh.started(at: instant)
            relay = fresh
            world.pushes?.started(fresh)
            world.trace.note(world.now, "relay", "starts", "life \(life)")
            world.checkReplay()
            run(effects)
            armTick()
        } catch {
            world.report(.replay, "the relay cannot read what it stored: \(error.message)")
        }
    }

    /// At once, in the middle of whatever it does. A batch that the disk was given is on it, or it is not.
    func crash() {
        guard relay != nil else { return }
        let isOnDisk = world.dice.chance(0.5)
        world.trace.note(world.now, "relay", "crashes", underWay == nil ? "" : "its batch is \(isOnDisk ? "" : "not ")on disk")
        if isOnDisk, let underWay { makeDurable(underWay) }
        underWay = nil
        relay = nil
        life += 1
        timers = [:]
        isTickArmed = false
        readsUnderWay = 0
        world.pushes?.relayCrashed()
        let isSilent = world.dice.chance(0.2)
        for connection in world.connections.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            connection.isOpenAtRelay = false
            if isSilent { world.silence(connection) } else { world.cut(connection) }
        }
        world.after(world.dice.within(50...4_000)) { $0.relay.start() }
    }

    // MARK: Facts

    func received(_ bytes: [UInt8], on connection: Connection) {
        guard isUp else { return }
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
                if case .phone = connection.role, world.pushes?.received(message, on: connection) == false { return }
                feed(.clientSent(connection.id, message))
            } catch {
                world.report(.view, "the relay does not understand what a client's own codec wrote: \(error)")
            }
        }
    }

    func feed(_ input: Input) {
        // The planner follows a clock that was set before the relay takes the input, so that what it plans then shows the state before it.
        if relay?.planner.isBehindClock(at: instant) == true { take(.namesTaken([])) }
        take(input)
        if case .tickEnded = input { return }
        armTick()
    }

    private func take(_ input: Input) {
        guard let effects = relay?.handle(input, at: instant) else { return }
        if let relay { world.pushes?.looked(at: relay) }
        run(effects)
    }

    /// Everything that becomes readable within a moment is one tick.
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

    func inThisLife(after wait: Int64, _ action: @escaping (RelayProcess) -> Void) {
        let life = life
        world.after(wait) { world in
            if world.relay.life == life, world.relay.isUp { action(world.relay) }
        }
    }

    // MARK: Orders

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
            // Whatever was ordered is on its way here, and is sent once.
            case .withdrawPush: break
            // This world has no pictures.
            case .findPictures(let peer, let request, _):
                inThisLife(after: 0) { $0.feed(.picturesFound(peer, request, .lacking)) }
            case .makePairingCode, .workspaceLeft, .quotaReached, .historyRemoved, .clockJudged: break
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
        // A fan-out names its peers in no order; each has its own connection.
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

    /// Prepares every other batch's messages before it is on disk, which must make no difference.
    private func prepareSome() {
        batches += 1
        if batches % 2 == 0 { relay?.prepare() }
    }

    /// A batch is on disk at some moment between its order and the answer, or never.
    private func commit(_ batch: LogBatch) {
        defer { prepareSome() }
        guard underWay == nil else { return world.report(.memory, "two batches are being committed at once") }
        let commit = Commit(batch)
        underWay = commit
        let faults = world.faults
        if world.isLogFull || world.dice.chance(faults.refusedCommit) {
            return inThisLife(after: world.dice.within(1...20)) { process in
                process.underWay = nil
                process.world.trace.note(process.world.now, "disk", "refuses", "")
                process.feed(.commitFailed(reason: "no space"))
            }
        }
        var durable = world.dice.within(0...3)
        var answered = durable + world.dice.within(0...2)
        if world.dice.chance(faults.slowCommit) {
            durable = world.dice.within(50...3_000)
            answered = durable + world.dice.within(0...1_000)
        }
        if world.dice.chance(faults.unclearCommit) {
            // The first try reports an error, whatever it did; the same batch is given again until its state is known.
            if world.dice.chance(0.5) { durable += 250 }
            answered = max(answered, durable) + 250 * world.dice.within(1...6)
        }
        let isFatal = world.dice.chance(faults.fatalCommit)
        if world.plant == .answerBeforeDurable { (durable, answered) = (answered + 5, durable) }
        if !isFatal || world.dice.chance(0.5) { inThisLife(after: durable) { $0.makeDurable(commit) } }
        inThisLife(after: answered) { process in
            // The state of the disk is unknown: the process ends, and the next one reads it.
            if isFatal { return process.crash() }
            process.underWay = nil
            process.feed(.committed)
        }
    }

    private func makeDurable(_ commit: Commit) {
        guard !commit.isDurable else { return }
        commit.isDurable = true
        do throws(LogError) { try world.log.commit(commit.batch) } catch { world.report(.retention, error.message) }
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

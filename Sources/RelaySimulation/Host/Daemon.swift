import HostCore
import RelayProtocol

/// One life of a host's daemon: the real spool over a simulated disk, the real link machine over a simulated network, and an
/// adapter that does with approvals what an adapter must.
final class Daemon {
    unowned let world: World
    unowned let machine: HostMachine
    let spool: Spool
    private var link: LinkMachine
    var adapter = Adapter()
    var connection: Connection?
    private var greeting = 0
    private var isFlushArmed = false
    /// Where in the spool the open approvals were asked.
    var asked: [ApprovalID: (session: SessionID, seq: Int64)] = [:]
    private var isDiskRetryArmed = false
    private let life: Int
    private var isAlive: Bool { machine.daemon === self }

    init(world: World, machine: HostMachine, life: Int) throws(SpoolError) {
        self.world = world
        self.machine = machine
        self.life = life
        var limits = SpoolLimits()
        limits.bytesMax = world.configuration.spoolBytesMax
        limits.segmentBytesMax = world.configuration.spoolSegmentBytesMax
        let name = machine.name
        spool = try Spool(disk: machine.disk, limits: limits) { [unowned world] entry in
            switch entry {
            case .took, .refused: return
            default: break
            }
            world.trace.note(world.now, name, "spool", "\(entry)")
            // Its files are never lost here: what was sent was synchronized before.
            if case .renumbered(let session, _) = entry {
                world.report(.completeness, "\(name) numbers \(session) anew")
            }
        }
        link = LinkMachine(software: "simulated", name: name)
    }

    func start() {
        adapter.restore(spool.index.notes, until: world.now + Adapter.reclaimWithin)
        drive(.started)
        for agent in machine.agents { for run in adapter.runs(of: agent) where run != agent.run { gone(run, agent) } }
        everySecond()
    }

    private func everySecond() {
        guard isAlive else { return }
        resolveOverdue()
        machine.inThisLife(after: 1_000) { $0.everySecond() }
    }

    // MARK: The link

    func drive(_ input: LinkMachine.Input) {
        guard isAlive else { return }
        let active = machine.agents.map(\.session)
        for effect in link.handle(input, index: spool.index, active: active, at: machine.instant) {
            if world.dice.chance(world.faults.hostCrash) { return machine.crash() }
            carryOut(effect)
            guard isAlive else { return }
        }
        armFlush()
        if spool.isFailing { armDiskRetry() }
    }

    private func carryOut(_ effect: LinkMachine.Effect) {
        switch effect {
        case .connect: connection = world.connect(.host(machine.index))
        case .send(let bytes): if let connection { world.sendToRelay(bytes, on: connection) }
        case .close(let code):
            if let connection { world.peerCloses(connection, CloseCode(rawValue: code) ?? .goingAway) }
        case .retryAfter(let wait): machine.inThisLife(after: wait.milliseconds) { $0.drive(.retry) }
        case .expectWelcome(let within):
            greeting += 1
            let greeting = greeting
            machine.inThisLife(after: within.milliseconds) { if $0.greeting == greeting { $0.drive(.welcomeOverdue) } }
        case .resendAfter(let wait): machine.inThisLife(after: wait.milliseconds) { $0.drive(.resendDue) }
        case .acknowledge(let session, let through): spool.acknowledge(session, through: through)
        case .drop(let session, let seq): spool.drop(session, seq: seq)
        case .decide(let session, let approval, let digest, let decision): decided(session, approval, digest, decision)
        case .hold(let holds): if world.plant != .deafHost { machine.holds = holds }
        case .linkChanged(let isLive):
            if isLive { greeting += 1 }
            world.trace.note(world.now, machine.name, "link", isLive ? "is live" : "is down")
        case .log(let entry): world.trace.note(world.now, machine.name, "logs", "\(entry)")
        }
    }

    var isLive: Bool { link.isLive }

    private func armFlush() {
        guard !isFlushArmed, link.isLive else { return }
        isFlushArmed = true
        machine.inThisLife(after: 1) { daemon in
            daemon.isFlushArmed = false
            daemon.flush()
        }
    }

    /// As the real daemon does it: nothing leaves before it is on disk.
    private func flush() {
        guard isAlive, let connection, link.isLive else { return }
        do throws(SpoolError) {
            try spool.synchronize()
            machine.ledger.synchronized()
            while let question = link.nextQuestion(spool.index) { world.sendToRelay(question, on: connection) }
            while let batch = link.nextBatch(spool.index) {
                guard let events = try read(batch) else { return drive(.sendAgain) }
                let message = HostMessage.events(
                    HostEvents(session: batch.session, first: batch.first, isAfterGap: batch.isAfterGap, events: events))
                world.sendToRelay(message.bytes, on: connection)
                if world.dice.chance(world.faults.hostCrash) { return machine.crash() }
            }
        } catch {
            world.trace.note(world.now, machine.name, "cannot send", error.message)
            armDiskRetry()
        }
    }

    /// Nil where one of them was damaged: that one is a gap now. This disk loses nothing that it said it has.
    private func read(_ batch: SpoolIndex.Batch) throws(SpoolError) -> [Event]? {
        var events: [Event] = []
        for bytes in try spool.read(batch) {
            guard let event = try? Event(stored: bytes) else {
                world.report(.completeness, "the spool of \(machine.name) gives back what is no event")
                return nil
            }
            events.append(event)
        }
        return events
    }

    private func armDiskRetry() {
        guard !isDiskRetryArmed else { return }
        isDiskRetryArmed = true
        machine.inThisLife(after: 5_000) { daemon in
            daemon.isDiskRetryArmed = false
            daemon.retryDisk()
        }
    }

    private func retryDisk() {
        do throws(SpoolError) {
            try spool.retry()
            machine.ledger.wroteOwed()
        } catch {
            return armDiskRetry()
        }
        drive(.sendAgain)
    }

    // MARK: Recording

    struct Record {
        var session: SessionID
        var head: EventHead
    }

    /// All of it with one write, or nothing. What is lost so takes its numbers with it.
    func record(_ records: [Record], notes: [(key: String, note: [UInt8]?)] = []) -> Bool {
        let wall = machine.instant.wall
        let events = records.map { (session: $0.session, event: Event($0.head, at: wall)) }
        return write(events.map { ($0.session, $0.event) }, notes)
    }

    private func write(_ events: [(session: SessionID, event: Event)], _ notes: [(key: String, note: [UInt8]?)]) -> Bool {
        guard isAlive else { return false }
        if world.dice.chance(world.faults.hostCrash) {
            machine.crash()
            return false
        }
        let items = events.map { Self.item($0.session, $0.event) } + notes.map { .note($0.key, $0.note) }
        guard !items.isEmpty else { return true }
        defer { if isAlive { spool.isFailing ? armDiskRetry() : armFlush() } }
        do throws(SpoolError) {
            let numbers = try spool.append(items)
            machine.ledger.wroteOwed()
            for (number, event) in zip(numbers, events) {
                if let complaint = machine.ledger.wrote(event.session, number, event.event.bytes) {
                    world.report(.completeness, complaint)
                }
                if case .approvalRequested(let request) = event.event.head { asked[request.approval] = (event.session, number) }
            }
            for note in notes where note.note == nil {
                guard let id = ApprovalID(note.key), let place = asked.removeValue(forKey: id) else { continue }
                spool.release(place.session, seq: place.seq)
            }
            if world.plant == .leakySpool, let event = events.last { machine.ledger.misremember(event.session) }
            return true
        } catch {
            world.trace.note(world.now, machine.name, "cannot write", "\(events.count) events: \(error.message)")
            for (item, event) in zip(items, events) {
                if case .owed = item {
                    machine.ledger.owes(event.session, event.event.bytes)
                } else {
                    machine.ledger.skipped(event.session, event.event.bytes)
                }
            }
            return false
        }
    }

    /// The end of what others wait for comes late rather than never. A question does not: its hook was told that nobody decides.
    private static func item(_ session: SessionID, _ event: Event) -> Spool.Item {
        switch event.head {
        case .approvalApplied, .approvalCancelled, .approvalStale, .sessionStarted, .sessionEnded: .owed(session, event.bytes)
        case .approvalRequested, .approvalDelivered: .event(session, event.bytes, isKept: true)
        default: .event(session, event.bytes, isKept: false)
        }
    }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

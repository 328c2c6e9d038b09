import AgentClaude
import AgentCodex
import AgentLocal
import HostCore
import RelayProtocol

/// One run of a host's daemon: the product's machine with a simulated disk, network, clock and callers.
final class Daemon {
    private unowned let world: World
    private unowned let host: HostProcess
    let spool: Spool
    private var machine: HostMachine
    var connection: Connection?
    /// Hooks of simulated agents that wait.
    private var callers: [HookToken: (agent: Agent, hook: Int)] = [:]
    /// The calls of real adapters that wait for an answer.
    private var waiting: [HookToken: ([UInt8]?) -> Void] = [:]
    /// The current arming of each timer; earlier ones are ignored.
    private var armings: [HostTimer: Int] = [:]
    private var isAlive: Bool { host.daemon === self }

    init(world: World, host: HostProcess) throws(SpoolError) {
        self.world = world
        self.host = host
        var limits = SpoolLimits()
        limits.bytesMax = world.configuration.spoolBytesMax
        limits.segmentBytesMax = world.configuration.spoolSegmentBytesMax
        spool = try Spool(disk: host.disk, limits: limits) { [unowned world, unowned host] in world.noted($0, at: host) }
        if world.plant == .forgottenEnds {
            let told = spool.index.notes.filter { $0.value.starts(with: #"{"told""#.utf8) }.keys.sorted()
            try spool.append(told.map { .note($0, nil) })
        }
        if world.plant == .forgottenCount {
            let counts = spool.index.notes.keys.filter { $0.hasPrefix("consent.device/") }.sorted()
            try spool.append(counts.map { .note($0, nil) })
        }
        let consent = world.consent?.consent(of: host, spool.index.notes)
        if world.plant == .forgottenEpoch, spool.index.notes["consent.epoch"] != nil {
            try spool.append([.note("consent.epoch", nil)])
        }
        host.rules?.daemonStarted()
        machine = HostMachine(
            agents: Self.agents(of: host, in: world), spool: spool,
            link: LinkMachine(
                software: "simulated", name: host.name, capabilities: world.steering == nil ? [.hold] : [.hold, .steer],
                key: consent?.key),
            boot: "\(host.name) \(host.boot)", steering: world.steering == nil ? .nobody : .everyone, consent: consent,
            rules: host.ruleSource.map { ($0, "/srv/dev") })
    }

    private static func agents(of host: HostProcess, in world: World) -> [any AgentAdapter] {
        if world.hasRealAgents {
            let codex = CodexAdapter(home: "/srv/dev", digests: SimulatedAdapter.digests, at: host.instant)
            let local = LocalAdapter(digests: SimulatedAdapter.digests, at: host.instant)
            let claude = ClaudeAdapter(home: "/srv/dev", digests: SimulatedAdapter.digests, at: host.instant)
            return [
                WatchedAdapter(claude, of: host, in: world), WatchedAdapter(codex, of: host, in: world),
                WatchedAdapter(local, of: host, in: world),
            ]
        }
        let agents: [any AgentAdapter] = host.agents.map { SimulatedAdapter($0.name, of: host, in: world) }
        guard world.steering != nil else { return agents }
        return agents + [LaunchAdapter(fresh: "\(host.index)", at: host.instant)]
    }

    var isLive: Bool { machine.isLive }
    var questions: [AgentQuestion] { machine.questions }

    // MARK: Facts

    func tell(_ fact: HostFact) {
        guard isAlive else { return }
        if case .told = fact, world.dice.chance(world.faults.hostCrash) { return host.crash() }
        let orders = machine.handle(fact, at: host.instant)
        if let complaint = host.ledger.heardAll() { world.report(.completeness, complaint) }
        // A flush precedes sending, so that nothing is sent before it is on disk.
        if case .fired(.flush) = fact, orders.contains(where: { if case .send = $0 { true } else { false } }) {
            host.ledger.synchronized()
        }
        for order in orders where isAlive { carryOut(order) }
    }

    func asked(_ ask: Agent.Ask, by agent: Agent) {
        world.lastName += 1
        let token = HookToken(rawValue: UInt64(world.lastName))
        callers[token] = (agent, ask.hook)
        tell(.told(agent: agent.name, SimulatedAdapter.Fact.asked(ask, agent.process, token)))
    }

    func hookGone(_ hook: Int) {
        for token in callers.filter({ $0.value.hook == hook }).keys {
            callers[token] = nil
            tell(.hookGone(token))
        }
    }

    // MARK: Real adapters

    /// Registers a caller that waits for an answer; nil means none.
    func token(_ answer: @escaping ([UInt8]?) -> Void) -> HookToken {
        world.lastName += 1
        let token = HookToken(rawValue: UInt64(world.lastName))
        waiting[token] = answer
        return token
    }

    // MARK: The terminal

    func asked(_ request: ConsentRequest, _ answer: @escaping ([UInt8]?) -> Void) {
        tell(.consentAsked(request, token(answer)))
    }

    // MARK: Orders

    private func carryOut(_ order: HostOrder) {
        if case .log(let entry) = order { world.consent?.logged(entry, at: host) }
        switch order {
        case .arm(let timer, let wait): arm(timer, after: wait.milliseconds)
        case .disarm(let timer): armings[timer, default: 0] += 1
        case .log(let entry): world.trace.note(world.now, host.name, "logs", Self.text(entry))
        default:
            if world.dice.chance(world.faults.hostCrash) { host.crash() } else { act(order) }
        }
    }

    /// Text of a log entry. Sets are sorted, because their order differs between processes and a seed must always give the same
    /// trace.
    private static func text(_ entry: HostLog) -> String {
        guard case .held(let holds) = entry else { return "\(entry)" }
        return "held(\(holds.everySession ? "every session" : holds.sessions.map(\.rawValue).sorted().joined(separator: " ")))"
    }

    private func act(_ order: HostOrder) {
        switch order {
        case .connect: connection = world.connect(.host(host.index))
        case .send(let said), .stream(let said):
            let bytes = world.sealing?.leaves(said, from: host) ?? said
            // For the planted fault, the checker has to know the end, which then never arrives.
            if world.plant == .forgottenEnds, String(decoding: bytes, as: UTF8.self).contains(#""stage":"taken""#),
                world.dice.chance(0.5)
            {
                _ = world.steering?.told(bytes)
                return host.crash()
            }
            if let complaint = world.steering?.told(bytes) { world.report(.steering, complaint) }
            if let complaint = host.ledger.sends(bytes) { world.report(.completeness, complaint) }
            if let connection { world.sendToRelay(bytes, on: connection) }
        case .close(let code):
            if let connection { world.peerCloses(connection, CloseCode(rawValue: code) ?? .goingAway) }
        case .saveHolds(let holds): if world.plant != .deafHost { host.holds = holds }
        case .fetchPictures(let name, _): tell(.picturesFetched(name, .refused("nobody has pictures here")))
        case .tryRules(let name, _): tell(.rulesTried(name, .refused("nobody keeps requests here")))
        case .askTerminal(let call): tell(.terminalAnswered(call.name, .typed))
        case .respond(let token, let output):
            if let answer = waiting.removeValue(forKey: token) { return answer(output) }
            guard let (agent, hook) = callers.removeValue(forKey: token) else { return }
            world.after(world.dice.within(0...2)) { _ in agent.answered(hook, output) }
        case .checkAgents(let processes):
            for process in processes where !host.isAlive(process) { tell(.agentGone(process)) }
        case .carryOut(let agent, let order):
            if let order = order as? LaunchReading { host.read(order) } else { host.carryOut(order, of: agent) }
        case .arm, .disarm, .log: break
        }
    }

    private func arm(_ timer: HostTimer, after wait: Int64) {
        armings[timer, default: 0] += 1
        let arming = armings[timer]
        world.after(wait) { [weak self] _ in
            if let self, armings[timer] == arming { tell(.fired(timer)) }
        }
    }
}

extension World {
    /// Keeps a host's checker up to date with its spool's log.
    fileprivate func noted(_ entry: SpoolLog, at host: HostProcess) {
        switch entry {
        case .took(let items, let numbers):
            if let complaint = host.ledger.took(items, numbers) { report(.completeness, complaint) }
            if plant == .leakySpool { host.ledger.misremember() }
            consent?.recorded(items, of: host)
            settled(items)
        case .refused(let items, let error):
            trace.note(now, host.name, "cannot write", "\(items.count) items: \(error.message)")
            host.ledger.refused(items)
            settled(items)
        default:
            trace.note(now, host.name, "spool", "\(entry)")
            // Its files are never lost here, because events were synchronized before they were sent.
            if case .renumbered(let session, _) = entry { report(.completeness, "\(host.name) numbers \(session) anew") }
        }
    }

    /// An approval that the desk forgets has ended.
    private func settled(_ items: [Spool.Item]) {
        for case .note(let key, nil) in items { if let id = ApprovalID(key) { freedom.ended(id) } }
    }
}

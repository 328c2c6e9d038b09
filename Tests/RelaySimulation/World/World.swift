import ChannelAPNs
import ChannelWeb
import PushPlanner
import RelayCore
import RelayModel
import RelayProtocol

/// Everything there is in one run, on one clock: the relay and its disk, hosts with their disks and agents, clients, and the
/// network between them. It runs on one thread, and gets time and randomness only from `now` and `dice`.
final class World {
    /// 2026-01-01, in milliseconds since 1970.
    static let wallAtStart: Int64 = 1_767_225_600_000
    static let heartbeat = Heartbeat(pingSeconds: 15, hangUpSeconds: 30)
    static let workspace = Named(id: WorkspaceID("home")!, name: "home")

    let configuration: SimulationSettings
    let plant: Plant?
    let shape: Shape
    var faults: Faults
    var dice: Dice
    private(set) var now: Int64 = 0
    /// Time at which any participant last sent anything.
    var lastSentAt: Int64 = 0
    private var queue = EventQueue<World>()
    var trace: Trace
    private(set) var violation: Violation?

    let log = SimulatedLog(workspaces: [World.workspace.id])
    private(set) var relay: RelayProcess!
    private(set) var hosts: [HostProcess] = []
    private(set) var clients: [ClientProcess] = []
    /// Phones, APNs and their checkers; nil if there are no phones.
    private(set) var pushes: PushWorld?
    /// Devices and their signatures; nil if no host requires any.
    private(set) var consent: ConsentWorld?
    /// Random numbers for the owners of hosts with rules; nil if none has rules.
    private(set) var ruleDice: Dice?
    /// Sealed content, and the devices that read it; nil if no host seals.
    private(set) var sealing: SealingWorld?
    /// True if the relay forges or replays while there are faults.
    private var isRelayBad = false
    var connections: [PeerID: Connection] = [:]
    var lastConnection: UInt64 = 0
    /// True if the relay's disk is full.
    var isLogFull = false
    /// True once there are no more faults, and agents begin nothing new.
    private(set) var isCalm = false
    private(set) var stepCount = 0
    private var stepsNow = 0
    /// Steps within one millisecond; more indicates a loop.
    private static let stepsAtOnceMax = 10_000

    var lastName = 0
    var decisions = DecisionChecker()
    var freedom = FreedomChecker()
    var agents = AgentChecker()
    /// True if the hosts run the product's adapters over simulated agents of their kinds, not the simulation's own adapter.
    let hasRealAgents: Bool
    var budgets = BudgetChecker()
    var costs = CostChecker()
    /// Nil if nothing is steered.
    var steering: SteeringChecker?
    /// Largest size of the core before all settles, and its contents then.
    var peak = 0
    private(set) var held: RelayCensus?

    init(seed: UInt64, configuration: SimulationSettings, isTraced: Bool) {
        self.configuration = configuration
        plant = configuration.plant
        dice = Dice(seed: seed)
        let isOfSealing = configuration.plant?.isOfSealing == true
        let isOfConsent = configuration.plant?.isOfConsent == true || isOfSealing
        hasRealAgents = configuration.hasRealAgents ?? (!isOfConsent && (seed % 4 == 1 || configuration.plant?.agent != nil))
        let isSigned = !hasRealAgents && (configuration.isSigned ?? (isOfConsent || [0, 6].contains(seed % 8)))
        if let given = configuration.shape {
            shape = given
        } else {
            let drawn = Shape.drawn(by: &dice)
            // Real adapters read files several times a second, and have nothing to do with retention.
            shape = hasRealAgents ? .short : drawn
        }
        faults = configuration.faults ?? Faults.drawn(by: &dice)
        if configuration.faults == nil {
            var errorDice = Dice(seed: seed &+ 0xBF58_476D)
            faults.drawErrors(by: &errorDice)
        }
        trace = Trace(isKept: isTraced)
        if configuration.isSteered ?? (hasRealAgents || isSigned || seed % 4 == 3 || configuration.plant?.isOfRules == true) {
            steering = SteeringChecker()
        }
        if !hasRealAgents, configuration.hasRules ?? (configuration.plant?.isOfRules ?? (seed % 3 == 2)) {
            ruleDice = Dice(seed: seed &+ 0x94D0_49BB)
        }
        relay = RelayProcess(world: self)
        let hostCount = 1 + dice.below(configuration.hostsMax)
        let clientCount = 1 + dice.below(configuration.clientsMax)
        for index in 0..<hostCount { hosts.append(HostProcess(world: self, index: index, agents: 1 + dice.below(2))) }
        for index in 0..<clientCount { clients.append(ClientProcess(world: self, index: index)) }
        if isSigned {
            var consentDice = Dice(seed: seed &+ 0x2545_F491)
            if configuration.faults == nil { faults.drawConsent(by: &consentDice, isPlanted: isOfConsent) }
            var vouchingDice = Dice(seed: seed &+ 0x1B87_3593)
            if configuration.faults == nil { faults.drawVouching(by: &vouchingDice, isPlanted: isOfConsent) }
            isRelayBad = faults.isRelayBad
            let consent = ConsentWorld(world: self, seed: seed)
            self.consent = consent
            if configuration.isSealed ?? (isOfSealing || [6, 8].contains(seed % 16)) {
                var sealingDice = Dice(seed: seed &+ 0x0DD0_5EA1)
                if configuration.faults == nil { faults.drawSealing(by: &sealingDice, isPlanted: isOfSealing) }
                sealing = SealingWorld(world: self, consent, seed: seed)
            }
        }
        if configuration.hasPhones ?? seed.isMultiple(of: 5) {
            var pushDice = Dice(seed: ~seed)
            if configuration.faults == nil { faults.drawPushes(by: &pushDice) }
            let (phones, hasChannels) = (1 + pushDice.below(2), pushDice.chance(0.5))
            // Half of the worlds with two devices besides apps have a receiver in place of the topic.
            let others: [Phone.Reach] = [.browser, (seed / 5).isMultiple(of: 2) ? .receiver : .topic]
            pushes = PushWorld(
                world: self, phones: phones, others: others.prefix(pushDice.below(3)), hasChannels: hasChannels)
        }
    }

    var relayConfiguration: Relay.Configuration {
        let retention = Retention(ageMax: shape.retentionAge, bytesMax: shape.retentionBytes)
        // Phones have only one time zone here.
        let apns = APNsChannel(broadcastBundles: pushes?.hasChannels == true ? ["org.heliograph.app"] : [])
        let web = WebChannel(pageURL: "https://relay.example")
        let ntfy = NtfyChannel(pageURL: "https://relay.example")
        let receiver = ReceiverChannel(pageURL: "https://relay.example")
        let push = PushSettings(channels: [.apns: apns, .web: web, .ntfy: ntfy, .receiver: receiver]) { zone, at in
            zone == "UTC" ? (at / 60_000 + 3 * 1_440) % 10_080 : nil
        }
        return Relay.Configuration(
            software: "simulated", heartbeat: World.heartbeat, retention: retention, push: push,
            removedSessionsMax: shape.removedSessionsMax)
    }

    /// The client's identity, as the relay knows it.
    func identity(ofClient index: Int) -> ClientIdentity {
        let known = clients[index].identity
        let scope = plant == .trustingRelay ? Scope(of: .operator) : known.scope
        return ClientIdentity(workspace: known.workspace, client: known.client, scope: scope)
    }

    // MARK: Time

    func at(_ time: Int64, _ action: @escaping EventQueue<World>.Action) { queue.add(at: max(time, now), action) }
    func after(_ wait: Int64, _ action: @escaping EventQueue<World>.Action) { at(now + max(0, wait), action) }

    /// A new unique name.
    func name(_ prefix: String) -> String {
        lastName += 1
        return "\(prefix)\(lastName)"
    }

    func report(_ checker: CheckerName, _ sentence: String) {
        guard violation == nil, checker.holdsAgainstBadRelay || !isRelayBad else { return }
        violation = Violation(checker: checker, sentence: sentence, at: now)
        trace.note(now, "checker", "sees", "\(checker.rawValue): \(sentence)")
        trace.close()
    }

    // MARK: The run

    func run() {
        relay.start()
        for host in hosts { after(dice.within(0...200)) { _ in host.start() } }
        for client in clients { after(dice.within(0...500)) { _ in client.start() } }
        pushes?.start()
        after(1_000) { $0.everySecond() }
        let duration = configuration.duration ?? shape.duration
        advance(to: duration)
        calm()
        // Cards have minimum intervals of a minute, and a push that failed several times is retried later and later.
        let calmFor = pushes == nil ? configuration.calm : configuration.calm + PushWorld.calm
        advance(to: duration + calmFor)
        let waited = advanceUntilSilent()
        if violation == nil { checkQuiet() }
        settle()
        advance(to: duration + calmFor + waited + configuration.settling)
        if violation == nil { checkSettled() }
    }

    /// Waits while agents keep working without faults, until recent events have arrived. Returns the time that took.
    private func advanceUntilSilent() -> Int64 {
        let start = now
        while violation == nil, now - lastSentAt < Self.silence, now - start < Self.silenceWithin {
            advance(to: now + Self.silence)
        }
        return now - start
    }

    private static let silence: Int64 = 1_000
    private static let silenceWithin: Int64 = 60_000

    private func advance(to end: Int64) {
        while violation == nil, let next = queue.nextAt, next <= end, let (at, action) = queue.takeNext() {
            stepsNow = at == now ? stepsNow + 1 : 0
            if stepsNow > Self.stepsAtOnceMax { return report(.convergence, "time stands still") }
            now = at
            stepCount += 1
            action(self)
        }
        now = max(now, end)
    }

    /// Faults with a probability per second.
    private func everySecond() {
        guard !isCalm else { return }
        if dice.chance(faults.clockJump) {
            let jump = dice.pick([-1, 1] as [Int64]) * dice.pick([40_000, 3_600_000, 315_360_000_000])
            let victim = dice.below(hosts.count + 1)
            // Stays after 1970: no clock shows an earlier time, and events must not contain one.
            let bounds = -Self.wallAtStart / 2...Self.wallAtStart / 2
            if victim == hosts.count {
                let before = relay.wallOffset
                tellLedgersOfClock()
                relay.wallOffset = min(max(before + jump, bounds.lowerBound), bounds.upperBound)
                tellLedgersOfClock()
                pushes?.clockWasSet(by: relay.wallOffset - before)
            } else {
                hosts[victim].wallOffset = min(max(hosts[victim].wallOffset + jump, bounds.lowerBound), bounds.upperBound)
            }
            trace.note(now, victim == hosts.count ? "relay" : "host\(victim)", "clock jumps", "by \(jump) ms")
        }
        if dice.chance(faults.diskFull) {
            let wait = dice.within(500...15_000)
            if dice.chance(0.5) {
                isLogFull = true
                after(wait) { $0.isLogFull = false }
            } else {
                let disk = dice.pick(hosts).disk
                disk.isFull = true
                after(wait) { _ in disk.isFull = false }
            }
        }
        if dice.chance(shape.budgets) { dice.pick(clients).setBudget() }
        // Often, because commands to a real agent mostly come while it does something else.
        if steering != nil, dice.chance(hasRealAgents ? 0.8 : 0.3) { dice.pick(clients).steer() }
        if dice.chance(faults.stall) { dice.pick(clients).stall(for: dice.within(1_000...60_000)) }
        if dice.chance(faults.restlessClient) { dice.pick(clients).fidget() }
        if dice.chance(faults.agentRestart) { dice.pick(hosts).restartAgent() }
        consent?.everySecond()
        for host in hosts { host.rules?.everySecond(&ruleDice!) }
        after(1_000) { $0.everySecond() }
    }

    /// Stops faults; pending work continues to wait.
    private func calm() {
        trace.note(now, "world", "calms down")
        isCalm = true
        faults = .none
        isLogFull = false
        for host in hosts { host.disk.isFull = false }
        pushes?.calm()
    }

    /// Ends all waits of agents.
    private func settle() {
        trace.note(now, "world", "settles")
        held = relay.relay?.census
        for host in hosts { host.finishAgents() }
    }
}

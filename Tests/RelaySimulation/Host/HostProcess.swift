import HeliographLink
import HostCore
import RelayCore
import RelayModel
import RelayProtocol

/// A machine with agents, a disk, and a daemon that stops and restarts.
final class HostProcess {
    private unowned let world: World
    let index: Int
    let identity: HostIdentity
    let disk: SimulatedDisk
    private var ownerRules: SimulatedRules?
    private(set) var agents: [Agent] = []
    /// The counterparts of real adapters, in a world that has those.
    private(set) var bodies: [any AgentBody] = []
    /// Requests given to adapters whose end has not been reported.
    var given: [SteeringRequest] = []
    /// Requests given by the previous daemon: its orders to an agent may arrive after it has ended.
    private var givenBefore: [SteeringRequest] = []
    private(set) var daemon: Daemon?
    private(set) var life = 0
    /// Number of the machine's current start.
    private(set) var boot = 0
    /// Milliseconds by which its wall clock is ahead of the truth.
    var wallOffset: Int64 = 0
    var ledger = CompletenessChecker()
    /// The holds that the relay sent last, as in the file that is written at once.
    var holds = Holds()
    /// Sessions about whose every tool a person wants to be asked, as its daemon knows them.
    var askingAll: Set<SessionID> = []

    var isUp: Bool { daemon != nil }
    var name: String { "host\(index)" }

    init(world: World, index: Int, agents count: Int) {
        self.world = world
        self.index = index
        let name = "host\(index)"
        identity = HostIdentity(
            workspace: World.workspace.id, host: Named(id: HostID(name)!, name: name), scope: Scope(of: .host))
        disk = SimulatedDisk(world: world)
        if world.ruleDice != nil { ownerRules = SimulatedRules(of: self, in: world) }
        guard world.hasRealAgents else {
            agents = (0..<count).map { Agent(world: world, host: index, index: $0) }
            return
        }
        let kinds = (0...count).map { _ in world.plant?.agent ?? world.dice.pick(AgentKind.allCases) }
        let threads = kinds.count { $0 == .codex }
        for index in 0..<(kinds.count { $0 == .program }) {
            bodies.append(LocalProgram(world: world, host: self, index: index))
        }
        for index in 0..<(kinds.count { $0 == .acp }) { bodies.append(ACPProgram(world: world, host: self, index: index)) }
        for index in 0..<(kinds.count { $0 == .claude }) {
            bodies.append(ClaudeTerminal(world: world, host: self, index: index))
        }
        for index in 0..<(kinds.count { $0 == .control }) {
            bodies.append(ControlProgram(world: world, host: self, index: index))
        }
        for index in 0..<(kinds.count { $0 == .typing }) {
            bodies.append(HeldTerminal(world: world, host: self, index: index))
        }
        if threads > 0 { bodies.append(CodexServer(world: world, host: self, threads: threads)) }
    }

    var instant: HostInstant {
        HostInstant(wall: World.wallAtStart + world.now + wallOffset, monotonic: world.now)
    }

    /// The owner's rules; nil if there are none, or if those that require passkeys apply.
    var rules: SimulatedRules? { world.consent?.rules(of: self) == nil ? ownerRules : nil }

    var ruleSource: (any RuleSource)? { world.consent?.rules(of: self) ?? ownerRules }

    // MARK: Life

    func start() {
        startDaemon()
        for agent in agents { world.after(world.dice.within(0...1_000)) { _ in agent.start() } }
        for body in bodies { world.after(world.dice.within(0...1_000)) { _ in body.start() } }
    }

    private func startDaemon() {
        guard daemon == nil else { return }
        do throws(SpoolError) {
            let daemon = try Daemon(world: world, host: self)
            if let complaint = ledger.opened(daemon.spool.index) { world.report(.completeness, complaint) }
            self.daemon = daemon
            world.trace.note(world.now, name, "starts", "life \(life), \(daemon.spool.index.pendingCount) events wait")
            daemon.tell(.started(holds: holds))
        } catch {
            // The disk is full or fails: the supervisor tries again.
            world.trace.note(world.now, name, "cannot start", error.message)
            world.after(2_000) { [self] _ in startDaemon() }
        }
    }

    /// Ends the process at once, or the whole machine, which loses bytes that were not synchronized.
    func crash() {
        guard let daemon else { return }
        let isPowerLoss = world.dice.chance(world.faults.powerLoss)
        world.trace.note(world.now, name, isPowerLoss ? "loses power" : "crashes")
        self.daemon = nil
        life += 1
        (givenBefore, given) = (given, [])
        if let connection = daemon.connection { world.peerIsGone(connection, silently: isPowerLoss && world.dice.chance(0.5)) }
        if isPowerLoss {
            boot += 1
            disk.losePower()
            ledger.lostPower()
            for agent in agents { agent.losePower() }
            for body in bodies { body.losePower() }
        } else {
            for agent in agents { agent.daemonGone() }
        }
        for body in bodies { body.daemonGone() }
        if world.plant == .absentHost { return }
        let wait = world.dice.within(50...(isPowerLoss ? 8_000 : 3_000))
        world.after(wait) { [self] _ in startDaemon() }
        if isPowerLoss {
            for agent in agents { world.after(wait + world.dice.within(500...2_000)) { _ in agent.start() } }
            for body in bodies { world.after(wait + world.dice.within(500...2_000)) { _ in body.start() } }
        }
    }

    // MARK: Content

    var isSealed: Bool { world.sealing?.isSealed(index) == true }

    /// The text, with a mark if this host seals its content.
    func secret(_ text: String) -> String { isSealed ? SealingWorld.mark + text : text }

    /// True also for sessions that have not begun.
    func owns(_ session: SessionID) -> Bool {
        session.rawValue.hasPrefix("h\(index)a") || session.rawValue == "\(LaunchAdapter.name)-\(index)"
    }

    func facts(of session: SessionID) -> SessionFacts {
        var facts = SessionFacts(agentName: "simulated")
        if rules != nil { facts.folder = folder(of: "here") }
        let place = session.rawValue.utf8.reduce(0) { $0 + Int($1) } % Self.projectNames.count
        facts.project = secret(Self.projectNames[place])
        guard isSealed else { return facts }
        facts.title = secret("work of \(session)")
        (facts.workingDirectory, facts.branch) = (folder(of: "here"), secret("main"))
        return facts
    }

    func isAlive(_ process: AgentProcess) -> Bool {
        agents.contains { $0.process == process } || bodies.contains { $0.isAlive(process) }
    }

    /// Restarts one of the agents.
    func restartAgent() {
        if agents.isEmpty { world.dice.pick(bodies).restart() } else { world.dice.pick(agents).restart() }
    }

    /// Agents no longer wait for anything.
    func finishAgents() {
        for agent in agents { agent.finish() }
        for body in bodies { body.finish() }
    }

    // MARK: Facts

    func tell(_ fact: HostFact) { daemon?.tell(fact) }

    func tell(_ fact: SimulatedAdapter.Fact, of agent: Agent) { daemon?.tell(.told(agent: agent.name, fact)) }

    func asked(_ ask: Agent.Ask, by agent: Agent) { daemon?.asked(ask, by: agent) }

    /// Gives a client's request to the agent.
    func steer(_ request: SteeringRequest, of agent: String) {
        agents.first { $0.name == agent }?.steered(request)
    }

    // MARK: New sessions

    static let projectNames = ["here", "moved"]
    private var projects: [ProjectOffer] {
        Self.projectNames.map { ProjectOffer(name: secret($0), folder: folder(of: $0)) }
    }
    private func folder(of project: String) -> String { "/srv/\(secret(project))" }
    /// The other project's folder was replaced by a link after it was offered.
    var allowedFolders: Set<String> { [folder(of: "here")] }

    func launch(_ order: LaunchOrder, by agent: String) { agents.first { $0.name == agent }?.launch(order) }

    func read(_ order: LaunchReading) {
        let startable = agents.map { StartableAgent(name: $0.name, title: "Simulated", modes: ["ask"]) }
        let fact: LaunchFact =
            switch order {
            case .readProjects: .read(projects, startable)
            case .resolve(let name, secret("here")): .resolved(name, folder: folder(of: "here"), reason: "")
            case .resolve(let name, _):
                .resolved(name, folder: world.plant == .strayStart ? "/elsewhere" : nil, reason: "another folder now")
            }
        daemon?.tell(.told(agent: LaunchAdapter.name, fact))
    }

    func hookGone(_ hook: Int) { daemon?.hookGone(hook) }

    // MARK: Real adapters

    /// Passes a fact to the adapter's reader.
    func tell(_ fact: some Sendable, of adapter: String) { daemon?.tell(.told(agent: adapter, fact)) }

    func carryOut(_ order: any Sendable, of adapter: String) {
        for body in bodies where body.adapter == adapter { body.carryOut(order) }
    }

    /// Takes the request that the session's agent carries out now. Requests without a name are carried out in order.
    func takeGiven(_ kind: SteeringAction.Kind, in session: SessionID) -> SteeringRequest? {
        let isIt = { (request: SteeringRequest) in request.session == session && request.action.kind == kind }
        return given.firstIndex(where: isIt).map { given.remove(at: $0) }
            ?? givenBefore.firstIndex(where: isIt).map { givenBefore.remove(at: $0) }
    }

    func opened(_ connection: Connection) {
        guard let daemon, daemon.connection === connection else { return world.peerCloses(connection, .goingAway) }
        daemon.tell(.linkOpened)
    }

    func received(_ message: MessageToHost, on connection: Connection) {
        guard let daemon, daemon.connection === connection else { return }
        if case .outstanding = message, world.plant == .unheardOutstanding { return }
        if let consent = world.consent { consent.tell(message, to: self) } else { daemon.tell(.received(message)) }
        // A faulty relay also sends one question's decision to another question.
        guard case .decision(_, _, let digest, let decision) = message, world.dice.chance(world.faults.strayDecision),
            let other = daemon.questions.first(where: { $0.isOpen && $0.digest != digest })
        else { return }
        world.trace.note(world.now, name, "gets astray", "what \(decision.command) decided, for \(other.approval)")
        daemon.tell(.received(.decision(other.session, other.approval, digest, decision)))
    }

    func closed(_ connection: Connection, _ end: LinkEnd) {
        guard let daemon, daemon.connection === connection else { return }
        daemon.connection = nil
        daemon.tell(.linkClosed(end, dice: world.dice.fraction()))
    }
}

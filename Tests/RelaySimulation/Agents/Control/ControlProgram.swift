import AgentClaude
import HostCore
import RelayProtocol

/// `heliograph run` over a simulated Claude Code: the product's machine, the pipes between the two, its connection to the daemon,
/// and the person at its terminal, if there is one. When the program exits, the agent loses its input and ends.
final class ControlProgram: AgentBody {
    let adapter = ClaudeHooks.adapter
    private unowned let world: World
    private unowned let host: HostProcess
    private let index: Int
    private let child: ControlAgent
    private var machine: ClaudeControl
    private var pipes: ProgramPipes
    private var person: ControlPerson
    /// The connections of this run, and of earlier runs that still have to report their end.
    private var lines: [SteeringLine] = []
    private var permissions = PermissionChecker()
    /// Time for which a permission waits if no person is at the terminal.
    private var patience: Int64?
    private var life = 0
    private var isUp = false
    private var isFinished = false
    private var arming = 0
    private var hasAgentEnded = false
    /// Clients' requests, by the agent's requests that carry them out.
    private var steered: [String: SteeringRequest] = [:]
    /// Requests that the end of the agent carries out as well.
    private var stopped: [SteeringRequest] = []
    private var plants: ControlPlants

    init(world: World, host: HostProcess, index: Int) {
        self.world = world
        self.host = host
        self.index = index
        plants = ControlPlants(plant: world.plant)
        child = ControlAgent(world: world, host: host, index: index)
        machine = ClaudeControl(session: "", seed: "", hasTerminal: false, digests: SimulatedAdapter.digests)
        pipes = ProgramPipes(world: world)
        person = ControlPerson(world: world, isThere: false)
        child.isOwn = { [unowned self] in person.typed.contains($0) }
        child.left = { [unowned self] in agentEnded() }
        child.carriedOut = { [unowned self] id in
            guard let request = steered.removeValue(forKey: id) else { return }
            stopped.removeAll { $0.name == request.name }
            world.checkTaken(request)
        }
    }

    private var agent: ClaudeAgent { child.agent }
    var asks: [AgentAsk] { agent.asksAfar }
    var untold: [AgentAsk] { agent.untold }
    var sessions: [(id: SessionID, status: SessionStatus?)] { agent.sessions }
    func isAlive(_ process: AgentProcess) -> Bool { agent.isUp && process == agent.hooks.process }

    // MARK: Life

    func start() {
        guard !isUp, !isFinished else { return }
        life += 1
        (isUp, hasAgentEnded) = (true, false)
        (steered, stopped, permissions) = ([:], [], PermissionChecker())
        plants = ControlPlants(plant: world.plant)
        pipes = ProgramPipes(world: world)
        let isThere = world.dice.chance(0.6)
        patience = isThere ? nil : world.dice.within(5...60) * 1_000
        let past = agent.hooks.past
        child.start(as: past.isEmpty || world.dice.chance(0.4) ? nil : world.dice.pick(past)) { [unowned self] line in
            pipes.later { [self] in take(.received(Array((line + "\n").utf8))) }
        }
        machine = ClaudeControl(
            session: agent.name, seed: world.name("seed"), hasTerminal: isThere, digests: SimulatedAdapter.digests,
            limits: ControlLimits(decideWithin: patience.map { .milliseconds($0) }))
        let line = SteeringLine(
            world: world, host: host, session: agent.session,
            process: AgentProcess(id: Int32(500 + index), startedAt: UInt64(life)),
            took: { [unowned self] in take(.steered($0)) })
        line.cameBack = { [unowned self] in
            if let line = plants.lineAfterAbsence() { write(line) }
        }
        lines = lines.filter { !$0.isOver } + [line]
        person.leave()
        person = ControlPerson(world: world, isThere: isThere)
        person.does = { [unowned self] in take($0) }
        person.chose = { [unowned self] in permissions.chosen($0, isAllowed: $1) }
        person.start()
        take(.started)
    }

    func restart() {
        guard isUp, !isFinished else { return }
        world.trace.note(world.now, "run\(index)", "breaks", "life \(life)")
        switch world.dice.below(4) {
        case 0:
            agent.die()
            agentEnded()
        case 1:
            die()
            agent.end()
            startAgain()
        case 2: take(.terminated)
        default: child.getStuck()
        }
    }

    private func startAgain() {
        let life = life
        world.after(world.dice.within(50...2_000)) { [self] _ in if life == self.life { start() } }
    }

    func losePower() {
        die()
        agent.die()
    }

    private func die() {
        guard isUp else { return }
        lines.last?.end()
        stop()
    }

    private func stop() {
        isUp = false
        arming += 1
        pipes.close()
        person.leave()
    }

    /// The agent has ended, and its program does so as well.
    private func agentEnded() {
        guard isUp else { return }
        hasAgentEnded = true
        take(.ended(exit: 0))
        lines.last?.finish()
        stop()
        startAgain()
    }

    func daemonGone() {
        agent.daemonGone()
        for line in lines { line.daemonGone() }
    }

    func finish() {
        isFinished = true
        take(.inputClosed)
    }

    func carryOut(_ order: any Sendable) { agent.files.carryOut(order, of: agent.hooks) }

    // MARK: The program

    private func take(_ fact: ControlFact) {
        guard isUp else { return }
        let asked = look(at: fact)
        guard plants.lets(fact, asked) else { return }
        for order in machine.handle(fact, at: host.instant.monotonic) where isUp { carryOut(order, fact, asked) }
        arm()
    }

    private func arm() {
        arming += 1
        guard isUp, let due = machine.nextDeadline else { return }
        let arming = arming
        world.at(due) { [self] _ in if arming == self.arming { take(.timerFired) } }
    }

    /// The question that the fact is about.
    private func look(at fact: ControlFact) -> String? {
        switch fact {
        case .received(let bytes):
            guard let line = (try? JSONDocument(parsing: Array(bytes.dropLast())))?.root, let id = line.text("request_id")
            else { return nil }
            if line.text("type") == "control_cancel_request" { permissions.takenBack(id) }
            if let input = line.optional("request")?.optional("input") {
                permissions.asked(id, String(decoding: input.bytes, as: UTF8.self), at: world.now)
            }
            return id
        case .steered(let request):
            if [.interrupt, .stop].contains(request.action.kind) { stopped.append(request) }
        default: break
        }
        return nil
    }

    private func carryOut(_ order: ControlOrder, _ fact: ControlFact, _ asked: String?) {
        switch order {
        case .send(let line):
            let line = plants.altered(line)
            look(at: line, fact)
            write(line)
        case .closeInput: pipes.later { [self] in child.closeInput() }
        case .terminate: if !agent.isStuck { pipes.later { [self] in child.closeInput() } }
        case .kill:
            agent.die()
            agentEnded()
        case .show(let text): person.reads(text, about: asked)
        // Status lines are not simulated: budgets are tried with the simulated adapter's costs.
        case .spent: break
        case .ask, .askNoMore: preconditionFailure("the played agent has no servers of tools")
        case .stand(let offer, let standing): lines.last?.stand(offer, standing)
        case .tell(let change):
            // The end of the agent has ended its turn.
            if change.stage == .taken, hasAgentEnded, let place = stopped.firstIndex(where: { $0.name == change.name }) {
                world.checkTaken(stopped.remove(at: place))
            }
            lines.last?.tell(change)
        }
    }

    private func write(_ line: [UInt8]) { pipes.later { [self] in child.take(line) } }

    private func look(at line: [UInt8], _ fact: ControlFact) {
        guard let root = (try? JSONDocument(parsing: Array(line.dropLast())))?.root else {
            preconditionFailure("the machine writes JSON: \(String(decoding: line, as: UTF8.self))")
        }
        if case .steered(let request) = fact, let id = root.text("request_id") { steered[id] = request }
        guard root.text("type") == "control_response", let response = root.optional("response"),
            let id = response.text("request_id")
        else { return }
        let said = response.optional("response")
        let input = said?.text("behavior") == "allow" ? said?.optional("updatedInput") : nil
        let complaint = permissions.answered(
            id, allowing: input.map { String(decoding: $0.bytes, as: UTF8.self) }, at: world.now, patience: patience)
        if let complaint { world.report(.freedom, "\(agent.session): \(complaint)") }
    }
}

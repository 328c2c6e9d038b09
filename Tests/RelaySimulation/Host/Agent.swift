import HostCore
import RelayProtocol

/// A simulated coding agent on a host: works, asks, and continues once there is an answer, at its own terminal or from a client. A
/// separate process that outlives the daemon.
final class Agent {
    /// A question that waits for an answer.
    struct Ask {
        let session: SessionID
        /// The hook that waits; it stays the same when it calls a later daemon.
        let hook: Int
        let run: Int
        let command: String
        var input: [UInt8] { Array(#"{"command":"\#(command)"}"#.utf8) }
        /// False for a question that waits longer than the world lasts, so that it is open when all is quiet.
        let isAttended: Bool
        var attempts = 0
        /// True if the hook ended without a decision, and the agent asks at its own terminal.
        var isAtTerminal = false

        var life: Int64 { isAttended ? SimulatedAdapter.life : SimulatedAdapter.headlessLife }
        let hasOffer: Bool
        var digest: InputDigest {
            SimulatedAdapter.digests.input(
                tool: SimulatedAdapter.tool, input, offers: SimulatedForm(hasOffer: hasOffer).offers)
        }
    }

    private unowned let world: World
    let host: Int
    /// Name of its adapter, and prefix of its sessions.
    let name: String
    private(set) var session: SessionID
    /// All sessions that it ever worked on; it may continue one.
    private var sessions: [SessionID]
    /// The sessions that a client started.
    private var launched: Set<SessionID> = []
    private let index: Int
    private var run = 0
    private(set) var ask: Ask?
    private var isFinished = false
    private var calls = 0

    init(world: World, host: Int, index: Int) {
        self.world = world
        self.host = host
        self.index = index
        name = "h\(host)a\(index)"
        session = SessionID("\(name)-0")!
        sessions = [session]
    }

    private var machine: HostProcess { world.hosts[host] }

    /// The agent's current process.
    var process: AgentProcess { process(run) }

    private func process(_ run: Int) -> AgentProcess { AgentProcess(id: Int32(index + 1), startedAt: UInt64(run)) }

    // MARK: Life

    func start() {
        run += 1
        ask = nil
        world.trace.note(world.now, name, "starts", "\(session) run \(run)")
        tell(.started(session, process))
        work()
    }

    /// Another process continues the session; questions of the earlier one are void.
    func restart() {
        guard !isFinished else { return }
        let gone = run
        world.trace.note(world.now, name, "is gone", "\(session) run \(gone)")
        ask = nil
        run += 1
        world.after(world.dice.within(0...50)) { [self] _ in machine.tell(.agentGone(process(gone))) }
        world.after(world.dice.within(50...2_000)) { [self] _ in start() }
    }

    /// The agent's machine lost power.
    func losePower() {
        ask = nil
        run += 1
    }

    /// Drops its pending work and stops.
    func finish() {
        isFinished = true
        if let ask {
            self.ask = nil
            tell(.proven(hook: ask.hook, ran: true, isOurs: false))
        }
        // Ensures that events lost before it are counted.
        world.after(10) { [self] _ in for session in sessions { machine.tell(.ended(session), of: self) } }
    }

    // MARK: Work

    private func work() {
        let run = run
        let pace = world.shape.pace
        world.after(world.dice.within(pace / 10...2 * pace)) { [self] world in
            guard run == self.run, !isFinished else { return }
            guard ask == nil else { return work() }
            if world.isCalm {
                // Some agents keep waiting while all is quiet; none begins anything new.
                return world.after(60_000) { [self] _ in
                    if ask == nil { machine.tell(.worked(session, [.statusChanged(.idle, reason: nil)]), of: self) }
                }
            }
            if world.dice.chance(world.shape.endings) { return turn() }
            if world.dice.chance(0.3) { return begin() }
            let burst = world.dice.chance(0.1) ? world.shape.burst : 1 + world.dice.below(3)
            tell(.worked(session, (0..<burst).map { _ in event() }))
            work()
        }
    }

    /// Ends the session, and begins another or continues an earlier one.
    private func turn() {
        machine.tell(.ended(session), of: self)
        world.after(20) { [self] world in
            if world.dice.chance(0.3) {
                session = world.dice.pick(sessions)
            } else {
                session = SessionID("\(name)-\(sessions.count)")!
                sessions.append(session)
            }
            start()
        }
    }

    private func event() -> EventHead {
        calls += 1
        switch world.dice.below(6) {
        case 0: return .message(.assistant, summary: machine.secret("message \(calls)"))
        case 1: return .statusChanged(world.dice.pick([.running, .idle]), reason: machine.isSealed ? reason : nil)
        case 2:
            return .toolStarted(ToolStart(call: "c\(calls)", tool: "Bash", operation: machine.secret("step \(calls)")))
        case 3: return .fileChanged(path: machine.secret("file\(calls % 7)"), added: Int64(calls), removed: 1)
        case 4:
            let task = machine.isSealed && calls.isMultiple(of: 2) ? machine.secret("task \(calls)") : nil
            return .todoChanged(TodoProgress(completed: Int64(calls % 5), total: 5, current: task))
        default:
            var usage = Usage()
            // Some reports name no run, some repeat the previous figures.
            usage.run = world.dice.chance(0.1) ? nil : "\(run)"
            usage.costMicroUSD = Int64(world.dice.chance(0.2) ? calls / 2 : calls) * 100
            usage.tokens = Tokens(input: Int64(calls), output: 2)
            return .usage(usage)
        }
    }

    private var reason: String? { calls.isMultiple(of: 3) ? machine.secret("waits for \(calls)") : nil }

    // MARK: Asking

    private lazy var lastCommand = commands[0]

    private func begin() {
        world.lastName += 1
        let ask = Ask(
            session: session, hook: world.lastName, run: run, command: nextCommand(),
            isAttended: world.dice.chance(0.3), hasOffer: lastCommand != commands[0])
        self.ask = ask
        world.trace.note(world.now, name, "asks", "\(session) hook \(ask.hook)")
        call(ask.hook)
        if world.dice.chance(0.45) {
            world.after(world.dice.within(300...20_000)) { [self] _ in answeredLocally(ask.hook) }
        }
        // The agent's own time limit for a hook.
        world.after(ask.life + 3_000) { [self] _ in
            guard self.ask?.hook == ask.hook, self.ask?.isAtTerminal == false else { return }
            world.trace.note(world.now, name, "gives up", "hook \(ask.hook)")
            self.ask = nil
            machine.hookGone(ask.hook)
            work()
        }
    }

    /// The next command. An agent that was stopped tries the same again.
    private func nextCommand() -> String {
        if world.dice.chance(0.4) { lastCommand = world.dice.pick(commands) }
        return lastCommand
    }

    /// Some commands have an offer, always the same for one command.
    private lazy var commands = ["ls", "make", "rm"].map { machine.secret($0) }

    /// A digest that matches no tool's input.
    static let foreignDigest = InputDigest(String(repeating: "0", count: 64))!

    /// The hook calls the daemon, and retries if there is none.
    private func call(_ hook: Int) {
        guard var ask, ask.hook == hook, !ask.isAtTerminal else { return }
        if machine.isUp {
            ask.attempts += 1
            self.ask = ask
            machine.asked(ask, by: self)
        } else {
            world.after(500) { [self] _ in call(hook) }
        }
    }

    /// The hook's daemon has ended.
    func daemonGone() {
        guard let ask else { return }
        world.after(world.dice.within(100...2_000)) { [self] _ in call(ask.hook) }
    }

    private func answeredLocally(_ hook: Int) {
        guard let ask, ask.hook == hook else { return }
        world.trace.note(world.now, name, "is answered", "at its terminal, hook \(hook)")
        self.ask = nil
        tell(.proven(hook: hook, ran: world.dice.chance(0.7), isOurs: false))
        work()
    }

    /// The hook's output; nil leaves the agent to its own prompt.
    func answered(_ hook: Int, _ output: [UInt8]?) {
        guard let ask, ask.hook == hook, ask.run == run, !ask.isAtTerminal else { return }
        guard let output else {
            self.ask?.isAtTerminal = true
            // A person answers at the agent's own prompt at some time.
            world.after(world.dice.within(100...5_000)) { [self] _ in answeredLocally(hook) }
            return
        }
        self.ask = nil
        let isAlways = output == SimulatedForm.allowedAlways
        let runs = output == SimulatedForm.allowed || isAlways || world.plant == .deafAgent
        world.trace.note(world.now, name, runs ? "runs" : "does not run", "hook \(hook)")
        // If an agent runs a tool that was denied, that is not its host's fault.
        if output == SimulatedForm.allowed || isAlways {
            world.consent?.ran(ask, offer: isAlways ? SimulatedForm.always.id : nil, at: host)
        }
        if runs { world.checkFreedom(of: ask, offer: isAlways ? SimulatedForm.always.id : nil) }
        tell(.proven(hook: hook, ran: runs, isOurs: true))
        work()
    }

    // MARK: Steering

    /// A client's command arrives. Most agents show that they took it; some do not, and some end before.
    func steered(_ request: SteeringRequest) {
        let run = run
        world.after(world.dice.within(0...50)) { [self] world in
            guard run == self.run, !isFinished else { return }
            guard request.session == session || launched.contains(request.session) else {
                return tell(.steered(request, .refused))
            }
            world.trace.note(world.now, name, "takes", "\(request.command)")
            world.consent?.took(request, at: host)
            if let complaint = world.steering?.took(request) { world.report(.steering, complaint) }
            if world.dice.chance(0.9) { tell(.steered(request, .taken)) }
        }
    }

    /// Starts a session. Some agents cannot, and some end before they report it.
    func launch(_ order: LaunchOrder) {
        let run = run
        world.after(world.dice.within(0...50)) { [self] world in
            guard run == self.run, !isFinished else { return }
            if case .past = order.launch.purpose { return tell(.launched(order.name, .listed([]))) }
            if world.dice.chance(0.2) { return tell(.launched(order.name, .refused("not now"))) }
            let id = SessionID("\(name)-\(sessions.count)")!
            sessions.append(id)
            launched.insert(id)
            world.trace.note(world.now, name, "begins", "\(id) for \(order.name.command)")
            world.consent?.began(order, at: host)
            if let complaint = world.steering?.began(order, allowed: machine.allowedFolders) {
                world.report(.steering, complaint)
            }
            if world.dice.chance(0.9) { tell(.begun(order.name, id)) }
        }
    }

    private func tell(_ fact: SimulatedAdapter.Fact) {
        world.after(world.dice.within(0...3)) { [self] _ in machine.tell(fact, of: self) }
    }
}

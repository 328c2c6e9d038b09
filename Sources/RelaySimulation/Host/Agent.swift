import RelayProtocol

/// A coding agent on a host: works, asks, and goes on when somebody answers, at its own terminal or from afar. Its own process:
/// it outlives the daemon.
final class Agent {
    /// A question that it waits on.
    struct Ask {
        /// What the hook that waits is called; the same when it calls a later daemon again.
        let token: Int
        let run: Int
        let digest: InputDigest
        /// How long its hook waits, in milliseconds: some longer than the world lasts, and open when all is quiet.
        let life: Int64
        var attempts = 0
        /// Answered without a decision: the hook is gone, and the agent asks at its own terminal.
        var isAtTerminal = false
    }

    private unowned let world: World
    let host: Int
    private(set) var session: SessionID
    /// All that it ever worked on; it may go back to one.
    private var sessions: [SessionID]
    /// One process of it.
    private(set) var run = 0
    private(set) var ask: Ask?
    private var isFinished = false
    private var calls = 0

    init(world: World, host: Int, index: Int) {
        self.world = world
        self.host = host
        session = SessionID("h\(host)-s\(index)")!
        sessions = [session]
    }

    func owns(_ session: SessionID) -> Bool { sessions.contains(session) }

    private var machine: HostMachine { world.hosts[host] }
    private var name: String { "agent\(host)" }

    // MARK: Life

    func start() {
        run += 1
        ask = nil
        world.trace.note(world.now, name, "starts", "\(session) run \(run)")
        tell(.started(run: run))
        work()
    }

    /// Another process goes on with the same session; what this one asked is void.
    func restart() {
        guard !isFinished else { return }
        let gone = run
        world.trace.note(world.now, name, "is gone", "\(session) run \(gone)")
        ask = nil
        run += 1
        world.after(world.dice.within(0...50)) { [self] _ in machine.tell(.gone(run: gone), of: self) }
        world.after(world.dice.within(50...2_000)) { [self] _ in start() }
    }

    /// It was on a machine that lost power.
    func losePower() {
        ask = nil
        run += 1
    }

    /// Gives up what it waits on, and does no more.
    func finish() {
        isFinished = true
        if let ask {
            self.ask = nil
            tell(.proven(token: ask.token, ran: true, isOurs: false))
        }
        // So that what was lost before it is counted.
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
                // Some go on waiting while all is quiet; nobody begins anything else.
                return world.after(60_000) { [self] _ in
                    if ask == nil { machine.tell(.worked([.statusChanged(.idle, reason: nil)]), of: self) }
                }
            }
            if world.dice.chance(world.shape.endings) { return turn() }
            if world.dice.chance(0.3) { return begin() }
            let burst = world.dice.chance(0.1) ? world.shape.burst : 1 + world.dice.below(3)
            tell(.worked((0..<burst).map { _ in event() }))
            work()
        }
    }

    /// Ends its session, and begins another or goes back to an earlier one.
    private func turn() {
        machine.tell(.ended(session), of: self)
        world.after(20) { [self] world in
            if world.dice.chance(0.3) {
                session = world.dice.pick(sessions)
            } else {
                session = SessionID("\(sessions[0])-\(sessions.count)")!
                sessions.append(session)
            }
            start()
        }
    }

    private func event() -> EventHead {
        calls += 1
        switch world.dice.below(6) {
        case 0: return .message(.assistant, summary: "message \(calls)")
        case 1: return .statusChanged(world.dice.pick([.running, .idle]), reason: nil)
        case 2: return .toolStarted(ToolStart(call: "c\(calls)", tool: "Bash", operation: "step \(calls)"))
        case 3: return .fileChanged(path: "file\(calls % 7)", added: Int64(calls), removed: 1)
        case 4: return .todoChanged(TodoProgress(completed: Int64(calls % 5), total: 5))
        default:
            var usage = Usage()
            // Some name no run, some say again what they said before.
            usage.run = world.dice.chance(0.1) ? nil : "\(run)"
            usage.costMicroUSD = Int64(world.dice.chance(0.2) ? calls / 2 : calls) * 100
            usage.tokens = Tokens(input: Int64(calls), output: 2)
            return .usage(usage)
        }
    }

    // MARK: Asking

    private func begin() {
        world.lastName += 1
        let ask = Ask(
            token: world.lastName, run: run, digest: Self.digest(world.lastName),
            life: world.dice.chance(0.3) ? 3_600_000 : 30_000)
        self.ask = ask
        world.trace.note(world.now, name, "asks", "\(session) hook \(ask.token)")
        call(ask.token)
        if world.dice.chance(0.45) {
            world.after(world.dice.within(300...20_000)) { [self] _ in answeredLocally(ask.token) }
        }
        // The agent's own patience with a hook.
        world.after(ask.life + 3_000) { [self] _ in
            guard self.ask?.token == ask.token, self.ask?.isAtTerminal == false else { return }
            world.trace.note(world.now, name, "gives up", "hook \(ask.token)")
            self.ask = nil
            machine.tell(.hookGone(token: ask.token), of: self)
            work()
        }
    }

    static func digest(_ number: Int) -> InputDigest {
        let digits = String(number, radix: 16)
        return InputDigest(String(repeating: "0", count: 64 - digits.count) + digits)!
    }

    /// The hook calls the daemon, and calls again when there is none.
    private func call(_ token: Int) {
        guard var ask, ask.token == token, !ask.isAtTerminal else { return }
        if machine.isUp {
            ask.attempts += 1
            self.ask = ask
            machine.tell(.asked(ask), of: self)
        } else {
            world.after(500) { [self] _ in call(token) }
        }
    }

    /// The daemon that the hook waited on is gone.
    func daemonGone() {
        guard let ask else { return }
        world.after(world.dice.within(100...2_000)) { [self] _ in call(ask.token) }
    }

    private func answeredLocally(_ token: Int) {
        guard let ask, ask.token == token else { return }
        world.trace.note(world.now, name, "is answered", "at its terminal, hook \(token)")
        self.ask = nil
        tell(.proven(token: token, ran: world.dice.chance(0.7), isOurs: false))
        work()
    }

    /// What the daemon prints for its hook; nil leaves the agent to its own prompt.
    func answered(_ token: Int, _ verdict: Decision.Verdict?, of approval: ApprovalID?) {
        guard let ask, ask.token == token, ask.run == run, !ask.isAtTerminal else { return }
        guard let verdict, let approval else {
            self.ask?.isAtTerminal = true
            // Its own prompt: somebody at the terminal, some time.
            world.after(world.dice.within(100...5_000)) { [self] _ in answeredLocally(token) }
            return
        }
        self.ask = nil
        let runs = verdict == .allow || world.plant == .deafAgent
        world.trace.note(world.now, name, runs ? "runs" : "does not run", "hook \(token), \(approval)")
        if runs { world.checkFreedom(of: approval, run: run, digest: ask.digest) }
        tell(.proven(token: token, ran: runs, isOurs: true))
        work()
    }

    private func tell(_ news: HostMachine.News) {
        world.after(world.dice.within(0...3)) { [self] _ in machine.tell(news, of: self) }
    }
}

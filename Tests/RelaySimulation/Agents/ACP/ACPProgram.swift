import AgentACP
import AgentLocal
import HostCore
import RelayProtocol

/// `heliograph acp` between a simulated agent and editor: the product's proxy machine, the pipes on both sides of it, and its
/// reports to the daemon. When one of the three ends, all do, because the editor starts them together.
final class ACPProgram: AgentBody {
    let adapter = LocalAdapter.name
    private unowned let world: World
    private unowned let host: HostProcess
    private let index: Int
    private let reporter: ACPReporter
    private var machine: ACPProxyMachine
    private var pipes: ProgramPipes
    private var agent: ACPAgent
    private var editor: ACPEditor
    private var life = 0
    private var isUp = false
    private var isFinished = false
    /// Clients' interrupts that the proxy has passed on and the agent has not received yet.
    private var interrupts: [SteeringRequest] = []
    /// Permissions that only the editor answers, by the agent's names of them.
    private var leftToEditor: Set<Int> = []
    /// The agent's names of its sessions, in all runs.
    private var past: [String] = []

    init(world: World, host: HostProcess, index: Int) {
        self.world = world
        self.host = host
        self.index = index
        reporter = ACPReporter(world: world, host: host)
        machine = ACPProxyMachine(run: "none", agentName: "acp")
        pipes = ProgramPipes(world: world)
        agent = ACPAgent(world: world)
        editor = ACPEditor(world: world)
    }

    private var process: AgentProcess { AgentProcess(id: Int32(300 + index), startedAt: UInt64(life)) }
    func isAlive(_ process: AgentProcess) -> Bool { isUp && process == self.process }

    static func session(_ name: String) -> SessionID {
        guard let id = SessionID("local-\(name)") else { preconditionFailure("simulated names are identifiers") }
        return id
    }

    // MARK: As clients have to see it

    var asks: [AgentAsk] {
        guard isUp, let ask = agent.ask, !leftToEditor.contains(ask.id) else { return [] }
        return [AgentAsk(session: Self.session(agent.session), words: ask.words)]
    }

    var sessions: [(id: SessionID, status: SessionStatus?)] {
        let current = isUp && !isFinished && !agent.session.isEmpty ? agent.session : nil
        let over = past.filter { $0 != current }.map { (id: Self.session($0), status: SessionStatus?.none) }
        guard let current else { return over }
        return over + [(Self.session(current), asks.isEmpty ? agent.hasTurn ? .running : .idle : .waitingApproval)]
    }

    // MARK: Life

    func start() {
        guard !isUp, !isFinished else { return }
        isUp = true
        life += 1
        machine = ACPProxyMachine(run: world.name("run"), agentName: "acp")
        pipes = ProgramPipes(world: world)
        reporter.begin(as: process) { [self] fact in take(fact) }
        let (toAgent, toEditor) = (pipe { $0.take(.fromEditor($1)) }, pipe { $0.take(.fromAgent($1)) })
        agent = ACPAgent(world: world, toProxy: toEditor)
        editor = ACPEditor(world: world, toProxy: toAgent)
        agent.began = { [self] name in if !past.contains(name) { past.append(name) } }
        agent.heardCancel = { [self] isTaken in
            if isTaken { for request in interrupts { world.checkTaken(request) } }
            interrupts = []
        }
        agent.heardAnswer = { [self] ask, isAllowed, option in heard(ask, isAllowed, option) }
        world.trace.note(world.now, "acp\(index)", "starts", "life \(life)")
        let known = past.isEmpty || world.dice.chance(0.7) ? nil : world.dice.pick(past)
        editor.start(resuming: known, orAs: world.name("acp-session-number-"))
    }

    func restart() {
        guard isUp, !isFinished else { return }
        // The agent fails, and the proxy reports it; or the proxy is killed, and the agent ends with it.
        if world.dice.chance(0.5) { end(failed: true) } else { die() }
        world.after(world.dice.within(50...2_000)) { [self] _ in start() }
    }

    func losePower() { die() }

    private func die() {
        guard isUp else { return }
        world.trace.note(world.now, "acp\(index)", "is gone", "life \(life)")
        stop()
        reporter.end()
    }

    private func end(failed: Bool) {
        world.trace.note(world.now, "acp\(index)", "ends", failed ? "its agent failed" : "its editor left")
        take(.agentClosed)
        take(.agentGone(reason: nil, failed: failed))
        stop()
        reporter.finish()
    }

    private func stop() {
        isUp = false
        pipes.close()
        agent.end()
        editor.end()
        interrupts = []
        leftToEditor = []
    }

    func daemonGone() { reporter.daemonGone() }

    func finish() {
        isFinished = true
        guard isUp else { return }
        take(.editorClosed)
        end(failed: false)
    }

    func carryOut(_ order: any Sendable) {
        switch order as? LocalOrder {
        case .refuse(let token, let error): reporter.refused(token, error)
        case .findLinks(let token, _, _):
            world.after(1) { [host] _ in host.tell(LocalFact.linksFound(token, [:]), of: LocalAdapter.name) }
        case nil: break
        }
    }

    // MARK: The proxy

    private func pipe(_ arrive: @escaping (ACPProgram, [UInt8]) -> Void) -> (String) -> Void {
        { [self] line in later { arrive($0, Array((line + "\n").utf8)) } }
    }

    private func later(_ body: @escaping (ACPProgram) -> Void) { pipes.later { [self] in body(self) } }

    private func take(_ fact: ACPFact) {
        guard isUp else { return }
        for order in machine.handle(planted(fact), at: host.instant) {
            switch order {
            case .toAgent(let bytes): later { $0.agent.take(bytes) }
            case .toEditor(let bytes): later { $0.editor.take(bytes) }
            case .tell(let session, let event): reporter.tell(session, event)
            case .ask(let question): reporter.ask(question)
            case .withdraw(let approval): reporter.withdraw(approval)
            case .settled(let session, let approval, let outcome): reporter.settled(session, approval, outcome)
            case .stands(let session, let stand): reporter.stand(session, stand)
            case .steered(let session, let change):
                if change.stage == .given, case .steered(_, let request) = fact, case .interrupt = request.action {
                    interrupts.append(request)
                }
                reporter.steered(session, change)
            case .leftToEditor(let request):
                guard let id = Int(String(decoding: request, as: UTF8.self)) else { continue }
                leftToEditor.insert(id)
                editor.hasToAnswer(id)
            case .show, .leave, .turnFromAfarBegan, .turnFromAfarEnded: break
            }
        }
        wait()
    }

    /// Waits for the proxy's own deadlines.
    private func wait() {
        guard let due = machine.nextDeadline else { return }
        let life = life
        world.after(max(0, due - host.instant.monotonic)) { [self] _ in
            if life == self.life, machine.nextDeadline == due { take(.waited) }
        }
    }

    /// Alters a fact of the proxy for a planted fault.
    private func planted(_ fact: ACPFact) -> ACPFact {
        switch (world.plant, fact) {
        case (.lastingAnswer, .decided(let approval, let verdict)) where verdict.allows && verdict.option != "always":
            return .decided(approval, ACPVerdict(allows: true, option: "always"))
        case (.secondAnswer, .fromEditor(let bytes)) where editor.hasAnswered(bytes):
            later { $0.agent.take(bytes) }
            return fact
        default: return fact
        }
    }

    /// Checks an answer that the agent received: the editor's own, or a client's.
    private func heard(_ ask: ACPAgent.Ask, _ isAllowed: Bool, _ option: String?) {
        if let own = editor.answers[ask.id], own == option { return }
        // An interrupt closes open questions without a decision.
        guard let option else { return }
        world.trace.note(world.now, "acp\(index)", "takes", "\(option) for \(ask.id)")
        let asked = AgentChecker.Asked(
            key: "\(agent.session) \(ask.id)", ask: AgentAsk(session: Self.session(agent.session), words: ask.words), at: ask.at
        )
        world.checkAnswer(asked, isAllowed: isAllowed, offer: option == "always" ? option : nil)
    }
}

import AgentLocal
import HostCore
import RelayProtocol

/// A program that speaks the local protocol: reports its work, asks, takes input from clients, and has a person next to it who may
/// answer first.
final class LocalProgram: AgentBody {
    private struct Ask {
        let name: String
        let words: String
        let at: Int64
        let isAttended: Bool
        let hasOptions: Bool
        /// The pending request; nil if the program asks at its own prompt.
        var request: Int?
        var isAtPrompt = false
    }

    private enum State { case idle, working }

    let adapter = LocalAdapter.name
    private unowned let world: World
    private unowned let host: HostProcess
    private let client: LocalClient<LocalFact>
    private let index: Int
    private var name = ""
    private var past: [String] = []
    private var life = 0
    private var isUp = false
    private var isFinished = false
    private var state = State.idle
    private var ask: Ask?
    /// The current step and request for commands; callbacks of earlier ones are ignored.
    private var step = 0
    private var fetch = 0
    /// The answer to each question, kept if a fault is planted.
    private var answers: [String: [UInt8]] = [:]

    init(world: World, host: HostProcess, index: Int) {
        self.world = world
        self.host = host
        self.index = index
        client = LocalClient(world: world, host: host, of: LocalAdapter.name)
    }

    private var process: AgentProcess { AgentProcess(id: Int32(100 + index), startedAt: UInt64(life)) }
    func isAlive(_ process: AgentProcess) -> Bool { isUp && process == self.process }

    private static func session(_ name: String) -> SessionID {
        guard let id = SessionID("local-\(name)") else { preconditionFailure("simulated names are identifiers") }
        return id
    }

    private var session: SessionID { Self.session(name) }

    var asks: [AgentAsk] {
        guard isUp, let ask, !ask.isAtPrompt else { return [] }
        return [AgentAsk(session: session, words: ask.words)]
    }

    var sessions: [(id: SessionID, status: SessionStatus?)] {
        let current: SessionStatus? = !isUp || isFinished ? nil : ask.map { !$0.isAtPrompt } == true ? .waitingApproval : status
        let over = past.filter { $0 != name }.map { (id: Self.session($0), status: SessionStatus?.none) }
        return over + (name.isEmpty ? [] : [(session, current)])
    }

    private var status: SessionStatus { state == .idle ? .idle : .running }

    // MARK: Life

    func start() {
        guard !isUp, !isFinished else { return }
        isUp = true
        life += 1
        begin()
    }

    private func begin() {
        if past.isEmpty || world.dice.chance(0.7) { name = world.name("p") } else { name = world.dice.pick(past) }
        if !past.contains(name) { past.append(name) }
        (state, ask) = (.idle, nil)
        world.trace.note(world.now, name, "starts", "life \(life)")
        tell(#""kind":"session.started","head":{"agent":{"name":"simulated"}}"#)
        stand()
        waitForCommands()
        goOn()
    }

    func restart() {
        guard isUp, !isFinished else { return }
        if world.dice.chance(0.3) {
            // The program forgets its pending request and asks for commands again.
            return waitForCommands()
        }
        die()
        world.after(world.dice.within(50...2_000)) { [self] _ in start() }
    }

    func losePower() { die() }

    private func die() {
        guard isUp else { return }
        world.trace.note(world.now, name, "is gone", "life \(life)")
        isUp = false
        step += 1
        fetch += 1
        ask = nil
        client.end()
    }

    func daemonGone() { client.daemonGone() }

    func finish() {
        isFinished = true
        step += 1
        guard isUp else { return }
        if ask != nil { answeredHere(world.dice.chance(0.7)) }
        tell(#""kind":"session.ended","head":{"reason":"done"}"#)
    }

    func carryOut(_ order: any Sendable) {
        switch order as? LocalOrder {
        case .refuse(let token, let error): client.refused(token, error)
        case .findLinks(let token, _, _):
            world.after(1) { [host] _ in host.tell(LocalFact.linksFound(token, [:]), of: LocalAdapter.name) }
        case nil: break
        }
    }

    // MARK: What it says

    private func tell(_ event: String) {
        let line = #"{"session":"\#(name)",\#(event)}"#
        guard let events = try? LocalEvent.all(in: Array(line.utf8)) else { preconditionFailure("an event: \(line)") }
        let process = process
        client.say({ .eventsSent(events, by: process, $0) }, untilRecorded: true)
    }

    private func say(_ word: SteeredWord) {
        guard let steering = try? LocalSteering(word.path, word.bytes(in: name)) else { preconditionFailure("a word: \(word)") }
        let process = process
        client.say { .steering(steering, by: process, $0) }
    }

    private func stand() {
        say(.stands(SteeringOffer(actions: [.prompt, .interrupt], steersWhileBusy: true), state == .idle ? .idle : .busy))
    }

    // MARK: Work

    private func goOn() {
        step += 1
        let (step, pace) = (step, world.shape.pace)
        world.after(world.dice.within(pace / 10...2 * pace)) { [self] _ in
            if step == self.step, isUp, !isFinished { work() }
        }
    }

    private func work() {
        guard ask == nil else { return goOn() }
        switch state {
        case .idle:
            guard !world.isCalm else { break }
            if world.dice.chance(world.shape.endings) {
                tell(#""kind":"session.ended","head":{"reason":"done"}"#)
                fetch += 1
                return begin()
            }
            if world.dice.chance(0.5) { become(.working) }
        case .working:
            switch world.dice.below(world.isCalm ? 1 : 5) {
            case 0: become(.idle)
            case 1, 2: tell(#""kind":"message","head":{"role":"assistant","summary":"\#(world.name("said "))"}"#)
            default: begin(asking: world.dice.pick(["ls", "make", "rm x"]))
            }
        }
        goOn()
    }

    private func become(_ state: State) {
        self.state = state
        stand()
    }

    // MARK: Asking

    private func begin(asking words: String) {
        let ask = Ask(
            name: world.name("q"), words: words, at: world.now, isAttended: world.dice.chance(0.7),
            hasOptions: world.dice.chance(0.4))
        self.ask = ask
        world.trace.note(world.now, name, "asks", "\(words), \(ask.name)")
        post(ask.name)
        if world.dice.chance(0.5), ask.isAttended {
            world.after(world.dice.within(300...20_000)) { [self] _ in
                if self.ask?.name == ask.name { answeredHere(world.dice.chance(0.7)) }
            }
        }
    }

    private func post(_ question: String) {
        guard let ask, ask.name == question, isUp else { return }
        let options =
            #","options":[{"id":"yes","kind":"allow_once","name":"Yes"},{"id":"always","kind":"allow_always","name":"Always"},"#
            + #"{"id":"no","kind":"reject_once","name":"No"}]"#
        let text =
            #"{"session":"\#(name)","approval":"\#(ask.name)","kind":"tool","tool":"Bash","input":{"command":"\#(ask.words)"},"#
            + #""waitSeconds":600,"attended":\#(ask.isAttended)\#(ask.hasOptions ? options : "")}"#
        guard let request = try? LocalAsk(parsing: Array(text.utf8)) else { preconditionFailure("a question: \(text)") }
        if world.plant == .namesakesAnswer, let answer = answers[ask.words] { return answered(question, answer) }
        let process = process
        self.ask?.request = client.post({ .asked(request, by: process, $0) }) { [self] reply in
            switch reply {
            case .answered(let output): answered(question, output)
            case .refused: atPrompt(question)
            case .gone: world.after(world.dice.within(100...2_000)) { [self] _ in post(question) }
            }
        }
    }

    private func answered(_ question: String, _ output: [UInt8]?) {
        guard let ask, ask.name == question, !ask.isAtPrompt else { return }
        guard let output else { return atPrompt(question) }
        guard let root = (try? JSONDocument(parsing: output))?.root else { preconditionFailure("the adapter answers in JSON") }
        let isAllowed = root.text("decision") == "allow"
        world.trace.note(world.now, name, "takes", "\(String(decoding: output, as: UTF8.self)) for \(question)")
        if isAllowed || ask.isAttended {
            let asked = AgentChecker.Asked(
                key: "\(name) \(question)", ask: AgentAsk(session: session, words: ask.words), at: ask.at)
            let option = root.text("option")
            world.checkAnswer(asked, isAllowed: isAllowed, offer: option == "always" ? option : nil)
        }
        answers[ask.words] = output
        settle(isAllowed ? "ran" : "refused")
    }

    /// No client decided: the program asks at its own prompt, or denies.
    private func atPrompt(_ question: String) {
        guard ask?.name == question else { return }
        ask?.isAtPrompt = true
        ask?.request = nil
        world.after(world.dice.within(100...5_000)) { [self] _ in
            if ask?.name == question { answeredHere(world.dice.chance(0.7)) }
        }
    }

    private func answeredHere(_ ran: Bool) {
        guard let ask else { return }
        world.trace.note(world.now, name, "is answered", "at its own prompt, \(ask.name)")
        if let request = ask.request { client.close(request) }
        settle(ran ? "answeredElsewhere" : "refused")
    }

    private func settle(_ outcome: String) {
        guard let ask else { return }
        self.ask = nil
        // Some programs never report the outcome of an answer.
        guard outcome != "ran" || world.dice.chance(0.9) else { return }
        let text = #"{"session":"\#(name)","approval":"\#(ask.name)","outcome":"\#(outcome)"}"#
        guard let settled = try? LocalSettlement(parsing: Array(text.utf8)) else { preconditionFailure("an end: \(text)") }
        let process = process
        client.say { .settled(settled, by: process, $0) }
    }

    // MARK: Commands

    private func waitForCommands() {
        fetch += 1
        let (fetch, isGhost) = (fetch, world.plant == .handedTwice)
        guard let steering = try? LocalSteering(SteeredWord.waits.path, SteeredWord.waits.bytes(in: name)) else {
            preconditionFailure("a word")
        }
        let process = process
        client.post({ .steering(steering, by: process, $0) }) { [self] reply in
            guard isUp, !isFinished, fetch == self.fetch || isGhost else { return }
            switch reply {
            case .answered(let output?):
                if case .steer(let request)? = try? MessageToHost(parsing: output) {
                    take(request)
                    // Another of its processes waits as well, and gets the same command.
                    if isGhost { take(request) }
                }
                if fetch == self.fetch { waitForCommands() }
            case .answered(nil): if fetch == self.fetch { waitForCommands() }
            case .refused, .gone:
                guard fetch == self.fetch else { return }
                world.after(world.dice.within(100...2_000)) { [self] _ in
                    guard isUp, !isFinished, fetch == self.fetch else { return }
                    stand()
                    waitForCommands()
                }
            }
        }
    }

    private func take(_ request: SteeringRequest) {
        world.trace.note(world.now, name, "is handed", "\(request.command)")
        let isTaken: Bool =
            switch request.action {
            case .prompt(let prompt): ask == nil && (state == .idle || prompt.whenBusy == .steer)
            case .interrupt: state == .working
            default: false
            }
        guard isTaken else { return say(.told(SteeringChange(request.name, .refused, reason: "not now"))) }
        world.checkTaken(request)
        if case .interrupt = request.action {
            if ask != nil { answeredHere(false) }
            become(.idle)
        } else if state == .idle {
            become(.working)
        }
        // Most programs report that.
        if world.dice.chance(0.9) { say(.told(SteeringChange(request.name, .taken))) }
    }
}

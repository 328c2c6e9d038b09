import AgentClaude
import HostCore
import RelayProtocol

/// `heliograph claude`: a program of ours that holds the terminal of a simulated Claude Code. The product's machine reads its
/// screen and its registry and types there; a person at the same terminal types, answers dialogs and presses Esc.
final class HeldTerminal: AgentBody, ClaudeFront {
    let adapter = ClaudeHooks.adapter
    let entrypoint = "cli"
    let callsAtOnceMax = 1
    private unowned let world: World
    private unowned let host: HostProcess
    private let index: Int
    private var agent: ClaudeAgent!
    private var machine = TypingMachine()
    private var input: InputLine
    private var lines: [SteeringLine] = []
    private var life = 0
    private var isUp = false
    private var isFinished = false
    private var arming = 0

    // Inputs of the machine.
    private var box: PromptBox?
    private var isScreenNew = false
    private var entry: String?
    private var name: String?
    private var dialogSince: Int64?
    private var isTranscriptFollowed = false

    /// The person's keys, held back while text is typed for a client.
    private var held: [InputLine.Key]?
    /// Texts accepted by its hooks while a turn ran.
    private var queued: [String] = []
    private var hooksUnderWay = 0
    private var lastToken = 0
    private var refusal: String?

    private var books: TypingBooks

    init(world: World, host: HostProcess, index: Int) {
        self.world = world
        self.host = host
        self.index = index
        input = InputLine(world: world)
        books = TypingBooks(world: world)
        agent = ClaudeAgent(world: world, host: host, process: Int32(600 + index), front: self)
    }

    var asks: [AgentAsk] { agent.asksAfar }
    var sessions: [(id: SessionID, status: SessionStatus?)] { agent.sessions }
    func isAlive(_ process: AgentProcess) -> Bool { agent.isUp && !agent.isFinished && process == agent.hooks.process }

    // MARK: Life

    func start() {
        guard !isUp, !isFinished else { return }
        life += 1
        isUp = true
        machine = TypingMachine(mode: "default")
        books = TypingBooks(world: world)
        (box, isScreenNew, entry, name, dialogSince, isTranscriptFollowed) = (nil, false, nil, nil, nil, false)
        (held, queued, hooksUnderWay) = (nil, [], 0)
        input = InputLine(world: world)
        input.dialogSince = { [unowned self] in dialogSince }
        input.mayEnter = { [unowned self] isOurs in isOurs || (agent.doing == .idle && hooksUnderWay == 0) }
        input.submitted = { [unowned self] in submitted($0, isOurs: $1) }
        input.escaped = { [unowned self] in escaped() }
        input.drew = { [unowned self] in drew($0) }
        agent.start()
        input.draw()
        lookOn(life)
        sit(life)
    }

    func restart() {
        guard isUp, !isFinished else { return }
        world.trace.note(world.now, "held\(index)", "breaks", "life \(life)")
        switch world.dice.below(3) {
        case 0:
            agent.die()
            ended()
        case 1:
            // Ends the program that holds the terminal, and with it the agent.
            lines.last?.end()
            stop()
            agent.end()
            startAgain()
        default: take(.terminated)
        }
    }

    private func startAgain() {
        let life = life
        world.after(world.dice.within(50...2_000)) { [self] _ in if life == self.life { start() } }
    }

    func losePower() {
        if isUp { lines.last?.end() }
        stop()
        agent.die()
    }

    private func stop() {
        isUp = false
        arming += 1
        input.close()
    }

    private func ended() {
        guard isUp else { return }
        books.agentEnded()
        take(.ended)
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
        take(.terminated)
    }

    func carryOut(_ order: any Sendable) { agent.files.carryOut(order, of: agent.hooks) }

    // MARK: The program

    private func take(_ fact: TypingFact) {
        var facts = [fact]
        while isUp, !facts.isEmpty {
            let fact = facts.removeFirst()
            for order in machine.handle(fact, at: host.instant.monotonic) where isUp { facts += carryOut(order) }
        }
        arm()
    }

    private func arm() {
        arming += 1
        guard isUp, let due = machine.nextDeadline else { return }
        let arming = arming
        world.at(due) { [self] _ in if arming == self.arming { take(.timerFired) } }
    }

    /// Carries out an order; returns the facts that follow from it at once.
    private func carryOut(_ order: TypingOrder) -> [TypingFact] {
        switch order {
        case .write(let bytes): type(bytes)
        case .hold: held = held ?? []
        case .release:
            let keys = held ?? []
            held = nil
            for key in keys { input.press(key, isOurs: false) }
            return keys.isEmpty ? [] : [.keyTyped]
        case .answer(_, let refusal): self.refusal = refusal
        case .followTranscript: isTranscriptFollowed = true
        case .stand(let offer, let standing): lines.last?.stand(offer, standing)
        case .tell(let change):
            lines.last?.tell(change)
            return books.told(change, mode: input.mode)
        case .hangUp:
            let life = life
            world.after(world.dice.within(0...500)) { [self] _ in
                guard life == self.life, isUp else { return }
                agent.end()
                ended()
            }
        case .kill:
            agent.die()
            ended()
        }
        return []
    }

    private func type(_ bytes: [UInt8]) {
        switch bytes {
        case [0x0D]: input.press(.enter, isOurs: true)
        case [0x13]: input.press(.stash, isOurs: true)
        case [0x1B]: input.press(.escape, isOurs: true)
        case Array("\u{1B}[Z".utf8): input.press(.nextMode, isOurs: true)
        case _ where bytes.allSatisfy({ $0 == 0x15 }): for _ in bytes { input.press(.deleteRow, isOurs: true) }
        default:
            for piece in String(decoding: bytes, as: UTF8.self).split(separator: "\u{1B}[201~") {
                input.press(.text(String(piece.dropFirst(6))), isOurs: true)
            }
        }
    }

    private func handed(_ request: SteeringRequest, to line: String) {
        guard line == name else { return }
        let asked = lines.last
        look()
        guard line == name else {
            asked?.tell(SteeringChange(request.name, .refused, reason: "another conversation was opened at its terminal"))
            return
        }
        books.given(request)
        take(.steered(request))
    }

    // MARK: What it sees

    private func lookOn(_ life: Int) {
        world.after(machine.isAtWork ? 40 : 250) { [self] _ in
            guard life == self.life, isUp else { return }
            look()
            lookOn(life)
        }
    }

    private func look() {
        if agent.files.entry != entry {
            entry = agent.files.entry
            read(entry.flatMap { try? JSONDocument(parsing: $0) }.flatMap { TerminalStanding($0, startedAt: 0) })
        }
        guard isScreenNew || machine.isAtWork else { return }
        isScreenNew = false
        take(.shows(box))
    }

    private func read(_ standing: TerminalStanding?) {
        if let standing, standing.name != name {
            name = standing.name
            opened(standing.name)
        }
        let doing = world.plant == .unseenDialog && standing?.doing == .waiting ? .idle : standing?.doing
        take(.does(doing))
    }

    /// Begins a new conversation. The machine's reports on commands still belong to the previous one.
    private func opened(_ name: String) {
        let orders = machine.handle(.opened, at: host.instant.monotonic)
        let before = lines.last
        for case .tell(let change) in orders {
            before?.tell(change)
            _ = books.told(change, mode: input.mode)
        }
        open(name)
        for order in orders { if case .tell = order { continue } else { _ = carryOut(order) } }
        arm()
    }

    private func open(_ name: String) {
        lines.last?.finish()
        lines.removeAll(where: \.isOver)
        lines.append(
            SteeringLine(
                world: world, host: host, session: ClaudeHooks.session(name),
                process: AgentProcess(id: Int32(700 + index), startedAt: UInt64(life)),
                took: { [unowned self] in handed($0, to: name) }))
    }

    private func drew(_ box: PromptBox?) {
        self.box = box
        isScreenNew = true
        if machine.isAtWork { look() }
    }

    // MARK: The agent

    /// The agent's hook first asks the program whether it may accept the text.
    private func submitted(_ text: String, isOurs: Bool) {
        let life = life
        hooksUnderWay += 1
        let wait = world.dice.chance(0.08) ? world.dice.within(4_000...6_000) : world.dice.within(20...320)
        world.after(wait) { [self] _ in
            guard life == self.life, isUp else { return }
            hooksUnderWay -= 1
            lastToken += 1
            refusal = nil
            take(.prompted(text, in: agent.session, mode: input.mode, TypingToken(lastToken)))
            if refusal != nil { return input.giveBack(text) }
            world.trace.note(world.now, agent.name, "takes", text)
            books.taken(text, isOurs: isOurs, in: agent.session)
            if agent.isInTurn { queued.append(text) } else { agent.submit(text) }
        }
    }

    private func escaped() {
        books.escaped()
        if let call = agent.asks.first { agent.reject(call.hook) } else { agent.interrupt() }
    }

    func turnEnded(isInterrupted: Bool) {
        setDialog(isOpen: false)
        let life = life
        world.after(world.dice.within(0...200)) { [self] _ in
            guard life == self.life, isUp else { return }
            if isInterrupted, isTranscriptFollowed {
                books.escaped()
                take(.interruptWritten)
            }
            if !agent.isInTurn, !queued.isEmpty { agent.submit(queued.removeFirst()) }
        }
    }

    private func setDialog(isOpen: Bool) {
        dialogSince = isOpen ? dialogSince ?? world.now : nil
        input.draw()
    }

    func asked(_ call: ClaudeCall) {
        setDialog(isOpen: true)
        if world.dice.chance(0.5) { agent.answerAtDialog(call.hook, within: 300...20_000) }
    }

    func isLeft(_ call: ClaudeCall) { agent.answerAtDialog(call.hook, within: 100...5_000) }
    func isSettled(_ call: ClaudeCall) { setDialog(isOpen: false) }
    func said(_ text: String) {}
    func interrupts(whileToolRuns: Bool) -> Bool { world.dice.chance(0.1) }

    func idles() { if queued.isEmpty, hooksUnderWay == 0, world.dice.chance(world.shape.endings) { agent.clear() } }

    // MARK: Its person

    private func sit(_ life: Int) {
        let pace = world.shape.pace
        world.after(world.dice.within(pace / 4...3 * pace)) { [self] _ in
            guard life == self.life, isUp else { return }
            if !world.isCalm { typeWords(world.dice.below(4), life) }
            sit(life)
        }
    }

    private func typeWords(_ count: Int, _ life: Int) {
        guard life == self.life, isUp, dialogSince == nil, !world.isCalm else { return }
        guard count > 0 else {
            if world.dice.chance(0.6) { press(.enter) }
            return
        }
        press(.text(world.name("w") + " "))
        world.after(world.dice.within(50...700)) { [self] _ in typeWords(count - 1, life) }
    }

    private func press(_ key: InputLine.Key) {
        if held != nil {
            held?.append(key)
            return take(.keyHeld)
        }
        input.press(key, isOurs: false)
        take(.keyTyped)
    }
}

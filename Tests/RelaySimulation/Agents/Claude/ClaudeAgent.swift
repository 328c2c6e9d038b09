import AgentClaude
import HostCore
import RelayProtocol

/// Claude Code as its hooks and its files report it, independent of its front: turns, tools that are asked about, and their end. Its
/// dialog and its hook ask at the same time; no hook reports an answer at the dialog.
final class ClaudeAgent {
    enum Doing: Equatable { case idle, busy, asking }

    private unowned let world: World
    private unowned let host: HostProcess
    private unowned let front: any ClaudeFront
    let files: ClaudeFiles
    let hooks: ClaudeHooks
    private(set) var isUp = false
    private(set) var isFinished = false
    private(set) var isInTurn = false
    private(set) var batch: [ClaudeCall] = []
    private var step = 0
    /// The current run and turn; callbacks of earlier ones are ignored.
    private var run = 0
    private var turn = 0
    /// True while the agent does nothing.
    var isStuck = false

    init(world: World, host: HostProcess, process: Int32, front: any ClaudeFront) {
        self.world = world
        self.host = host
        self.front = front
        files = ClaudeFiles(world: world, host: host)
        hooks = ClaudeHooks(world: world, host: host, number: process)
    }

    var name: String { hooks.name }
    var session: SessionID { ClaudeHooks.session(name) }
    var asks: [ClaudeCall] { batch.filter { $0.state == .asked } }
    var doing: Doing { asks.isEmpty ? isInTurn ? .busy : .idle : .asking }

    // MARK: As clients have to see it

    /// Questions that clients can answer. Once a hook has given up on clients, only the dialog asks.
    var asksAfar: [AgentAsk] {
        guard isUp else { return [] }
        return asks.filter { $0.token != nil }.map { AgentAsk(session: session, words: $0.words) }
    }

    /// Calls that were answered at the terminal while others of the same message are still asked: hooks report them only when all have
    /// ended.
    var untold: [AgentAsk] {
        guard isUp, !asks.isEmpty else { return [] }
        return batch.filter { $0.state != .asked }.map { AgentAsk(session: session, words: $0.words) }
    }

    var sessions: [(id: SessionID, status: SessionStatus?)] {
        let current: SessionStatus? =
            !isUp || isFinished ? nil : [.idle: .idle, .busy: .running, .asking: .waitingApproval][doing]
        let over = hooks.past.filter { $0 != name }.map { (id: ClaudeHooks.session($0), status: SessionStatus?.none) }
        // A session that began while no daemon ran, and has reported nothing since, is unknown.
        return over + (hooks.heard.contains(name) ? [(session, current)] : [])
    }

    // MARK: Life

    /// `known` is the session to resume; nil for a new one.
    func start(resuming known: String? = nil) {
        guard !isUp, !isFinished else { return }
        isUp = true
        run += 1
        hooks.run = run
        begin(known == nil ? "startup" : "resume", known)
        goOn()
    }

    /// Begins another session in the same process.
    func clear() {
        leave()
        begin("clear", nil)
    }

    private func begin(_ source: String, _ known: String?) {
        hooks.begin(known ?? world.name("c"))
        (batch, isInTurn, isStuck) = ([], false, false)
        world.trace.note(world.now, name, "starts", "run \(run)")
        changed()
        hooks.call("SessionStart", #""source":"\#(source)","model":"claude-opus-5-5""#)
    }

    /// Dies without a report by any hook.
    func die() {
        guard isUp else { return }
        world.trace.note(world.now, name, "is killed", "run \(run)")
        isUp = false
        step += 1
        (batch, isInTurn) = ([], false)
        files.remove()
    }

    func daemonGone() {
        files.daemonGone()
        for call in asks where !call.isLeft {
            set(call.hook) { ($0.token, $0.isCalled) = (nil, false) }
            // The hook calls the daemon again.
            world.after(world.dice.within(100...2_000)) { [self] _ in request(call.hook) }
        }
    }

    /// The agent exits; the last of its hooks reports that.
    func end() {
        guard isUp else { return }
        step += 1
        leave()
        isUp = false
    }

    func finish() {
        step += 1
        isFinished = true
        if isUp { leave() }
    }

    /// Ends its hooks and removes its files.
    private func leave() {
        files.remove()
        for call in asks { hooks.end(call.token, within: 0...500) }
        (batch, isInTurn) = ([], false)
        hooks.call("SessionEnd", #""reason":"other""#)
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
        defer { goOn() }
        guard !isStuck else { return }
        switch doing {
        case .asking: break
        case .idle: if !world.isCalm { front.idles() }
        case .busy where !batch.isEmpty:
            if !world.isCalm, front.interrupts(whileToolRuns: true) { interrupt() }
        case .busy:
            switch world.dice.below(world.isCalm ? 1 : 6) {
            case 0: stop()
            case 1:
                let text = world.name("said ")
                hooks.call("MessageDisplay", #""index":0,"delta":"\#(text)","final":true"#, isLoose: true)
                front.said(text)
            case 2 where front.interrupts(whileToolRuns: false): interrupt()
            default: use()
            }
        }
    }

    /// The agent takes a prompt.
    func submit(_ text: String) {
        guard isUp, !isFinished else { return }
        if !isInTurn { turn += 1 }
        isInTurn = true
        changed()
        hooks.prompted(text)
    }

    private func stop() {
        turnOver(isInterrupted: false)
        guard world.plant != .unheardStop else { return }
        hooks.call("Stop", #""stop_hook_active":false"#)
    }

    /// Ends the turn, which no hook reports.
    func interrupt() {
        for call in asks { hooks.end(call.token, within: 0...500) }
        turnOver(isInterrupted: true)
    }

    private func turnOver(isInterrupted: Bool) {
        guard isInTurn else { return }
        (batch, isInTurn) = ([], false)
        changed()
        front.turnEnded(isInterrupted: isInterrupted)
    }

    /// Writes the agent's state to its registry entry.
    private func changed() {
        guard world.plant != .unheardStop || doing != .idle else { return }
        files.write(name, front.entrypoint, doing)
    }

    // MARK: Tools

    private static let commands = ["ls", "make", "rm x"]

    private func set(_ hook: Int, _ change: (inout ClaudeCall) -> Void) {
        guard let place = batch.firstIndex(where: { $0.hook == hook }) else { return }
        change(&batch[place])
    }

    private func call(_ hook: Int) -> ClaudeCall? { batch.first { $0.hook == hook } }

    private func use() {
        var commands = Self.commands
        for _ in 0..<(1 + world.dice.below(front.callsAtOnceMax)) {
            let place = world.dice.below(commands.count)
            use(commands.remove(at: place), isAsked: world.dice.chance(0.6))
        }
    }

    private func use(_ words: String, isAsked: Bool) {
        world.lastName += 1
        let call = ClaudeCall(id: world.name("toolu_"), words: words, hook: world.lastName, at: world.now)
        batch.append(call)
        let turn = turn
        hooks.call("PreToolUse", hooks.tool(words, call.id)) { [self] output in
            guard let output, let root = (try? JSONDocument(parsing: output))?.root, !root.isTrue("continue"),
                root.optional("continue") != nil, turn == self.turn, isInTurn
            else { return }
            // The turn stops here, and no hook reports it.
            if let request = host.takeGiven(.interrupt, in: session) {
                world.checkTaken(request)
            } else {
                world.report(.steering, "\(session) is told to stop, and nobody wished it")
            }
            interrupt()
        }
        guard isAsked else { return ran(call.hook) }
        world.trace.note(world.now, name, "asks", "\(words), hook \(call.hook)")
        changed()
        request(call.hook)
        front.asked(call)
    }

    /// The tool ran, or failed; reports that by its hook.
    private func ran(_ hook: Int) {
        guard let call = call(hook) else { return }
        hooks.call("PostToolUse", hooks.tool(call.words, call.id) + #","tool_response":{"stdout":"ok","stderr":""}"#)
        over(hook, "ok")
    }

    private func over(_ hook: Int, _ text: String) {
        set(hook) { $0.state = .over(text) }
        let results = batch.compactMap { call -> String? in
            guard case .over(let text) = call.state else { return nil }
            return hooks.result(of: call, text)
        }
        if results.count == batch.count {
            batch = []
            hooks.call(
                "PostToolBatch", #""permission_mode":"default","tool_calls":[\#(results.joined(separator: ","))]"#)
        }
        changed()
    }

    /// Runs the tool for a while.
    private func later(_ hook: Int) {
        let run = run
        set(hook) { $0.state = .running }
        changed()
        world.after(world.dice.within(0...5_000)) { [self] _ in
            if run == self.run, isUp, !isFinished, call(hook)?.state == .running { ran(hook) }
        }
    }

    // MARK: Asking

    private func request(_ hook: Int) {
        guard isUp, let call = call(hook), call.state == .asked, !call.isCalled, !call.isLeft else { return }
        guard host.isUp else { return world.after(500) { [self] _ in request(hook) } }
        let attempt = call.attempts + 1
        set(hook) { ($0.attempts, $0.isCalled) = (attempt, true) }
        hooks.ask(call, attempt: attempt) { [self] in
            answered(hook, $0)
        } taken: { [self] token in
            if self.call(hook)?.state == .asked { set(hook) { $0.token = token } }
        }
        // The daemon may end before the hook has reached it.
        world.after(1_000) { [self] _ in
            guard let call = self.call(hook), call.attempts == attempt, call.token == nil else { return }
            set(hook) { $0.isCalled = false }
            request(hook)
        }
    }

    private func answered(_ hook: Int, _ output: [UInt8]?) {
        guard isUp, let call = call(hook), call.state == .asked else { return }
        guard let output else {
            // The agent's own dialog stays open.
            set(hook) { ($0.token, $0.isLeft) = (nil, true) }
            return front.isLeft(call)
        }
        let decision = (try? JSONDocument(parsing: output))?.root.optional("hookSpecificOutput")?.optional("decision")
        let isAllowed = decision?.text("behavior") == "allow"
        world.trace.note(world.now, name, "takes", "\(String(decoding: output, as: UTF8.self)) for hook \(hook)")
        let asked = AgentChecker.Asked(
            key: "\(host.name) \(hook)", ask: AgentAsk(session: session, words: call.words), at: call.at)
        world.checkAnswer(asked, isAllowed: isAllowed, offer: nil)
        front.isSettled(call)
        if isAllowed { return later(hook) }
        files.lines.append(
            #"{"attachment":{"type":"hook_permission_decision","decision":"deny","toolUseID":"\#(call.id)"}}"#)
        over(hook, decision?.text("message") ?? "")
    }

    func isAsked(_ hook: Int) -> Bool { call(hook)?.state == .asked }

    /// Allowed at the terminal: the hook gets no answer.
    func allow(_ hook: Int) {
        guard let call = call(hook), call.state == .asked else { return }
        later(hook)
        front.isSettled(call)
    }

    /// Denied with a message: the turn continues.
    func deny(_ hook: Int, _ words: String) {
        guard let call = call(hook), call.state == .asked else { return }
        over(hook, words)
        front.isSettled(call)
    }

    /// The person at the agent's own dialog answers there.
    func answerAtDialog(_ hook: Int, within wait: ClosedRange<Int64>) {
        world.after(world.dice.within(wait)) { [self] _ in
            guard isAsked(hook) else { return }
            let way = world.dice.below(4)
            world.trace.note(world.now, name, "is answered", "at its terminal, hook \(hook), way \(way)")
            switch way {
            case 0, 1: allow(hook)
            case 2: reject(hook)
            default: deny(hook, "The user doesn't want to proceed with this tool use.")
            }
        }
    }

    /// Denied without a message, or Esc: ends the turn, and cancels the hook.
    func reject(_ hook: Int) {
        guard isAsked(hook) else { return }
        for call in asks { hooks.end(call.token, within: 0...1_500) }
        turnOver(isInterrupted: true)
    }
}

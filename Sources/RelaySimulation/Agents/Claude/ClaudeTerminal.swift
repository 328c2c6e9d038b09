import AgentClaude
import HostCore
import RelayProtocol

/// Claude Code in a terminal, as its hooks, its registry and its transcript tell of it, with the person before it, who may answer
/// first. Its dialog and its hook ask side by side; what is answered at the terminal no hook is told.
final class ClaudeTerminal: AgentBody {
    private struct Ask {
        let hook: Int
        let call: String
        let words: String
        let at: Int64
        var token: HookToken?
        var attempts = 0
    }

    private enum Doing: Equatable { case idle, busy, asking }

    let adapter = "claude"
    private unowned let world: World
    private unowned let host: HostProcess
    private let index: Int
    private var name = ""
    private var past: [String] = []
    /// Those of which a daemon has heard.
    private var heard: Set<String> = []
    private var run = 0
    private var isUp = false
    private var isFinished = false
    private var doing = Doing.idle {
        didSet {
            if doing != .busy { running = nil }
            if doing != oldValue { write() }
        }
    }
    private var ask: Ask?
    /// The call of the tool that runs: nothing else begins meanwhile.
    private var running: String?
    private var step = 0
    private var prompts = 0
    /// When the hook before the next one reaches the daemon.
    private var lastHookAt: Int64 = 0
    private var lastWriteAt: Int64 = 0
    /// Its entry in the registry, and what the daemon's reader last made of it.
    private var entry: String?
    private var shown: [SessionID: String?] = [:]
    /// Lines of the transcript that nobody has read.
    private var lines: [String] = []

    init(world: World, host: HostProcess, index: Int) {
        self.world = world
        self.host = host
        self.index = index
    }

    private var process: AgentProcess { AgentProcess(id: Int32(200 + index), startedAt: UInt64(run)) }
    func isAlive(_ process: AgentProcess) -> Bool { isUp && !isFinished && process == self.process }

    private static func session(_ name: String) -> SessionID {
        guard let id = SessionID("claude-\(name)") else { preconditionFailure("simulated names are identifiers") }
        return id
    }

    private var session: SessionID { Self.session(name) }
    private var registryPath: String { "/srv/dev/.claude/sessions/\(process.id).json" }

    /// Once its hook has given up on people afar, only its dialog asks.
    var asks: [AgentAsk] {
        guard isUp, let ask, ask.token != nil else { return [] }
        return [AgentAsk(session: session, words: ask.words)]
    }

    var sessions: [(id: SessionID, status: SessionStatus?)] {
        let current: SessionStatus? =
            !isUp || isFinished ? nil : [.idle: .idle, .busy: .running, .asking: .waitingApproval][doing]
        let over = past.filter { $0 != name }.map { (id: Self.session($0), status: SessionStatus?.none) }
        // One that began while no daemon ran, and has told nothing since, nobody knows of.
        return over + (heard.contains(name) ? [(session, current)] : [])
    }

    // MARK: Life

    func start() {
        guard !isUp, !isFinished else { return }
        isUp = true
        run += 1
        begin("startup")
        goOn()
    }

    private func begin(_ source: String) {
        name = world.name("c")
        past.append(name)
        (ask, doing) = (nil, .idle)
        world.trace.note(world.now, name, "starts", "run \(run)")
        write()
        call("SessionStart", #""source":"\#(source)","model":"claude-opus-5-5""#)
    }

    /// Killed, so that none of its hooks tells anything.
    func restart() {
        guard isUp, !isFinished else { return }
        die()
        world.after(world.dice.within(50...2_000)) { [self] _ in start() }
    }

    func losePower() { die() }

    private func die() {
        guard isUp else { return }
        world.trace.note(world.now, name, "is killed", "run \(run)")
        isUp = false
        step += 1
        (ask, running) = (nil, nil)
        entry = nil
    }

    func daemonGone() {
        shown = [:]
        guard let ask else { return }
        self.ask?.token = nil
        // Its hook calls again.
        world.after(world.dice.within(100...2_000)) { [self] _ in request(ask.hook) }
    }

    func finish() {
        step += 1
        guard isUp else { return isFinished = true }
        end()
        isFinished = true
    }

    /// It leaves: its hooks are told to go, and the last of them tells so.
    private func end() {
        entry = nil
        if let ask { hookEnds(ask, within: 0...500) }
        ask = nil
        call("SessionEnd", #""reason":"other""#)
    }

    // MARK: Hooks

    /// `isLoose` ones run beside the others, and may be early or late.
    private func call(
        _ event: String, _ members: String, isLoose: Bool = false, _ answered: (([UInt8]?) -> Void)? = nil,
        _ taken: ((HookToken) -> Void)? = nil
    ) {
        let (name, process, run) = (name, process, run)
        let at = isLoose ? world.now + world.dice.within(0...40) : max(lastHookAt, world.now + world.dice.within(0...20))
        if !isLoose { lastHookAt = at }
        world.at(at) { [self] world in
            // Without a daemon a hook says nothing.
            guard let daemon = host.daemon else { return }
            world.trace.note(world.now, name, "calls", event)
            heard.insert(name)
            let path = "/srv/dev/.claude/projects/p/\(name).jsonl"
            let text =
                #"{"session_id":"\#(name)","transcript_path":"\#(path)","cwd":"/srv/dev/proj","hook_event_name":"\#(event)","#
                + #""prompt_id":"\#(name)-\#(prompts)"\#(members.isEmpty ? "" : "," + members)}"#
            guard let payload = try? JSONDocument(parsing: text) else { preconditionFailure("hooks are told JSON: \(text)") }
            var hook = ClaudeHook(event: event, payload: payload, process: process)
            if let answered {
                let token = daemon.token { output in
                    world.after(world.dice.within(0...20)) { [self] _ in if run == self.run { answered(output) } }
                }
                hook.token = token
                if let ask, event == "PermissionRequest" {
                    hook.run = world.plant == .olderCall ? ask.words : "hook \(ask.hook)"
                    hook.attempt = world.plant == .olderCall ? 2 : ask.attempts
                }
                taken?(token)
            }
            host.tell(ClaudeFact.hookCalled(hook), of: adapter)
            // Now and then one is told twice.
            if answered == nil, world.dice.chance(0.02) { host.tell(ClaudeFact.hookCalled(hook), of: adapter) }
        }
    }

    private func hookEnds(_ ask: Ask, within wait: ClosedRange<Int64>) {
        guard let token = ask.token else { return }
        let daemon = host.daemon
        world.after(world.dice.within(wait)) { [self] _ in
            if let daemon, host.daemon === daemon { daemon.tell(.hookGone(token)) }
        }
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
        switch doing {
        case .asking: break
        case .idle:
            guard !world.isCalm else { break }
            if world.dice.chance(world.shape.endings) {
                end()
                begin("clear")
            } else if world.dice.chance(0.5) {
                prompts += 1
                doing = .busy
                call("UserPromptSubmit", #""prompt":"\#(world.name("local "))""#)
            }
        case .busy where running != nil:
            // Its person presses Esc now and then: no hook tells of that.
            if !world.isCalm, world.dice.chance(0.1) { doing = .idle }
        case .busy:
            switch world.dice.below(world.isCalm ? 1 : 6) {
            case 0: stop()
            case 1:
                let text = world.name("said ")
                call("MessageDisplay", #""index":0,"delta":"\#(text)","final":true"#, isLoose: true)
            case 2:
                // Its person presses Esc: no hook tells of that.
                doing = .idle
            default: use(isAsked: world.dice.chance(0.6))
            }
        }
        goOn()
    }

    private func stop() {
        doing = .idle
        guard world.plant != .unheardStop else { return }
        call("Stop", #""stop_hook_active":false"#)
    }

    private static let commands = ["ls", "make", "rm x"]

    private func tool(_ words: String, _ call: String? = nil) -> String {
        let name = call.map { #","tool_use_id":"\#($0)""# } ?? ""
        return #""permission_mode":"default","tool_name":"Bash","tool_input":{"command":"\#(words)"}\#(name)"#
    }

    private func use(isAsked: Bool) {
        let (call, words, prompt) = (world.name("toolu_"), world.dice.pick(Self.commands), prompts)
        self.call("PreToolUse", tool(words, call)) { [self] output in
            guard let output, let root = (try? JSONDocument(parsing: output))?.root, !root.isTrue("continue"),
                root.optional("continue") != nil
            else { return }
            guard prompt == prompts, doing != .idle else { return }
            // It stops here, and no hook tells of it.
            if let request = host.takeGiven(.interrupt, in: session) {
                world.checkTaken(request)
            } else {
                world.report(.steering, "\(session) is told to stop, and nobody wished it")
            }
            if let ask { hookEnds(ask, within: 0...500) }
            ask = nil
            doing = .idle
        }
        guard isAsked else { return ran(call, words) }
        world.lastName += 1
        ask = Ask(hook: world.lastName, call: call, words: words, at: world.now)
        world.trace.note(world.now, name, "asks", "\(words), hook \(world.lastName)")
        doing = .asking
        request(world.lastName)
        let hook = world.lastName
        if world.dice.chance(0.5) {
            world.after(world.dice.within(300...20_000)) { [self] _ in if ask?.hook == hook { answeredHere() } }
        }
    }

    /// The tool ran, or failed, and the whole batch is over.
    private func ran(_ call: String, _ words: String) {
        self.call("PostToolUse", tool(words, call) + #","tool_response":{"stdout":"ok","stderr":""}"#)
        batch(call, words, "ok")
    }

    private func batch(_ call: String, _ words: String, _ text: String) {
        let tool =
            #"{"tool_name":"Bash","tool_input":{"command":"\#(words)"},"tool_use_id":"\#(call)","tool_response":"\#(text)"}"#
        self.call("PostToolBatch", #""permission_mode":"default","tool_calls":[\#(tool)]"#)
    }

    // MARK: Asking

    private func request(_ hook: Int) {
        guard isUp, var ask, ask.hook == hook, ask.token == nil else { return }
        guard host.isUp else { return world.after(500) { [self] _ in request(hook) } }
        ask.attempts += 1
        self.ask = ask
        call("PermissionRequest", tool(ask.words)) { [self] in
            answered(hook, $0)
        } _: { [self] token in
            if self.ask?.hook == hook { self.ask?.token = token }
        }
        // It may be gone again before the hook has reached it.
        world.after(1_000) { [self] _ in if self.ask?.hook == hook, self.ask?.token == nil { request(hook) } }
    }

    private func answered(_ hook: Int, _ output: [UInt8]?) {
        guard isUp, let ask, ask.hook == hook else { return }
        guard let output else {
            // Its own dialog stays.
            self.ask?.token = nil
            return world.after(world.dice.within(100...5_000)) { [self] _ in if self.ask?.hook == hook { answeredHere() } }
        }
        let decision = (try? JSONDocument(parsing: output))?.root.optional("hookSpecificOutput")?.optional("decision")
        let isAllowed = decision?.text("behavior") == "allow"
        world.trace.note(world.now, name, "takes", "\(String(decoding: output, as: UTF8.self)) for hook \(hook)")
        let asked = AgentChecker.Asked(
            key: "\(host.name) \(hook)", ask: AgentAsk(session: session, words: ask.words), at: ask.at)
        world.checkAnswer(asked, isAllowed: isAllowed, offer: nil)
        self.ask = nil
        doing = .busy
        guard !isAllowed else { return later(ask) }
        let message = decision?.text("message") ?? ""
        lines.append(
            #"{"attachment":{"type":"hook_permission_decision","decision":"deny","toolUseID":"\#(ask.call)"}}"#)
        batch(ask.call, ask.words, message)
    }

    /// It runs for a while.
    private func later(_ ask: Ask) {
        let run = run
        running = ask.call
        world.after(world.dice.within(0...5_000)) { [self] _ in
            guard run == self.run, isUp, !isFinished, running == ask.call else { return }
            running = nil
            ran(ask.call, ask.words)
        }
    }

    private func answeredHere() {
        guard let ask else { return }
        self.ask = nil
        let way = world.dice.below(4)
        world.trace.note(world.now, name, "is answered", "at its terminal, hook \(ask.hook), way \(way)")
        switch way {
        case 0, 1:
            // Yes: its hook is told nothing.
            doing = .busy
            later(ask)
        case 2:
            // No, or Esc: the turn is over, and the hook is sent away.
            doing = .idle
            hookEnds(ask, within: 0...1_500)
        default:
            // No, with words.
            doing = .busy
            batch(ask.call, ask.words, "The user doesn't want to proceed with this tool use.")
        }
    }

    // MARK: Its files

    private func write() {
        guard isUp, !isFinished, world.plant != .unheardStop || doing != .idle else { return }
        let (run, name) = (run, name)
        let status =
            [Doing.idle: #""idle""#, .busy: #""busy""#, .asking: #""waiting","waitingFor":"permission prompt""#][doing] ?? ""
        let text = #"{"sessionId":"\#(name)","entrypoint":"cli","status":\#(status),"statusUpdatedAt":\#(host.instant.wall)}"#
        // It writes one after the other.
        lastWriteAt = max(lastWriteAt, world.now + world.dice.within(0...50))
        world.at(lastWriteAt) { [self] _ in
            if run == self.run, name == self.name, isUp, entry != nil || doing == .idle { entry = text }
        }
    }

    func carryOut(_ order: any Sendable) {
        guard let order = order as? ClaudeOrder else { return }
        switch order {
        case .readRegistry(let files):
            for file in files where file.path == registryPath { readRegistry(file.session) }
        case .readTranscript(let session) where session == self.session: readTranscript()
        case .readTranscriptEnd(let request) where past.contains { Self.session($0) == request.session }:
            host.tell(ClaudeFact.transcriptEndRead(request, nil), of: adapter)
        case .readTranscriptEnd, .readTranscript, .followTranscript, .readTasks, .launch: break
        }
    }

    private func readRegistry(_ session: SessionID) {
        // Only what changed since the last look; what it brought before may have ended the daemon.
        guard host.daemon != nil, shown[session] != .some(entry) else { return }
        shown[session] = .some(entry)
        let document = entry.flatMap { try? JSONDocument(parsing: $0) }
        host.tell(ClaudeFact.registryRead(session, document), of: adapter)
    }

    private func readTranscript() {
        let read = lines.compactMap { try? JSONDocument(parsing: $0) }
        lines = []
        if !read.isEmpty { host.tell(ClaudeFact.transcriptRead(session, read), of: adapter) }
    }
}

import AgentCodex
import HostCore
import RelayProtocol

/// Codex's shared server on one host, as its clients see it, with the terminals that are attached to it: it reports events to
/// clients that have resumed a thread, asks all of them, and takes the first answer. It starts and stops independently.
final class CodexServer: AgentBody {
    let adapter = CodexAdapter.name
    unowned let world: World
    private unowned let host: HostProcess
    private var threads: [CodexThread] = []
    private let terminals: Int
    private var isUp = false
    private var isFinished = false
    private var isLooking = false
    private var link: CodexLink?
    private var lastRequest = -1
    /// Number of the server's current run.
    private(set) var life = 0

    init(world: World, host: HostProcess, threads: Int) {
        self.world = world
        self.host = host
        terminals = threads
    }

    var name: String { "\(host.name) codex" }
    /// The host's clock, in seconds.
    var seconds: Int64 { host.instant.wall / 1_000 }
    private var openThreads: [CodexThread] { threads.filter { !$0.isClosed } }

    var asks: [AgentAsk] { openThreads.filter(\.isLoaded).compactMap(\.visibleAsk) }

    var sessions: [(id: SessionID, status: SessionStatus?)] {
        // A thread without a prompt has not begun a session.
        threads.filter(\.hasRollout).map { ($0.session, $0.isClosed ? nil : $0.status) }
    }

    func isAlive(_ process: AgentProcess) -> Bool { false }

    // MARK: Life

    func start() {
        guard !isUp, !isFinished else { return }
        isUp = true
        life += 1
        lastRequest = -1
        world.trace.note(world.now, name, "starts", "life \(life)")
        let life = life
        for thread in openThreads {
            // The thread's terminal reconnects.
            world.after(world.dice.within(50...3_000)) { [self] _ in if life == self.life { thread.load() } }
        }
        while openThreads.count < terminals { open() }
        if !isLooking { look() }
    }

    func restart() {
        guard isUp, !isFinished else { return }
        if world.dice.chance(0.5) { return breakLink() }
        stop()
        world.after(world.dice.within(50...(world.dice.chance(0.2) ? 60_000 : 3_000))) { [self] _ in start() }
    }

    func losePower() { stop() }

    func daemonGone() { link = nil }

    func finish() {
        isFinished = true
        for thread in openThreads { thread.finish() }
    }

    private func stop() {
        guard isUp else { return }
        world.trace.note(world.now, name, "stops")
        isUp = false
        life += 1
        for thread in openThreads { thread.serverStopped() }
        breakLink()
    }

    /// Opens a thread in another terminal.
    private func open() {
        let thread = CodexThread(world.name("t"), of: self)
        threads.append(thread)
        broadcast("thread/started", #""thread":\#(thread.shown(turns: ""))"#)
        thread.load()
    }

    func closed(_ thread: CodexThread, isArchived: Bool) {
        if isArchived {
            broadcast("thread/status/changed", #""threadId":"\#(thread.name)","status":{"type":"notLoaded"}"#)
            broadcast("thread/archived", #""threadId":"\#(thread.name)""#)
        } else {
            broadcast("thread/closed", #""threadId":"\#(thread.name)""#)
        }
        guard !isFinished else { return }
        world.after(world.dice.within(100...2_000)) { [self] _ in if isUp, openThreads.count < terminals { open() } }
    }

    // MARK: The reader's side

    /// The host looks for the server once a second.
    private func look() {
        isLooking = true
        world.after(1_000) { [self] _ in look() }
        guard link == nil, isUp, host.isUp else { return }
        link = CodexLink()
        host.tell(CodexFact.connected, of: adapter)
    }

    private func breakLink() {
        guard link != nil else { return }
        world.trace.note(world.now, name, "loses the host")
        link = nil
        host.tell(CodexFact.disconnected, of: adapter)
    }

    func carryOut(_ order: any Sendable) {
        guard let link, let order = order as? CodexOrder else { return }
        switch order {
        case .hangUp: breakLink()
        case .startServer: preconditionFailure("no client launches anything here")
        case .findLinks(let token, _, _):
            world.after(1) { [self] _ in host.tell(CodexFact.linksFound(token, [:]), of: adapter) }
        case .send(let bytes):
            guard let root = (try? JSONDocument(parsing: bytes))?.root else { preconditionFailure("the adapter writes JSON") }
            if root.text("method") == "turn/start" { check(root, link) }
            if root.text("method") == "thread/archive", let call = root.whole("id"),
                let thread = root.optional("params")?.text("threadId")
            {
                link.stops[call] = host.takeGiven(.stop, in: CodexThread.session(thread))
            }
            if root.text("method") == "turn/interrupt", let call = root.whole("id"),
                let thread = root.optional("params")?.text("threadId")
            {
                link.interrupts[call] = host.takeGiven(.interrupt, in: CodexThread.session(thread))
            }
            send(bytes, on: link)
        }
    }

    /// Reports a prompt that was sent although the host knew that the thread waits for an answer.
    private func check(_ root: JSONValue, _ link: CodexLink) {
        guard let thread = root.optional("params")?.text("threadId"), link.asking.values.contains(thread) else { return }
        world.report(.steering, "\(thread) is sent a prompt while it waits for an answer")
    }

    private func send(_ bytes: [UInt8], on link: CodexLink) {
        link.lastAtServer = max(link.lastAtServer, world.now + world.dice.within(0...5))
        world.at(link.lastAtServer) { [self] _ in
            guard self.link === link, isUp else { return }
            received(bytes, link)
        }
    }

    private func answer(_ request: Int, _ bytes: [UInt8], _ link: CodexLink) {
        guard self.link === link else { return }
        if link.closed.contains(request) {
            world.report(.freedom, "Codex is answered request \(request), which it has closed")
        } else if link.answers[request] != nil {
            world.report(.freedom, "Codex is answered request \(request) twice")
        }
        link.answers[request] = bytes
        send(bytes, on: link)
    }

    /// Sends to the host, in order and with a delay.
    private func say(_ text: String, _ learned: @escaping (CodexLink) -> Void = { _ in }) {
        guard let link else { return }
        link.lastAtHost = max(link.lastAtHost, world.now + world.dice.within(0...5))
        world.at(link.lastAtHost) { [self] _ in
            guard self.link === link, host.daemon != nil else { return }
            guard let document = try? JSONDocument(parsing: text) else { preconditionFailure("a server says JSON: \(text)") }
            learned(link)
            deliver(document, link)
        }
    }

    private func deliver(_ document: JSONDocument, _ link: CodexLink) {
        guard let daemon = host.daemon else { return }
        let request = document.root.text("method") == nil ? nil : document.root.whole("id").map { Int($0) }
        let token = daemon.token { [self] output in
            if let request, let output { answer(request, output, link) }
        }
        host.tell(CodexFact.received(document, token), of: adapter)
    }

    // MARK: What it says

    func broadcast(_ method: String, _ params: String) { say(#"{"method":"\#(method)","params":{\#(params)}}"#) }

    func notify(_ thread: CodexThread, _ method: String, _ params: String) {
        guard link?.subscribed.contains(thread.name) == true else { return }
        let isOver = method == "turn/completed"
        say(#"{"method":"\#(method)","params":{"threadId":"\#(thread.name)",\#(params)}}"#) { link in
            // The end of a turn closes its questions.
            if isOver { link.asking = link.asking.filter { $0.value != thread.name } }
        }
    }

    /// A new number for a request, from 0.
    func nextRequest() -> Int {
        lastRequest += 1
        return lastRequest
    }

    func ask(_ thread: CodexThread, _ ask: CodexAsk) {
        guard link?.subscribed.contains(thread.name) == true else { return }
        say(ask.message(of: thread.name)) { $0.asking[ask.id] = thread.name }
    }

    func resolved(_ thread: CodexThread, _ ask: CodexAsk) {
        guard let link, link.subscribed.contains(thread.name) else { return }
        say(
            #"{"method":"serverRequest/resolved","params":{"threadId":"\#(thread.name)","requestId":\#(ask.id)}}"#
        ) { [self] link in
            link.asking[ask.id] = nil
            link.closed.insert(ask.id)
            if world.plant == .answeredAgain, let bytes = link.answers[ask.id] { answer(ask.id, bytes, link) }
        }
    }

    // MARK: What it is asked

    private func received(_ bytes: [UInt8], _ link: CodexLink) {
        guard let root = (try? JSONDocument(parsing: bytes))?.root else { preconditionFailure("the adapter writes JSON") }
        guard let id = root.whole("id") else { return }
        guard let method = root.text("method") else { return answered(Int(id), root.optional("result")?.optional("decision")) }
        let params = root.optional("params") ?? root
        switch reply(to: method, params, id, link) {
        case .success(let result): say(#"{"id":\#(id),"result":{\#(result)}}"#)
        case .failure(let refusal): say(#"{"id":\#(id),"error":{"code":-32600,"message":"\#(refusal.words)"}}"#)
        }
        // A thread that is resumed repeats its question.
        if method == "thread/resume", let thread = thread(params), link.subscribed.contains(thread.name) { thread.repeatAsk() }
    }

    struct RefusalError: Error { let words: String }

    private func thread(_ params: JSONValue) -> CodexThread? {
        openThreads.first { $0.name == params.text("threadId") }
    }

    private func reply(
        to method: String, _ params: JSONValue, _ id: Int64, _ link: CodexLink
    ) -> Result<String, RefusalError> {
        switch method {
        case "initialize": return .success(#""userAgent":"codex-tui/0.163.0""#)
        case "thread/loaded/list":
            let names = openThreads.filter(\.isLoaded).map { "\"\($0.name)\"" }.joined(separator: ",")
            return .success(#""data":[\#(names)],"nextCursor":null"#)
        case "model/list": return .success(#""data":[]"#)
        case "thread/unsubscribe":
            if let name = params.text("threadId") { link.subscribed.remove(name) }
            return .success("")
        case "thread/unarchive":
            let isThere = threads.contains { $0.name == params.text("threadId") && $0.isArchived }
            return isThere ? .success("") : .failure(RefusalError(words: "no archived rollout found"))
        default: break
        }
        guard let thread = thread(params), method == "thread/resume" || thread.isLoaded else {
            return .failure(RefusalError(words: "thread not found"))
        }
        switch method {
        case "thread/resume":
            guard thread.hasRollout else { return .failure(RefusalError(words: "no rollout found")) }
            link.subscribed.insert(thread.name)
            thread.load()
            let turns = params.isTrue("excludeTurns") ? "" : thread.lastTurn(isWhole: true)
            return .success(#""thread":\#(thread.shown(turns: turns)),"model":"gpt-5.4","approvalPolicy":"on-request""#)
        case "thread/turns/list": return .success(#""data":[\#(thread.lastTurn(isWhole: false))]"#)
        case "turn/start":
            let text = params.list("input").first?.text("text") ?? ""
            return .success(thread.prompted(text, by: params.text("clientUserMessageId")))
        case "turn/steer":
            let text = params.list("input").first?.text("text") ?? ""
            guard thread.isRunning(params.text("expectedTurnId")) else {
                return .failure(RefusalError(words: "expected active turn id"))
            }
            return .success(thread.prompted(text, by: params.text("clientUserMessageId")))
        case "turn/interrupt":
            guard thread.isRunning(params.text("turnId")) else { return .failure(RefusalError(words: "no such turn runs")) }
            if let request = link.interrupts.removeValue(forKey: id) {
                world.checkTaken(request)
            } else {
                world.report(.steering, "\(thread.name) is interrupted, and nobody wished it")
            }
            thread.interrupt()
            return .success("")
        case "thread/archive":
            if let request = link.stops.removeValue(forKey: id) {
                world.checkTaken(request)
            } else {
                world.report(.steering, "\(thread.name) is ended, and nobody wished it")
            }
            thread.archive()
            return .success("")
        default: return .failure(RefusalError(words: "unknown method"))
        }
    }

    /// Takes an answer: the first counts, a late one has no effect.
    private func answered(_ request: Int, _ decision: JSONValue?) {
        guard let thread = openThreads.first(where: { $0.ask?.id == request }), let decision else { return }
        thread.answered(decision)
    }
}

import RelayProtocol

/// A thread of Codex, with the person at its terminal: turns of messages and calls, some of which are asked about.
final class CodexThread {
    private struct Turn {
        let id: String
        var status = "inProgress"
        /// Ended items, as JSON.
        var items: [String] = []
        /// The item that has begun and not ended.
        var openItem: (id: String, json: (String) -> String)?
        var completedAt: Int64?
        /// Additions to the running turn that were not read yet.
        var additions: [(text: String, client: String?)] = []
    }

    let name: String
    private unowned let server: CodexServer
    private unowned let world: World
    private(set) var isLoaded = false
    private(set) var isClosed = false
    /// True if a client has archived it; its terminal then closes it.
    private(set) var isArchived = false
    private var isFinished = false
    private var turn: Turn?
    private(set) var ask: CodexAsk?
    private var tokens = 0
    /// The current step; callbacks of earlier ones are ignored.
    private var step = 0

    init(_ name: String, of server: CodexServer) {
        self.name = name
        self.server = server
        world = server.world
    }

    static func session(_ name: String) -> SessionID {
        guard let id = SessionID("codex-\(name)") else { preconditionFailure("simulated names are identifiers") }
        return id
    }

    var session: SessionID { Self.session(name) }
    /// True if the thread can be resumed, which needs a first turn.
    var hasRollout: Bool { turn != nil }
    private var isActive: Bool { turn?.status == "inProgress" }
    func isRunning(_ id: String?) -> Bool { isActive && turn?.id == id }

    var status: SessionStatus { ask != nil ? .waitingApproval : isActive ? .running : .idle }
    var visibleAsk: AgentAsk? {
        guard let ask, ask.kind != .unknown else { return nil }
        return AgentAsk(session: session, words: ask.words)
    }

    private var wireStatus: String {
        guard isActive else { return #"{"type":"idle"}"# }
        return #"{"type":"active","activeFlags":[\#(ask == nil ? "" : #""waitingOnApproval""#)]}"#
    }

    /// The thread as sent to clients that resume it.
    func shown(turns: String) -> String {
        #"{"id":"\#(name)","ephemeral":false,"preview":"","cwd":"/srv/dev/proj","cliVersion":"0.163.0","name":null,"#
            + #""status":\#(wireStatus),"turns":[\#(turns)]}"#
    }

    /// Its last turn; `isWhole` includes the item that has not ended.
    func lastTurn(isWhole: Bool) -> String {
        guard let turn else { return "" }
        var items = turn.items
        if isWhole, let open = turn.openItem { items.append(open.json("inProgress")) }
        let end = turn.completedAt.map { #","completedAt":\#($0)"# } ?? ""
        return #"{"id":"\#(turn.id)","status":"\#(turn.status)","items":[\#(items.joined(separator: ","))]\#(end)}"#
    }

    // MARK: Life

    func load() {
        guard !isLoaded, !isClosed else { return }
        isLoaded = true
        server.broadcast("thread/status/changed", #""threadId":"\#(name)","status":\#(wireStatus)"#)
        goOn()
    }

    /// Ends a running turn without a notification.
    func serverStopped() {
        isLoaded = false
        step += 1
        ask = nil
        guard isActive else { return }
        turn?.additions = []
        turn?.openItem = nil
        turn?.status = "interrupted"
        turn?.completedAt = server.seconds
    }

    func finish() {
        isFinished = true
        step += 1
        if ask != nil { answeredAtTerminal(world.dice.chance(0.7)) }
        if isActive { end("completed") }
        world.after(10) { [self] _ in close() }
    }

    private func close() {
        guard !isClosed else { return }
        if isActive { interrupt() }
        step += 1
        isClosed = true
        server.closed(self, isArchived: isArchived)
    }

    // MARK: Work

    private func goOn() {
        step += 1
        let (step, pace) = (step, world.shape.pace)
        world.after(world.dice.within(pace / 10...2 * pace)) { [self] _ in
            guard step == self.step, isLoaded, !isClosed, !isFinished else { return }
            work()
        }
    }

    private func work() {
        guard ask == nil else { return goOn() }
        guard isActive else {
            if !world.isCalm {
                if hasRollout, world.dice.chance(world.shape.endings) { return close() }
                // The thread's person sends a prompt.
                if world.dice.chance(0.5) { begin(world.name("local "), by: nil) }
            }
            return goOn()
        }
        // The thread's person presses Esc, sometimes before the additions are read.
        if !world.isCalm, world.dice.chance(0.08) {
            interrupt()
            return goOn()
        }
        read()
        switch world.dice.below(world.isCalm ? 2 : 6) {
        case 0: end("completed")
        case 1: say("agentMessage", #""text":"\#(world.name("said "))""#)
        case 2: run(isAsked: false)
        case 3: usage()
        default: run(isAsked: true)
        }
        goOn()
    }

    private func note(_ method: String, _ params: String) { server.notify(self, method, params) }

    private func noteStatus() {
        server.broadcast("thread/status/changed", #""threadId":"\#(name)","status":\#(wireStatus)"#)
    }

    private func begin(_ text: String, by client: String?) {
        let id = world.name("u")
        turn = Turn(id: id)
        world.trace.note(world.now, name, "begins", "turn \(id)")
        noteStatus()
        note("turn/started", #""turn":{"id":"\#(id)","status":"inProgress"}"#)
        show(text, by: client)
    }

    private func show(_ text: String, by client: String?) {
        if client?.hasPrefix("heliograph.") == true { world.checkTaken(text, in: session) }
        let name = client.map { #""clientId":"\#($0)","# } ?? ""
        say("userMessage", #"\#(name)"content":[{"type":"text","text":"\#(text)"}]"#)
    }

    private func say(_ type: String, _ members: String) {
        let item = #"{"type":"\#(type)","id":"\#(world.name("i"))",\#(members)}"#
        note("item/started", #""turnId":"\#(turn?.id ?? "")","item":\#(item)"#)
        done(item)
    }

    private func done(_ item: String) {
        turn?.items.append(item)
        note("item/completed", #""turnId":"\#(turn?.id ?? "")","item":\#(item)"#)
    }

    /// The model reads the additions.
    private func read() {
        let additions = turn?.additions ?? []
        turn?.additions = []
        for addition in additions { show(addition.text, by: addition.client) }
    }

    private func usage() {
        tokens += 100
        note("thread/tokenUsage/updated", #""tokenUsage":{"total":{"inputTokens":\#(tokens),"outputTokens":1}}"#)
    }

    private func end(_ status: String) {
        guard isActive else { return }
        if status == "completed" { read() }
        turn?.additions = []
        turn?.openItem = nil
        turn?.status = status
        turn?.completedAt = server.seconds
        noteStatus()
        note("turn/completed", #""turn":{"id":"\#(turn?.id ?? "")","status":"\#(status)","error":null}"#)
    }

    // MARK: Calls

    private static let commands = ["ls", "make", "rm x"]

    private func run(isAsked: Bool) {
        let item = world.name("i")
        let kind: CodexAsk.Kind = world.dice.pick([.command, .command, .change, isAsked ? .unknown : .command])
        let words = kind == .change ? world.dice.pick(["a.txt", "b.txt"]) : world.dice.pick(Self.commands)
        let json: (String) -> String = { status in
            kind == .change
                ? #"{"type":"fileChange","id":"\#(item)","status":"\#(status)","changes":[{"path":"\#(words)","#
                    + #""kind":{"type":"add"},"diff":"x\n"}]}"#
                : #"{"type":"commandExecution","id":"\#(item)","command":"\#(words)","cwd":"/srv/dev/proj","#
                    + #""status":"\#(status)"}"#
        }
        turn?.openItem = (item, json)
        note("item/started", #""turnId":"\#(turn?.id ?? "")","item":\#(json("inProgress"))"#)
        guard isAsked, let turn else { return finishCall(ran: true) }
        let ask = CodexAsk(
            id: server.nextRequest(), item: item, turn: turn.id, kind: kind, words: words, at: world.now,
            isAttended: world.dice.chance(0.3))
        self.ask = ask
        world.trace.note(world.now, name, "asks", "\(words), request \(ask.id)")
        noteStatus()
        server.ask(self, ask)
        if world.dice.chance(0.45) || kind == .unknown || !ask.isAttended {
            world.after(world.dice.within(300...20_000)) { [self] _ in
                guard self.ask?.id == ask.id else { return }
                if world.dice.chance(0.2) { interrupt() } else { answeredAtTerminal(world.dice.chance(0.7)) }
            }
        }
    }

    func repeatAsk() { if let ask { server.ask(self, ask) } }

    private func answeredAtTerminal(_ ran: Bool) {
        guard let ask else { return }
        world.trace.note(world.now, name, "is answered", "at its terminal, request \(ask.id)")
        settle(ran: ran)
    }

    /// A client has answered.
    func answered(_ decision: JSONValue) {
        guard let ask else { return }
        let text = String(decoding: decision.bytes, as: UTF8.self)
        world.trace.note(world.now, name, "takes", "\(text) for request \(ask.id)")
        guard ask.isKnown(text) else {
            return world.report(.freedom, "\(session) is told \(text), which is no client's answer")
        }
        let asked = AgentChecker.Asked(
            key: "\(server.name) \(server.life) \(ask.id)", ask: AgentAsk(session: session, words: ask.words), at: ask.at)
        world.checkAnswer(asked, isAllowed: text != CodexAsk.decline, offer: ask.offer(text))
        settle(ran: text != CodexAsk.decline)
    }

    private func settle(ran: Bool) {
        guard let ask else { return }
        self.ask = nil
        server.resolved(self, ask)
        noteStatus()
        // A command takes a while.
        let (turn, wait) = (turn?.id, world.dice.within(0...2_000))
        guard ran, !isFinished else { return finishCall(ran: ran) }
        world.after(wait) { [self] _ in if isRunning(turn), self.turn?.openItem?.id == ask.item { finishCall(ran: true) } }
    }

    private func finishCall(ran: Bool) {
        guard let open = turn?.openItem else { return }
        turn?.openItem = nil
        done(open.json(ran ? "completed" : "declined"))
    }

    // MARK: From clients

    func archive() {
        isArchived = true
        close()
    }

    /// Begins a turn, or adds to the one that runs. Returns that turn.
    func prompted(_ text: String, by client: String?) -> String {
        if isActive { turn?.additions.append((text, client)) } else { begin(text, by: client) }
        return #""turn":{"id":"\#(turn?.id ?? "")","status":"inProgress"}"#
    }

    /// Interrupts the turn. Additions that it has not read are lost.
    func interrupt() {
        let open = ask
        ask = nil
        end("interrupted")
        if let open { server.resolved(self, open) }
    }
}

package import HostCore
internal import RelayProtocol

/// A proxy between an editor and an agent that speak the Agent Client Protocol. It passes on every byte, and reads a copy.
///
/// It adds and removes only a few messages. For a permission or a form that clients were asked about: it sends the answer to the
/// agent and `$/cancel_request` to the editor, and drops the editor's own answer, which comes too late. For clients' commands: it
/// sends its own requests and removes their answers, and holds back the editor's prompt while another's runs. Without a daemon it
/// does none of this.
package struct ACPProxyMachine: Sendable {
    let limits: ACPLimits
    /// Identifies this life of the agent's process.
    private let run: String
    /// True if the agent continues after its first prompt.
    let takesPrompts: Bool
    /// True if there is no editor that owns the session, so that a client can end it.
    let isAlone: Bool
    /// The commands that have ended the session, in order, while the agent has not ended yet.
    var stops: [(session: SessionID, name: SteeringName)] = []
    private var agentName: String
    private var agentVersion: String?
    /// True if the agent accepts pictures with a prompt.
    private(set) var takesPictures = false
    var fromEditor: LineFlow
    var fromAgent: LineFlow
    var sessions: SessionTable
    var permissions: PermissionBook
    var steering: SteeringBook
    /// The last reported state of each session, by the agent's name for it.
    var stands: [String: (session: SessionID, stand: ACPStand)] = [:]
    private var terminals = TerminalReads()
    private var questionCount = 0
    var orders: [ACPOrder] = []

    /// `run`: an identifier that no other process has. `agentName`: used until the agent reports its own.
    package init(
        run: String, agentName: String, takesPrompts: Bool = true, isAlone: Bool = false, limits: ACPLimits = ACPLimits()
    ) {
        self.limits = limits
        self.run = run
        self.takesPrompts = takesPrompts
        self.isAlone = isAlone
        self.agentName = TextCut.line(agentName, bytesMax: WireLimits.nameBytesMax)
        fromEditor = LineFlow(lineBytesMax: limits.lineBytes)
        fromAgent = LineFlow(lineBytesMax: limits.lineBytes)
        sessions = SessionTable(run: run, limits: limits)
        permissions = PermissionBook(limits: limits)
        steering = SteeringBook(run: run, limits: limits)
    }

    /// Handles a fact. Facts must be passed in the order in which they happened, because the first answer to a permission counts.
    package mutating func handle(_ fact: ACPFact, at now: HostInstant) -> [ACPOrder] {
        switch fact {
        case .fromEditor(let bytes): for piece in fromEditor.take(bytes) { passToAgent(piece, now) }
        case .editorClosed:
            if let piece = fromEditor.finish() { passToAgent(piece, now) }
            // The agent is about to be ended: nobody can decide for it any more, or send it anything.
            close(permissions.end(of: nil, isAnswered: false), .cancelled)
            editorHasLeft(now)
        case .fromAgent(let bytes): for piece in fromAgent.take(bytes) { passToEditor(piece, now) }
        case .agentClosed: if let piece = fromAgent.finish() { passToEditor(piece, now) }
        case .decided(let approval, let verdict): decided(approval, verdict)
        case .undecided(let approval):
            if let open = permissions.release(approval) {
                settle([(open.question.session, approval)], .unknown)
                leaveToEditor([open.question.request])
            }
        case .held(let held, let sessions): self.held(held, of: sessions)
        case .waited: break
        case .steered(let session, let request): steered(session, request, now)
        case .agentGone(let reason, let failed):
            agentIsGone()
            close(permissions.end(of: nil, isAnswered: false), .cancelled)
            settle(permissions.unproven(in: nil), .unknown)
            for name in sessions.names { tell(name) { $0.ended(reason: reason, failed: failed, at: now) } }
        }
        askGathered(now)
        releaseFromLost(now)
        releaseOwnLines()
        tellStands()
        defer { orders = [] }
        return orders
    }

    /// When `waited` is due, in milliseconds of the clock that never jumps.
    package var nextDeadline: Int64? { permissions.nextDeadline }

    // MARK: From the editor

    private mutating func passToAgent(_ piece: LineFlow.Piece, _ now: HostInstant) {
        guard case .line(let line) = piece, let message = RPCMessage(line) else {
            if case .line(let line) = piece { orders.append(.toAgent(line)) }
            if case .fragment(let part) = piece { orders.append(.toAgent(part)) }
            // A line that we cannot read may have been the answer, so no client may give another one.
            if !Self.isBlank(piece) {
                close(permissions.end(of: nil, isAnswered: false), .unknown)
                for id in permissions.takeLeftToClients() { deny(id) }
                steering.missedSome()
            }
            return
        }
        switch message {
        case .response(let id, let result, _):
            if isAllowedUnread(id, result, now) { return overrule(id) }
            steering.closed(question: id)
            let answer = permissions.answeredByEditor(id)
            guard !answer.isLate else { return }
            orders.append(.toAgent(line))
            terminalShowed(id, result)
            if let ended = answer.ended { close([(id: id, open: ended)], .answeredElsewhere) }
        case .notification("session/cancel", let params):
            orders.append(.toAgent(line))
            guard let name = params?.text("sessionId"), let session = sessions[name]?.id else { return }
            cancel(session)
            steering.change(name) { $0.cancelling(at: now) }
            takeBack(steering.change(name) { $0.takeQueued() } ?? [])
        case .notification("$/cancel_request", let params):
            guard !isTakenBack(params) else { return }
            orders.append(.toAgent(line))
        case .request(let id, let method, let params):
            if method == "session/prompt", isQueued(id, params, line, now) { return }
            orders.append(.toAgent(line))
            requested(id, method, params, now)
        case .notification: orders.append(.toAgent(line))
        }
    }

    private static func isBlank(_ piece: LineFlow.Piece) -> Bool {
        guard case .line(let line) = piece else { return false }
        return line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    mutating func requested(_ id: [UInt8], _ method: String, _ params: JSONValue?, _ now: HostInstant) {
        let name = params?.text("sessionId")
        let directory = params?.text("cwd")
        switch (method, name) {
        case ("initialize", _): sessions.note(id, .initialize)
        case ("session/new", _): sessions.note(id, .session(nil, directory: directory, isResumed: false))
        case ("session/fork", _): sessions.note(id, .session(nil, directory: directory, isResumed: true))
        case ("session/load", let name?), ("session/resume", let name?):
            sessions.note(id, .session(name, directory: directory, isResumed: true))
            guard sessions.ensure(name) != nil else { return }
            _ = sessions.change(name) { $0.replayBegan() }
            steering.ensure(name)
            steering.change(name) { $0.loading(id) }
        case ("session/prompt", let name?):
            sessions.note(id, .prompt(name))
            // An editor may continue a session whose beginning was not read.
            begin(name, directory: nil, result: nil, isResumed: false, now)
            let countMax = limits.openPromptsMax
            steering.change(name) { $0.prompted(id, countMax: countMax) }
            let text = params?.list("prompt").compactMap { $0.text("type") == "text" ? $0.text("text") : nil }
            tell(name) { $0.prompted((text ?? []).joined(separator: "\n"), at: now) }
        case ("session/close", let name?): sessions.note(id, .close(name))
        case ("session/set_mode", let name?): sessions.note(id, .mode(name, params?.text("modeId")))
        case ("session/set_config_option", let name?): sessions.note(id, .option(name))
        default: break
        }
    }

    /// Handles the editor's end of a turn. An agent may still wait for the answer to its question, so it gets one.
    private mutating func cancel(_ session: SessionID) {
        let ended = permissions.end(of: session, isAnswered: true)
        for (id, open) in ended {
            steering.closed(question: id)
            let choice: PermissionChoice = open.question.isForm ? .dismissed : .cancelled
            if let answer = choice.answer(to: id) { orders.append(.toAgent(answer)) }
        }
        close(ended, .cancelled)
        // Clients were about to be asked about these.
        for id in permissions.takeLeftToClients(of: session) { deny(id, .cancelled) }
    }

    // MARK: From the agent

    private mutating func passToEditor(_ piece: LineFlow.Piece, _ now: HostInstant) {
        guard case .line(let line) = piece else {
            guard case .fragment(let part) = piece else { return }
            orders.append(.toEditor(part))
            // The unread line may have changed any call, even one that is being decided about.
            for name in sessions.names { _ = sessions.change(name) { $0.missedSome() } }
            leaveToEditor(permissions.takeUngathered())
            let ended = permissions.end(of: nil, isAnswered: false)
            close(ended, .unknown)
            leaveToEditor(ended.map(\.id))
            return
        }
        let exact = RPCMessage(line)
        let message = exact ?? RPCMessage(repairing: line)
        if let message, isOurs(message, now) { return }
        orders.append(.toEditor(line))
        switch message {
        case .notification("session/update", let params?):
            if let name = params.text("sessionId") { updated(name, params, isExact: exact != nil, now) }
        case .request(let id, "session/request_permission", let params):
            noteAsking(params)
            if let name = params?.text("sessionId"), let call = params?.optional("toolCall"), let id = call.text("toolCallId") {
                let input = CallInput(call.optional("rawInput"))
                _ = sessions.change(name) { $0.asked(about: [id], with: input) }
                if let session = sessions[name]?.id {
                    settle(permissions.askedAgain(about: id, in: session).map { (session, $0) }, .unknown)
                }
            }
            if exact == nil || !asked(id, params, now) { orders.append(.leftToEditor(id)) }
        case .request(let id, FormRequest.method, let params):
            if exact == nil || !askedForm(id, params, now) { orders.append(.leftToEditor(id)) }
        case .request(let id, "terminal/output", let params):
            terminals.began(id, params, countMax: limits.terminalReadsMax)
        case .notification("$/cancel_request", let params):
            guard exact != nil, let id = params?.optional("requestId").map({ Array($0.bytes) }) else { return }
            steering.closed(question: id)
            if let open = permissions.takenBack(id) { close([(id: id, open: open)], .cancelled) }
        case .response(let id, let result, let failure):
            if let request = sessions.answered(id) { answered(request, result, failure, now) }
            turnAnswered(id, result, failure, now)
        case .request, .notification, nil: break
        }
    }

    private mutating func answered(_ request: SessionTable.Asked, _ result: JSONValue?, _ failure: String?, _ now: HostInstant)
    {
        switch request {
        case .initialize:
            let info = result?.optional("agentInfo")
            let name = (info?.text("title") ?? info?.text("name")).map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
            if let name, !name.isEmpty { agentName = name }
            let taken = result?.optional("agentCapabilities")?.optional("promptCapabilities")
            takesPictures = taken?.isTrue("image") == true
            agentVersion = info?.text("version").map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        case .session(let known, let directory, let isResumed):
            guard failure == nil, let name = result?.text("sessionId") ?? known else { return }
            begin(name, directory: directory, result: result, isResumed: isResumed, now)
        case .prompt(let name): turnEnded(name, result, failure, now)
        case .mode(let name, let mode):
            if failure == nil, result?.isObject == true { steering.change(name) { $0.modes.changed(to: mode) } }
        case .option(let name):
            if failure == nil, let result { steering.change(name) { $0.modes.take(options: result) } }
        case .close(let name):
            guard failure == nil, let id = sessions[name]?.id else { return }
            close(permissions.end(of: id, isAnswered: false), .cancelled)
            sessionClosed(name, now)
            tell(name) { $0.ended(reason: "closed", failed: false, at: now) }
            sessions.remove(name)
        }
    }

    mutating func turnEnded(_ name: String, _ result: JSONValue?, _ failure: String?, _ now: HostInstant) {
        // The turn may end before a call's end was reported.
        if let id = sessions[name]?.id { settle(permissions.unproven(in: id), .unknown) }
        tell(name) { $0.turnEnded(result, failure: failure, at: now) }
    }

    private mutating func begin(
        _ name: String, directory: String?, result: JSONValue?, isResumed: Bool, _ now: HostInstant
    ) {
        guard sessions.ensure(name) != nil else { return }
        steering.ensure(name)
        steering.change(name) { $0.opened(result) }
        var facts = SessionFacts(agentName: agentName)
        facts.agentVersion = agentVersion
        // A line break in a name is spelled out, because the text before it may be the name of another folder.
        facts.workingDirectory = directory.map { TextCut.line(VisibleText.line($0)) }
        facts.project = directory.map { TextCut.line(VisibleText.line(ShownPaths.last($0))) }
        let option = result?.list("configOptions").first { $0.text("id") == "model" }
        let model = option?.text("currentValue") ?? result?.optional("models")?.text("currentModelId")
        facts.model = model.map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        facts.run = run
        facts.isResumed = isResumed
        tell(name) { $0.began(facts, at: now) }
    }

    private mutating func updated(_ name: String, _ params: JSONValue, isExact: Bool, _ now: HostInstant) {
        guard let id = sessions.ensure(name) else { return }
        var news = ACPSession.CallNews()
        let model = steering[name]?.modes.currentModel
        tell(name) {
            if let model { $0.uses(model) }
            let taken = $0.updated(params, isExact: isExact, at: now)
            news = taken.of
            return taken.events
        }
        if news.began { close(permissions.callBegan(in: id, at: now), .cancelled) }
        tellPrinted(name)
        // A permission rarely awaits its call, so a large input is read only then.
        if let call = news.call, permissions.awaitsCall(in: id), let input = CallInput(news.input) {
            permissions.met(call, with: input, in: id)
        }
        if news.isRunning, let call = news.call, let approval = permissions.began(call, in: id) {
            settle([(id, approval)], .ran)
        }
        guard let over = news.over else { return }
        if over.changedFiles { steering.change(name) { $0.asking.changedFiles(by: over.call) } }
        if let (approval, outcome) = permissions.shown(over.call, failed: over.failed, hasRun: over.hasRun, in: id) {
            settle([(id, approval)], outcome)
        }
    }

    // MARK: What calls print

    /// Handles the editor's answer about a terminal's content; one of the agent's calls may run in that terminal.
    private mutating func terminalShowed(_ request: [UInt8], _ result: JSONValue?) {
        guard let read = terminals.answered(request), let text = result?.text("output") else { return }
        _ = sessions.change(read.session) { $0.showed(text, terminal: read.terminal) }
        tellPrinted(read.session)
    }

    private mutating func tellPrinted(_ name: String) {
        guard let id = sessions[name]?.id, let printed = sessions.change(name, { $0.takePrinted() }) else { return }
        orders += printed.map { .show(id, call: $0.call, text: $0.text) }
    }

    // MARK: Permissions and forms

    /// Asks clients about a permission. Returns false if only the editor can be asked.
    private mutating func asked(_ id: [UInt8], _ params: JSONValue?, _ now: HostInstant) -> Bool {
        guard permissions.hasRoom(for: id), let request = PermissionRequest(params, optionsMax: limits.optionsMax),
            let session = sessions[request.session]?.id
        else { return false }
        let calls = calls(for: request)
        _ = sessions.change(request.session) { $0.asked(about: Set(calls.map(\.id)), with: request.input) }
        let isNamed = calls.count == 1 && calls[0].id == request.call.text("toolCallId")
        guard !request.isForAll || isNamed else {
            permissions.gather(
                id,
                .init(
                    session: session, request: request, askedAt: now.monotonic,
                    lastCallAt: calls.isEmpty ? nil : now.monotonic))
            return true
        }
        return ask(id, request, of: session, calls, now)
    }

    private mutating func ask(
        _ id: [UInt8], _ request: PermissionRequest, of session: SessionID, _ calls: [ToolCall],
        gathering: PermissionBook.Gathering? = nil, _ now: HostInstant
    ) -> Bool {
        let folder = sessions[request.session]?.facts?.workingDirectory
        guard let subject = PermissionSubject(request.call, calls, in: folder, limits), let approval = nextApproval() else {
            return false
        }
        let question = ACPQuestion(
            session: session, approval: approval, request: id, tool: subject.tool, title: subject.title, input: subject.input,
            options: request.options)
        // If several calls with the same input run, it is unknown which one is meant, or whether a later one is.
        let input = request.input
        let claimed = permissions.claimed(in: session)
        let isJoinable =
            subject.calls.isEmpty && sessions[request.session]?.hasCall(with: input, besides: claimed) == false
        ask(question, calls: subject.calls, awaiting: isJoinable ? input : nil, gathering: gathering, in: request.session, now)
        return true
    }

    /// Asks clients about the gathered calls. It waits even if the last call came together with the question, because the agent may
    /// be about to report another.
    private mutating func askGathered(_ now: HostInstant) {
        for (id, permission) in permissions.takeGathered(at: now) {
            let calls = calls(for: permission.request)
            _ = sessions.change(permission.request.session) { $0.asked(about: Set(calls.map(\.id)), with: nil) }
            if !ask(id, permission.request, of: permission.session, calls, gathering: permission, now) { leaveToEditor([id]) }
        }
    }

    func calls(for request: PermissionRequest) -> [ToolCall] {
        guard let session = sessions[request.session] else { return [] }
        return session.calls(
            named: request.call.text("toolCallId"), with: request.input, besides: permissions.claimed(in: session.id),
            orAll: request.isForAll)
    }

    /// Handles a form as `asked` handles a permission.
    private mutating func askedForm(_ id: [UInt8], _ params: JSONValue?, _ now: HostInstant) -> Bool {
        guard permissions.hasRoom(for: id), let request = FormRequest(params), let name = request.session,
            let session = sessions[name]?.id, request.json.count <= limits.texts.approvalInputBytes,
            let approval = nextApproval()
        else { return false }
        let call = request.call.flatMap { sessions[name]?.call($0) }
        let question = ACPQuestion(
            session: session, approval: approval, request: id, tool: call?.tool ?? "Question", title: request.form.message,
            input: request.json, options: [], isForm: true)
        ask(question, calls: call.map { [$0.id] } ?? [], in: name, now)
        return true
    }

    private mutating func nextApproval() -> ApprovalID? {
        questionCount += 1
        return ApprovalID("\(run.prefix(40))-\(questionCount - 1)")
    }

    private mutating func ask(
        _ question: ACPQuestion, calls: Set<String>, awaiting input: CallInput? = nil,
        gathering: PermissionBook.Gathering? = nil, in name: String, _ now: HostInstant
    ) {
        tell(name) { $0.paused(at: now) }
        permissions.begin(question.request, question, calls: calls, awaiting: input, gathering: gathering)
        orders.append(.ask(question))
    }

    private mutating func decided(_ approval: ApprovalID, _ verdict: ACPVerdict) {
        guard let (id, open, choice, isAtEditor) = permissions.decide(approval, verdict) else { return }
        guard let answer = choice.answer(to: id) else {
            // None of the offered options was meant, so the editor's own prompt stays open.
            settle([(open.question.session, approval)], .unknown)
            leaveToEditor([id])
            return
        }
        fromEditor.insert(answer)
        if isAtEditor { fromAgent.insert(SteeringLine.cancelRequest(id)) }
        steering.closed(question: id)
        settle(permissions.excess(), .unknown)
    }

    private mutating func releaseOwnLines() {
        orders += fromEditor.release().map { .toAgent($0) }
        orders += fromAgent.release().map { .toEditor($0) }
    }

    mutating func close(_ ended: [(id: [UInt8], open: PermissionBook.Open)], _ outcome: ACPOutcome) {
        for (_, open) in ended {
            settle([(open.question.session, open.question.approval)], outcome)
            orders.append(.withdraw(open.question.approval))
        }
    }

    private mutating func settle(_ approvals: [(SessionID, ApprovalID)], _ outcome: ACPOutcome) {
        for (session, approval) in approvals { orders.append(.settled(session, approval, outcome)) }
    }

    mutating func tell(_ name: String, _ change: (inout ACPSession) -> [Event]) {
        guard let id = sessions[name]?.id, let events = sessions.change(name, change) else { return }
        orders += events.map { .tell(id, $0) }
    }
}

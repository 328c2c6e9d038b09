package import HostCore
package import RelayProtocol

/// Turns any program's messages over the local socket into events and questions, and decisions into answers to its requests.
///
/// Pure: `handle` takes a fact and returns orders. Failures end in "no decision": the program's own prompt, or its denial, remains.
/// It never receives more than was decided.
package struct LocalAdapter: AgentAdapter {
    package var name: String { Self.name }
    package static let name = "local"

    let limits = LocalLimits()
    let digests: Digests
    let cleaner = Cleaner()

    var sessions: [SessionID: LocalSession] = [:]
    /// Sessions whose programs fetch commands.
    var steered: Set<SessionID> = []
    private(set) var desk: ApprovalDesk<LocalForm>
    /// Times at which answers were first handed over; for answers of an earlier life the start of this one.
    var handedAt: [ApprovalID: Int64] = [:]
    var agentsCheckedAt: Int64
    /// Questions, by their tokens, that wait until the links in their path are resolved.
    private var unasked: [HookToken: (ask: LocalAsk, process: AgentProcess?)] = [:]
    /// Sessions in which every tool needs approval.
    private var holds = Holds()
    var names = NameChecks()
    private var isLinkLive = false
    private var uses = 0
    var outputs = ToolOutputs()

    /// Time of the current input.
    private(set) var now: HostInstant
    private var effects: [LocalEffect] = []

    package init(digests: Digests, at now: HostInstant) {
        self.digests = digests
        self.now = now
        desk = ApprovalDesk(limits.approvals, digests, at: now)
        agentsCheckedAt = now.monotonic
    }

    package mutating func handle(_ input: LocalInput, at now: HostInstant) -> [LocalEffect] {
        desk.heard(at: now)
        self.now = now
        effects = []
        if case .nothingRecorded = input {} else { names.factCame() }
        switch input {
        case .daemonStarted(let notes): restore(notes)
        case .own(.eventsSent(let events, let process, let token)): eventsSent(events, by: process, token)
        case .own(.asked(let ask, let process, let token)): lookAndAsk(ask, by: process, token)
        case .own(.linksFound(let token, let links)):
            if let waiting = unasked.removeValue(forKey: token) { asked(waiting.ask, by: waiting.process, token, links: links) }
        case .own(.settled(let settlement, let process, let token)): settled(settlement, by: process, token)
        case .own(.steering(let steering, let process, let token)): said(steering, by: process, token)
        case .hookGone(let token):
            unasked[token] = nil
            names.gone(token)
            programGone(token)
            tellDesk(.hookGone(token))
        case .decided(let session, let approval, let digest, let decision):
            if case .deny = decision.verdict, let asked = desk[approval]?.call {
                sessions[session]?.askedCalls.closed(asked)
            }
            if desk[approval]?.session == session || sessions[session] != nil {
                tellDesk(.decided(session, approval, digest, decision))
            }
        case .refused(let session, let approval, let reason):
            if desk[approval]?.session == session || sessions[session] != nil {
                tellDesk(.refused(session, approval, reason: reason))
            }
        case .distrusted(let device): tellDesk(.distrusted(device))
        case .held(let holds):
            self.holds = holds
            for session in inOrder {
                if !holds.contains(session.id) { sessions[session.id]?.askedCalls.released() }
                sayHold(session.id)
            }
        case .agentGone(let process): agentGone(process)
        case .linkChanged(let isLive):
            isLinkLive = isLive
            if !isLive { answer(names.linkEnded()) }
            tellDesk(.linkChanged(isLive: isLive))
        case .nothingRecorded: if let call = names.nothingRecorded() { order(.respond(call.token, nil)) }
        case .named(let session, let isOurs):
            if !isOurs { forget(session) }
            answer(names.named(session, isOurs: isOurs))
        case .notRecorded(let approval): tellDesk(.notRecorded(approval))
        case .eventsLost(let sessions): eventsLost(sessions)
        case .steer(let request): steer(request)
        case .launch: break
        case .timerFired: timerFired()
        }
        if let output = outputs.due(at: now.monotonic) { order(.show(output)) }
        standAnew()
        return effects
    }

    // MARK: Events

    private mutating func eventsSent(_ events: [LocalEvent], by process: AgentProcess?, _ token: HookToken) {
        let ids = events.map { sessionID($0.session) }
        guard hasRoom(for: ids) else { return refuse(token, tooManySessions) }
        for (event, id) in zip(events, ids) { take(event, in: id, by: process) }
        let sessions = zip(events, ids).map { (name: $0.0.session, id: $0.1) }
        if let call = names.wait(token, sessions, isLive: isLinkLive, at: now.monotonic) { answer([call]) }
    }

    mutating func answer(_ calls: [NameChecks.Call]) {
        for call in calls {
            let held = Set(call.sessions.filter { holds.contains($0.id) }.map(\.name))
            order(
                .respond(
                    call.token,
                    JSONWriter.object {
                        $0.field("taken", Int64(call.takenCount))
                        if !held.isEmpty { $0.strings("held", held.sorted()) }
                        if !call.refused.isEmpty { $0.strings("notTaken", call.refused.sorted()) }
                    }))
        }
    }

    /// Forgets a session whose name belongs to another host, as the relay accepts none of our events for it. If the program reports
    /// it again, it begins anew: the name may be free by then.
    private mutating func forget(_ id: SessionID) {
        guard sessions[id] != nil else { return }
        tellDesk(.sessionEnded(id, agentGone: false))
        programEnded(id)
        outputs.ended(id)
        sessions[id] = nil
        order(.remember(id.rawValue, nil))
    }

    private mutating func take(_ event: LocalEvent, in id: SessionID, by process: AgentProcess?) {
        if case .sessionStarted(var facts) = event.head {
            facts.run = facts.run ?? process?.run
            facts.isResumed = facts.isResumed || sessions[id] != nil
            return start(id, facts, by: process, at: event.at)
        }
        ensure(id, event.agent, by: process, at: event.at)
        if let call = event.outputOf {
            return outputs.replace(event.body?.text("text") ?? "", of: call, of: id, at: now.monotonic)
        }
        let reasonBefore = sessions[id]?.idleReason
        defer { if sessions[id]?.isEnded == false, sessions[id]?.idleReason != reasonBefore { remember(id) } }
        switch event.head {
        case .sessionEnded(let reason, let failed):
            return end(id, reason: reason.map { TextCut.line(cleaner.clean($0)) }, failed: failed, isGone: false, at: event.at)
        case .statusChanged(let status, let reason):
            sessions[id]?.status = status
            sessions[id]?.statusReason = reason
            sessions[id]?.isStatusSaid = true
        case .toolStarted(let start):
            sessions[id]?.status = .running
            outputs.began(start.call, of: id)
            sessions[id]?.askedCalls.begins(
                start.call, of: start.tool, isHeld: holds.contains(id), countMax: limits.askedCallsMax)
        case .toolFinished(let finish):
            outputs.ended(finish.call, of: id)
            if sessions[id]?.askedCalls.ends(finish.call) == true { hasAsked(false, in: id) }
        default: break
        }
        let shown = ShownEvent(event.head, event.body, cleaner, limits)
        emit(shown.head, in: id, at: event.at) { writer in
            for member in shown.members { writer.raw(dynamic: member.key, member.value.bytes) }
        }
    }

    // MARK: Questions

    /// Resolves the paths that the tool would write, then asks.
    private mutating func lookAndAsk(_ ask: LocalAsk, by process: AgentProcess?, _ token: HookToken) {
        let paths = ask.kind == .tool ? RequestRisks.written(in: ask.input, of: ask.tool) : []
        guard !paths.isEmpty else {
            return asked(ask, by: process, token, links: [:])
        }
        guard unasked.count < limits.answeredMax else { return asked(ask, by: process, token, links: nil) }
        unasked[token] = (ask, process)
        order(.own(.findLinks(token, paths, in: sessions[sessionID(ask.session)]?.folder)))
    }

    private mutating func asked(
        _ ask: LocalAsk, by process: AgentProcess?, _ token: HookToken, links: [String: String]?
    ) {
        let id = sessionID(ask.session)
        guard hasRoom(for: [id]) else { return refuse(token, tooManySessions) }
        guard let form = LocalForm(ask, cleaner) else { return refuse(token, Self.unknownForm) }
        ensure(id, ask.agent, by: process, at: nil)
        // A question proves nothing of what the program does without asking.
        if ask.kind == .tool { hasAsked(true, in: id) }
        let raw = Array(ask.input.bytes)
        var question = ApprovalQuestion(
            session: id, kind: ask.kind, tool: ask.tool, input: raw, digests, form: form, token: token)
        question.call = ask.approval
        question.run = ask.approval
        question.process = sessions[id]?.process
        question.isAttended = ask.isAttended
        question.life = .seconds(ask.waitSeconds)
        if let known = desk.approvals.last(where: { $0.session == id && $0.run == ask.approval }) {
            guard known.digest == question.digest, known.kind == ask.kind else {
                return refuse(token, LocalError(.conflict, at: "$.approval", "another question of this session has that name"))
            }
            question.attempt = 2
        } else {
            if ask.kind == .tool {
                sessions[id]?.askedCalls.asks(ask.approval, about: ask.tool, countMax: limits.askedCallsMax)
            }
            makeRoomForQuestion()
        }
        var shown = (json: Array("{}".utf8), isRedacted: false, isCut: false)
        // The search for secrets takes time in proportion to the input; a repeated question has been through it.
        if desk.isNew(question) { shown = cleaner.clean(ask.input, of: ask.tool, bytesMax: limits.texts.approvalInputBytes) }
        // The choices shown to a person are made from the questions themselves; as with a tool, a question that is cut can only be
        // denied.
        question.isCut = shown.isCut
        question.isEditable = !shown.isRedacted && raw.count <= EditedInput.askedBytesMax
        for order in consult(.asked(question)) {
            guard case .show(let name) = order, let approval = desk[name] else {
                carryOut(order)
                continue
            }
            show(approval, ask, form.questions, shown.json, isRedacted: shown.isRedacted, links: links)
        }
    }

    package func edited(_ approval: ApprovalID, by edit: String) throws(EditError) -> UnaskedCall {
        guard let asked = desk[approval] else { throw .notOffered }
        return try asked.editedCall(by: edit, paths: ShownPaths(home: "", workingDirectory: sessions[asked.session]?.folder))
    }

    private static let unknownForm = LocalError(
        .wire(.badValue), at: "$.form.schema", "a field or a rule is in it that people could not be shown whole")

    private mutating func show(
        _ approval: PendingApproval<LocalForm>, _ ask: LocalAsk, _ questions: [AskedQuestion], _ shown: [UInt8],
        isRedacted: Bool, links: [String: String]?
    ) {
        let title = TextCut.line(ask.title.map(cleaner.clean) ?? questions.first?.shownText ?? "Use \(ask.tool)")
        var request = ApprovalRequest(
            approval: approval.id, kind: approval.kind, tool: approval.tool, title: title, digest: approval.digest)
        request.isRedacted = isRedacted
        request.isCut = approval.isCut
        request.expiresAt = approval.expiresAt
        request.call = approval.call
        request.offers = approval.offers
        request.editable = approval.editable
        request.questions = AskedQuestion.offers(of: questions)
        switch approval.kind {
        case .tool:
            let paths = ShownPaths(home: "", workingDirectory: sessions[approval.session]?.folder)
            request.risks = RequestRisks.of(ask.input, of: ask.tool, paths: paths, links: links)
                .map { TextCut.line(cleaner.clean($0)) }
            request.alert = (try? JSONDocument(parsing: shown).root).flatMap { RequestWords(request, input: $0) }
        case .question: request.alert = RequestWords(request, questions: questions.map(\.shown))
        }
        let isShown = emit(.approvalRequested(request), in: approval.session, at: nil) { writer in
            switch approval.kind {
            case .tool: writer.raw("input", shown)
            case .question: writer.array("questions", questions.map(\.bytes))
            }
        }
        if !isShown { tellDesk(.cut(approval.id)) }
    }

    /// Forgets questions that were answered elsewhere before they could be asked here.
    private mutating func forgetUnasked(where isMeant: (LocalAsk) -> Bool) {
        for token in unasked.filter({ isMeant($0.value.ask) }).keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            unasked[token] = nil
            order(.respond(token, nil))
        }
    }

    /// Forgets the oldest answer if there are too many. Without this, answers whose end no program reports would leave no room for
    /// questions.
    private mutating func makeRoomForQuestion() {
        let answered = desk.approvals.filter(\.isAnswered)
        guard answered.count >= limits.answeredMax, let oldest = answered.first else { return }
        tellDesk(.shown(oldest.id, .withdrawn))
    }

    private mutating func settled(_ settlement: LocalSettlement, by process: AgentProcess?, _ token: HookToken) {
        let id = sessionID(settlement.session)
        forgetUnasked { $0.session == settlement.session && $0.approval == settlement.approval }
        sessions[id]?.askedCalls.closed(settlement.approval)
        if let approval = desk.approvals.last(where: { $0.session == id && $0.call == settlement.approval }) {
            if sessions[id]?.heard(from: process) == true { remember(id) }
            tellDesk(.shown(approval.id, settlement.evidence(of: approval.kind, isEdited: approval.isEdited)))
        }
        // A question that has ended already gets the same reply.
        order(.respond(token, nil))
    }

    private mutating func carryOut(_ order: ApprovalOrder) {
        switch order {
        case .show: preconditionFailure("only what a program asks is shown")
        case .remember(let id, let note):
            if note == nil { handedAt[id] = nil }
            self.order(.remember(id.rawValue, note))
        case .reopened: break
        case .deliver(let id, let token, let output): deliver(id, token, output)
        case .abstain(let token): self.order(.respond(token, nil))
        case .settled(let session, let end): if let end { emit(end, in: session, at: nil) }
        case .emit(let session, let head): emit(head, in: session, at: nil)
        // The asker's connection is gone for good: the question is withdrawn.
        case .judge(let id): tellDesk(.shown(id, .withdrawn))
        case .check(let process): self.order(.checkAgents([process]))
        }
    }

    private mutating func deliver(_ id: ApprovalID, _ token: HookToken, _ output: [UInt8]) {
        guard let approval = desk[id] else { return order(.respond(token, nil)) }
        handedAt[id] = handedAt[id] ?? now.monotonic
        emit(.approvalDelivered(id), in: approval.session, at: nil)
        var output = output
        if case .deny = approval.answer?.kind, approval.answer?.offer == nil, let form = approval.form {
            output = form.naming(rejection: output)
        }
        order(.respond(token, output))
    }

    // MARK: Sessions

    func hasRoom(for ids: [SessionID]) -> Bool {
        let fresh = Set(ids.filter { sessions[$0] == nil }).count
        return fresh == 0 || sessions.values.count { !$0.isEnded } + fresh <= limits.sessionsMax
    }

    var tooManySessions: LocalError {
        LocalError(.tooMany, at: "$.session", "more than \(limits.sessionsMax) sessions have not ended")
    }

    /// Makes the session known at the first request about it, which need not report its start.
    mutating func ensure(_ id: SessionID, _ agent: String?, by process: AgentProcess?, at moment: Int64?) {
        guard sessions[id]?.isEnded != false else {
            if sessions[id]?.heard(from: process) == true { remember(id) }
            return
        }
        var facts = SessionFacts(agentName: agent.flatMap { $0.isEmpty ? nil : $0 } ?? Self.name)
        facts.run = process?.run
        facts.isResumed = sessions[id] != nil
        start(id, facts, by: process, at: moment)
    }

    private mutating func start(_ id: SessionID, _ facts: SessionFacts, by process: AgentProcess?, at moment: Int64?) {
        if sessions[id]?.isEnded == false {
            _ = sessions[id]?.heard(from: process)
        } else {
            if sessions[id] == nil { names.began(id) }
            sessions[id] = LocalSession(id: id, process: process)
        }
        sessions[id]?.began()
        if let folder = [facts.folder, facts.workingDirectory].compactMap(\.self).first(where: { $0.hasPrefix("/") }) {
            sessions[id]?.folder = folder
        }
        emit(ShownEvent(.sessionStarted(facts), nil, cleaner, limits).head, in: id, at: moment)
        remember(id)
        sayHold(id)
        forgetSessions()
    }

    private mutating func hasAsked(_ hasAsked: Bool, in id: SessionID) {
        guard let session = sessions[id], session.hasAsked != hasAsked else { return }
        sessions[id]?.hasAsked = hasAsked
        remember(id)
        sayHold(id)
    }

    private static let unsteered = "This program takes no commands from here."

    /// Tells people how far a held program asks, because it cannot be stopped from outside: one that has not asked, or has run a
    /// call unasked since, runs as before. A program that makes an offer reports this there.
    private mutating func sayHold(_ id: SessionID) {
        guard let session = sessions[id], !session.isEnded, session.program == nil, holds.contains(id) else { return }
        let reach: HoldReach = session.hasAsked ? .most : .unchanged
        guard session.saidHold != reach else { return }
        sessions[id]?.saidHold = reach
        order(.offer(id, SteeringOffer(reason: Self.unsteered, hold: reach)))
    }

    private mutating func end(_ id: SessionID, reason: String?, failed: Bool, isGone: Bool, at moment: Int64?) {
        tellDesk(.sessionEnded(id, agentGone: isGone))
        programEnded(id)
        outputs.ended(id)
        sessions[id]?.isEnded = true
        emit(.sessionEnded(reason: reason, failed: failed), in: id, at: moment)
        order(.remember(id.rawValue, nil))
    }

    private mutating func agentGone(_ process: AgentProcess) {
        var heirs: Set<AgentProcess> = []
        for session in inOrder where session.process == process && !session.isEnded {
            if sessions[session.id]?.inherited() == true {
                remember(session.id)
                if let heir = sessions[session.id]?.process { heirs.insert(heir) }
            } else {
                end(session.id, reason: "agentGone", failed: true, isGone: true, at: nil)
            }
        }
        check(heirs)
    }

    /// Sends the status again, which may be among the lost events. This also reports the gap to the relay.
    private mutating func eventsLost(_ ids: Set<SessionID>) {
        for session in inOrder where ids.contains(session.id) && !session.isEnded {
            guard let status = session.status else { continue }
            let head = EventHead.statusChanged(status, reason: session.statusReason)
            emit(ShownEvent(head, nil, cleaner, limits).head, in: session.id, at: nil)
        }
    }

    private mutating func forgetSessions() {
        guard sessions.count > limits.sessionsMax else { return }
        let oldest = sessions.values.filter(\.isEnded).min { $0.lastUse < $1.lastUse }
        if let oldest { sessions[oldest.id] = nil }
    }

    private mutating func restore(_ notes: [String: [UInt8]]) {
        var asked: [ApprovalID: [UInt8]] = [:]
        for (key, note) in notes {
            if let id = SessionID(key), key.hasPrefix(Self.name + "-") {
                if let session = LocalSession(id: id, note: note) { sessions[id] = session }
            } else if let id = ApprovalID(key) {
                asked[id] = note
            }
        }
        tellDesk(.restarted(notes: asked))
        for approval in desk.approvals where approval.answer != nil { handedAt[approval.id] = now.monotonic }
        check(Set(sessions.values.compactMap(\.process)))
    }

    // MARK: What it shows

    package func isLive(_ session: SessionID) -> Bool { sessions[session]?.isEnded == false }

    package var liveSessions: [AgentSession] {
        inOrder.filter { !$0.isEnded }.map { AgentSession(id: $0.id, status: $0.status, process: $0.process) }
    }

    package var questions: [AgentQuestion] { desk.approvals.map { AgentQuestion($0) } }

    /// Sorted, so that the same facts give the same orders.
    private var inOrder: [LocalSession] { sessions.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    // MARK: Orders

    private mutating func consult(_ fact: ApprovalFact<LocalForm>) -> [ApprovalOrder] { desk.handle(fact, at: now) }

    mutating func tellDesk(_ fact: ApprovalFact<LocalForm>) {
        for order in consult(fact) { carryOut(order) }
    }

    mutating func order(_ effect: LocalEffect) { effects.append(effect) }

    mutating func refuse(_ token: HookToken, _ error: LocalError) { order(.own(.refuse(token, error))) }

    mutating func check(_ processes: Set<AgentProcess>) {
        if !processes.isEmpty { order(.checkAgents(processes.sorted { $0.id < $1.id })) }
    }

    mutating func remember(_ id: SessionID) {
        if let note = sessions[id]?.note { order(.remember(id.rawValue, note)) }
    }

    /// Sends an event. Returns false if the relay would refuse it, so that only its head was sent.
    @discardableResult
    mutating func emit(
        _ head: EventHead, in id: SessionID, at moment: Int64?, body: (inout JSONWriter) -> Void = { _ in }
    ) -> Bool {
        uses += 1
        sessions[id]?.lastUse = uses
        var event = Event(head, at: moment ?? now.wall, body: body)
        // Checked with the relay's own reader.
        let isWhole = (try? Event(stored: event.bytes)) != nil
        if !isWhole { event = Event(head.withoutBody, at: moment ?? now.wall) }
        order(.emit(id, event.bytes, isKept: head.knownKind?.isKeptAtHost == true))
        return isWhole
    }

    /// The session's id: the adapter's name and the program's own name of it; a name that the wire would not accept is digested.
    func sessionID(_ name: String) -> SessionID {
        if let id = SessionID("\(Self.name)-\(name)") { return id }
        guard let id = SessionID("\(Self.name)-x" + digests.name(name).prefix(40)) else {
            preconditionFailure("hexadecimal digits are an identifier")
        }
        return id
    }
}

extension EventHead {
    /// The head alone. An approval then has no choices and is marked as cut: people must not decide on input that they do not see.
    fileprivate var withoutBody: EventHead {
        guard case .approvalRequested(var request) = self else { return self }
        request.isCut = true
        request.questions = []
        (request.offers, request.editable) = ([], [])
        return .approvalRequested(request)
    }
}

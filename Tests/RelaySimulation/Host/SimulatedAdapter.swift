import HostCore
import RelayProtocol

/// The adapter of one simulated agent: the product's approval desk with little around it.
struct SimulatedAdapter: AgentAdapter {
    enum Fact: Sendable {
        case started(SessionID, AgentProcess)
        case worked(SessionID, [EventHead])
        case asked(Agent.Ask, AgentProcess, HookToken)
        /// The tool was run or refused; `isOurs` if the hook's answer decided that.
        case proven(hook: Int, ran: Bool, isOurs: Bool)
        case ended(SessionID)
        /// The agent has shown the outcome of a request.
        case steered(SteeringRequest, SteeringStage)
        case launched(SteeringName, LaunchOutcome)
        /// A session that a client started has begun.
        case begun(SteeringName, SessionID)
    }

    static let tool = "Bash"
    /// Lifetime of a question in milliseconds.
    static let life: Int64 = 3_600_000
    static let headlessLife: Int64 = 30_000
    private static let checkEvery: Int64 = 1_000
    private static let limits = ApprovalLimits(
        life: .milliseconds(life), headlessLife: .milliseconds(headlessLife), lossGrace: .seconds(2))

    let name: String
    private unowned let host: HostProcess
    private unowned let world: World
    private var desk: ApprovalDesk<SimulatedForm>
    private var live: Set<SessionID> = []
    private var checkedAt: Int64
    private var bugs: DeskBugs

    private var now: HostInstant
    private var effects: [AgentEffect<Never>] = []

    init(_ name: String, of host: HostProcess, in world: World) {
        self.name = name
        self.host = host
        self.world = world
        now = host.instant
        desk = ApprovalDesk(Self.limits, Self.digests, at: now)
        checkedAt = now.monotonic
        bugs = DeskBugs(plant: world.plant)
    }

    mutating func handle(_ input: AgentInput<Fact>, at now: HostInstant) -> [AgentEffect<Never>] {
        desk.heard(at: now)
        self.now = now
        effects = []
        switch input {
        case .daemonStarted(let notes): restore(notes)
        case .own(let fact): learn(fact)
        case .hookGone(let token): tellDesk(.hookGone(token))
        case .decided(let session, let id, let digest, let decision): tellDesk(.decided(session, id, digest, decision))
        case .refused(let session, let id, let reason): tellDesk(.refused(session, id, reason: reason))
        case .distrusted(let device): tellDesk(.distrusted(device))
        case .held, .nothingRecorded, .named, .eventsLost: break
        case .agentGone(let process): tellDesk(.agentGone(process))
        case .linkChanged(let isLive): tellDesk(.linkChanged(isLive: isLive))
        case .notRecorded(let id): tellDesk(.notRecorded(id))
        case .steer(let request): steer(request)
        case .launch(let order):
            host.launch(order, by: self.name)
            if world.plant == .repeatedStart { host.launch(order, by: self.name) }
        case .timerFired:
            tellDesk(.timerFired)
            if now.monotonic - checkedAt >= Self.checkEvery { check() }
        }
        return effects
    }

    var nextDeadline: Int64? {
        [desk.nextDeadline, desk.contains { $0.process != nil } ? checkedAt + Self.checkEvery : nil].compactMap(\.self).min()
    }

    func isLive(_ session: SessionID) -> Bool { live.contains(session) }

    var liveSessions: [AgentSession] {
        live.sorted { $0.rawValue < $1.rawValue }.map { AgentSession(id: $0, status: nil, process: nil) }
    }

    var questions: [AgentQuestion] { desk.approvals.map { AgentQuestion($0) } }

    // MARK: Facts

    private mutating func restore(_ notes: [String: [UInt8]]) {
        var asked: [ApprovalID: [UInt8]] = [:]
        host.askingAll = host.askingAll.filter { !$0.rawValue.hasPrefix(name) }
        for (key, note) in notes.sorted(by: { $0.key < $1.key }) {
            if key.hasPrefix(name), let session = SessionID(key) {
                live.insert(session)
                if note == Self.asksAll { askAll(true, in: session) }
            } else if let id = ApprovalID(key) {
                asked[id] = note
            } else {
                world.report(.completeness, "\(name) is given the note \(key), which is not its own")
            }
        }
        tellDesk(.restarted(notes: asked))
        check()
    }

    private mutating func learn(_ fact: Fact) {
        switch fact {
        case .started(let session, let process):
            begin(session)
            var facts = host.facts(of: session)
            facts.run = "\(process.startedAt)"
            emit(.sessionStarted(facts), in: session)
        case .worked(let session, let heads):
            begin(session)
            overtaken()
            for head in heads { emit(head, in: session) }
            if case .statusChanged(let status, _)? = heads.last { stands(status == .idle ? .idle : .busy, session) }
        case .asked(let ask, let process, let token): asked(ask, process, token)
        case .proven(let hook, let ran, let isOurs):
            let evidence: ApprovalEvidence =
                ran ? .carriedOut(answers: nil, failed: false) : .reported(isOurs ? .ourDenial : .rejection)
            for approval in desk.approvals where approval.call == Self.call(hook) {
                tellDesk(.shown(approval.id, evidence))
                stands(.busy, approval.session)
            }
        case .ended(let session):
            overtaken()
            tellDesk(.sessionEnded(session, agentGone: false))
            live.remove(session)
            askAll(false, in: session)
            emit(.sessionEnded(reason: host.secret("done"), failed: false), in: session)
            effects.append(.remember(session.rawValue, nil))
        case .steered(let request, let stage):
            let told: SteeringStage = world.plant == .deniedPrompt && stage == .taken ? .refused : stage
            effects.append(.steered(request.session, SteeringChange(request.name, told)))
        case .launched(let name, let outcome): effects.append(.launched(name, outcome))
        case .begun(let name, let session): begun(name, session)
        }
    }

    private mutating func begun(_ name: SteeringName, _ session: SessionID) {
        effects.append(.launched(name, .began(session, nil)))
        begin(session)
        emit(.sessionStarted(host.facts(of: session)), in: session)
        effects.append(.launched(name, .arrived))
        effects.append(.stands(session, .idle))
    }

    private mutating func begin(_ session: SessionID) {
        var offer = SteeringOffer(actions: [.prompt, .interrupt])
        if world.ruleDice != nil { offer.actions.insert(.askAll) }
        effects.append(.offer(session, offer))
        if live.insert(session).inserted { effects.append(.remember(session.rawValue, [1])) }
    }

    // MARK: Steering

    /// True if a question of the session has no answer yet.
    private func isAsking(_ session: SessionID) -> Bool { desk.contains { $0.session == session && $0.isOpen } }

    private mutating func stands(_ standing: SteeringStanding, _ session: SessionID) {
        let isAsking = isAsking(session) && world.plant != .hastyPrompt
        effects.append(.stands(session, isAsking ? .waiting : standing))
    }

    private mutating func steer(_ request: SteeringRequest) {
        if let complaint = world.steering?.given(request, isAsking: isAsking(request.session)) {
            world.report(.steering, complaint)
        }
        if case .askAll(let isOn) = request.action { return asksAll(request, isOn) }
        host.steer(request, of: name)
        if world.plant == .repeatedPrompt { host.steer(request, of: name) }
    }

    /// Note of a session about whose every tool a person wants to be asked.
    private static let asksAll: [UInt8] = [2]

    private mutating func asksAll(_ request: SteeringRequest, _ isOn: Bool) {
        world.consent?.took(request, at: host.index)
        world.checkTaken(request)
        if live.contains(request.session) {
            askAll(isOn, in: request.session)
            effects.append(.remember(request.session.rawValue, isOn ? Self.asksAll : [1]))
        }
        effects.append(.steered(request.session, SteeringChange(request.name, .taken)))
    }

    private mutating func askAll(_ isOn: Bool, in session: SessionID) {
        guard isOn ? host.askingAll.insert(session).inserted : host.askingAll.remove(session) != nil else { return }
        effects.append(.askAll(session, isOn))
    }

    private static func call(_ hook: Int) -> String { "c\(hook)" }

    private mutating func asked(_ ask: Agent.Ask, _ process: AgentProcess, _ token: HookToken) {
        begin(ask.session)
        var question = ApprovalQuestion(
            session: ask.session, kind: .tool, tool: Self.tool, input: ask.input, Self.digests,
            form: SimulatedForm(hasOffer: ask.hasOffer), token: token)
        question.call = Self.call(ask.hook)
        question.process = process
        question.isAttended = ask.isAttended
        question.attempt = ask.attempts
        question.run = "hook \(ask.hook)"
        if let answer = bugs.answer(beforeAsking: question) { return effects.append(.respond(token, answer)) }
        for order in desk.handle(.asked(bugs.altered(question, desk)), at: now) {
            guard case .show(let id) = order, let approval = desk[id] else {
                carryOut(order)
                continue
            }
            let rule = host.rules?.answer(to: ask.command, isHeld: host.holds.contains(ask.session))
            world.freedom.asked(id, hook: ask.hook, run: ask.run, digest: ask.digest, rule: rule)
            var request = ApprovalRequest(
                approval: id, kind: .tool, tool: Self.tool, title: host.secret("Run \(ask.hook)"), digest: approval.digest)
            request.expiresAt = approval.expiresAt
            request.offers = approval.offers
            if ask.hook % 3 == 0 { request.risks = [host.secret("This deletes files.")] }
            request.alert = (try? JSONDocument(parsing: ask.input).root).flatMap { RequestWords(request, input: $0) }
            emit(.approvalRequested(request), in: ask.session) { [host] body in
                if host.rules != nil { body.raw("input", ask.input) }
            }
            stands(.idle, ask.session)
        }
    }

    /// The agent continues, so that its earlier questions have ended in some way.
    private mutating func overtaken() {
        for approval in desk.approvals { tellDesk(.shown(approval.id, .turnEnded(wentOn: false))) }
    }

    private mutating func check() {
        checkedAt = now.monotonic
        let processes = Set(desk.approvals.compactMap(\.process))
        if !processes.isEmpty { effects.append(.checkAgents(processes.sorted { $0.startedAt < $1.startedAt })) }
    }

    // MARK: Orders

    private mutating func tellDesk(_ fact: ApprovalFact<SimulatedForm>) {
        if case .decided(_, let id, _, let decision) = fact, let (token, answer) = bugs.answer(late: id, decision) {
            return effects.append(.respond(token, answer))
        }
        for order in desk.handle(bugs.altered(fact, desk), at: now) { carryOut(order) }
    }

    private mutating func carryOut(_ order: ApprovalOrder) {
        switch bugs.altered(order) {
        case .show: preconditionFailure("only what a hook asks is shown")
        case .remember(let id, let note): effects.append(.remember(id.rawValue, note))
        case .reopened: break
        case .deliver(let id, let token, let output):
            if let session = desk[id]?.session { emit(.approvalDelivered(id), in: session) }
            if let digest = desk[id]?.digest { bugs.delivered(output, digest) }
            effects.append(bugs.isUnrecorded ? .restrict(token, output) : .respond(token, output))
        case .abstain(let token): effects.append(.respond(token, nil))
        case .settled(let session, let end):
            guard let end else { break }
            emit(end, in: session)
            if let second = bugs.end(after: end) { emit(second, in: session) }
        case .emit(let session, let head): emit(head, in: session)
        // A hook that ends without an answer means No.
        case .judge(let id): tellDesk(.shown(id, .deniedAtTerminal))
        case .check(let process): effects.append(.checkAgents([process]))
        case nil: break
        }
    }

    private mutating func emit(_ head: EventHead, in session: SessionID, body: (inout JSONWriter) -> Void = { _ in }) {
        let isKept: Bool =
            switch head {
            case .approvalRequested, .approvalDelivered, .approvalApplied, .approvalCancelled, .approvalStale, .sessionStarted,
                .sessionEnded:
                true
            default: false
            }
        host.ledger.emitted()
        effects.append(.emit(session, Event(head, at: now.wall, body: body).bytes, isKept: isKept))
    }

    // MARK: Names

    static let digests = Digests { bytes in
        SimulatedHash.lanes(bytes).map { lane in
            let digits = String(lane, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

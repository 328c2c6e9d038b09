import RelayModel
import RelayProtocol

/// A page or a terminal: watches the workspace, follows sessions, and decides. Some read slowly, some stop reading for a while.
final class ClientProcess {
    private enum Waiting {
        case workspace
        case subscribe(SessionID, after: Position?)
        case unsubscribe(SessionID)
        case history(SessionID, before: Int64)
        case decide(DecideCommand)
        case budget(Budget)
        case steer(SteeringRequest)
        case letter
    }

    private unowned let world: World
    let index: Int
    let identity: ClientIdentity
    private(set) var connection: Connection?
    private var isGreeted = false
    private var waiting: [CommandID: Waiting] = [:]
    /// Decisions without an answer, over all connections: sent again with the same id until there is one.
    private var unanswered: [(command: CommandID, decide: DecideCommand)] = []
    /// The last requests to agents.
    private var steered: [SteeringRequest] = []
    private(set) var views: [SessionID: ViewChecker] = [:]
    private(set) var summaries: [SessionID: Summary] = [:]
    private(set) var approvals: [ApprovalID: Approval] = [:]
    private var isWorkspaceKnown = false
    private var attempts = 0
    /// Milliseconds to read one message.
    private let slowness: Int64
    private let eagerness: Double
    private var busyUntil: Int64 = 0

    init(world: World, index: Int) {
        self.world = world
        self.index = index
        let name = "client\(index)"
        identity = ClientIdentity(
            workspace: World.workspace, client: Named(id: ClientID(name)!, name: name),
            scope: Scope(of: world.steering != nil && index.isMultiple(of: 2) ? .operator : .client))
        slowness = world.dice.pick([0, 0, 0, 5, 60])
        eagerness = world.dice.pick([0.2, 0.6, 0.9])
    }

    var name: String { "client\(index)" }
    var isLevel: Bool { isGreeted && isWorkspaceKnown }

    // MARK: Life

    func start() { connect() }

    private func connect() {
        guard connection == nil else { return }
        connection = world.connect(.client(index))
    }

    func opened(_ connection: Connection) {
        guard self.connection === connection else { return world.peerCloses(connection, .goingAway) }
        world.sendToRelay(ClientMessage.hello(Hello(software: "simulated")).bytes, on: connection)
    }

    func closed(_ connection: Connection) {
        guard self.connection === connection else { return }
        self.connection = nil
        isGreeted = false
        isWorkspaceKnown = false
        waiting = [:]
        for session in views.keys { views[session]?.left() }
        attempts += 1
        world.after(world.dice.within(100...min(400 << Int64(min(attempts, 5)), 8_000))) { [self] _ in connect() }
    }

    /// Time at which it reads a message that arrives at `arrival`.
    func reads(at arrival: Int64) -> Int64 {
        busyUntil = max(arrival, busyUntil) + slowness
        return busyUntil
    }

    /// Stops reading, like a phone that sleeps.
    func stall(for wait: Int64) {
        world.trace.note(world.now, name, "stalls", "for \(wait) ms")
        busyUntil = max(busyUntil, world.now + wait)
    }

    /// Does something at random that a person or a program might.
    func fidget() {
        guard isGreeted, let connection else { return }
        let followed = views.keys.sorted { $0.rawValue < $1.rawValue }
        guard !followed.isEmpty else { return }
        let session = world.dice.pick(followed)
        let seq = world.log.sessions[key(session)]?.seq ?? 0
        switch world.dice.below(8) {
        case 0: subscribe(session, after: Position(epoch: world.log.epoch, seq: Int64(world.dice.below(Int(seq) + 1))))
        case 1: subscribe(session, after: Position(epoch: world.log.epoch, seq: seq + 100_000))
        case 2: subscribe(session, after: Position(epoch: Epoch("another")!, seq: 1))
        case 3: subscribe(session, after: nil)
        case 4: send(.unsubscribe(session), .unsubscribe(session))
        case 5:
            let before = Int64(world.dice.below(Int(seq) + 2))
            send(.history(session, before: before, limit: 5), .history(session, before: before))
        case 6: send(.subscribe(nil, after: nil), .workspace)
        default: world.peerCloses(connection, .goingAway)
        }
    }

    /// Sets, replaces or removes a budget, of a size that the agents' spending approaches.
    func setBudget() {
        guard isGreeted else { return }
        let known = summaries.keys.sorted { $0.rawValue < $1.rawValue }
        var scopes: [Budget.Scope] = [.everySession, .day, .workspace]
        if !known.isEmpty { scopes.append(.session(world.dice.pick(known))) }
        let budget = Budget(
            scope: world.dice.pick(scopes), microUSD: world.dice.chance(0.2) ? 0 : Int64(world.dice.spread(100, 10_000)),
            levels: world.dice.pick([[50, 80, 100], [10, 20, 30, 40], [100], [150, 300]]), holds: world.dice.chance(0.5))
        world.budgets.asks(budget)
        send(.budget(budget), .budget(budget))
    }

    /// Sends an agent a command, withdraws an earlier one, or sends it again.
    func steer() {
        guard isGreeted, !summaries.isEmpty else { return }
        var request: SteeringRequest
        if let last = steered.last, world.dice.chance(0.3) {
            if world.dice.chance(0.5) { return send(.withdraw(last.session, last.name), .steer(last)) }
            request = last
        } else {
            let session = world.dice.pick(summaries.keys.sorted { $0.rawValue < $1.rawValue })
            let agents = summaries[session]?.steering?.agents ?? []
            let ways: [SteeringAction.WhenBusy] = world.hasRealAgents ? [.queue, .steer, .refuse] : [.queue, .queue, .refuse]
            let whenBusy = world.dice.pick(ways)
            let text = secret(world.name("prompt "), in: session)
            request = SteeringRequest(
                command: CommandID(world.name("k"))!, session: session, by: identity.client,
                action: rule(in: session) ?? askAll(in: session)
                    ?? (!agents.isEmpty && world.dice.chance(0.9)
                        ? .launch(launch(world.dice.pick(agents).name, text, in: session))
                        : world.dice.chance(0.2)
                            ? .interrupt : other(in: session) ?? .prompt(.init(text: text, whenBusy: whenBusy))))
            world.steering?.asked(request, isAllowed: identity.scope.contains(.steer))
            if let sealing = world.sealing {
                guard let sealed = sealing.sealed(request, as: summaries[session]?.steering, by: index) else { return }
                request = sealed
            }
            if let consent = world.consent {
                request = consent.signed(request, for: summaries[session]?.steering?.consent, by: index)
            }
        }
        steered = [request]
        send(
            .steer(request.session, request.action, signature: request.signature), .steer(request), as: request.command)
    }

    /// At times, another action that sessions of Claude Code offer. No other simulated agent has modes.
    private func other(in session: SessionID) -> SteeringAction? {
        guard session.rawValue.hasPrefix(ClaudeHooks.adapter), let offer = summaries[session]?.steering,
            world.dice.chance(0.2)
        else { return nil }
        var actions = offer.modes.map { SteeringAction.mode($0) } + offer.models.map { SteeringAction.model($0) }
        if offer.actions.contains(.stop), world.dice.chance(0.2) { actions.append(.stop) }
        return actions.isEmpty ? nil : world.dice.pick(actions)
    }

    /// A change of the host's rules, at times.
    private func rule(in session: SessionID) -> SteeringAction? {
        guard let offer = summaries[session]?.steering, let rules = offer.rules, world.dice.chance(0.5) else { return nil }
        let allowing = rules.rules.filter { $0.answer == "allow" && !$0.isOff }.map(\.name)
        let kinds = [SteeringAction.Kind.ruleOff, .ruleAdd, .ruleChange].filter {
            offer.actions.contains($0) && ($0 == .ruleAdd || !allowing.isEmpty)
        }
        guard !kinds.isEmpty else { return nil }
        let kind = world.dice.pick(kinds)
        if kind == .ruleOff { return .ruleOff(world.dice.pick(allowing)) }
        let rule = SimulatedRule.drawn(named: world.name("rule-"), by: &world.dice)
        return kind == .ruleAdd ? .ruleAdd(rule.text) : .ruleChange(world.dice.pick(allowing), to: rule.text)
    }

    /// The wish to be asked about everything, or its end, at times.
    private func askAll(in session: SessionID) -> SteeringAction? {
        guard world.ruleDice != nil, summaries[session]?.steering?.actions.contains(.askAll) == true, world.dice.chance(0.15)
        else { return nil }
        return .askAll(world.dice.chance(0.6))
    }

    /// Most launches ask for something that is offered.
    private func launch(_ agent: String, _ text: String, in session: SessionID) -> Launch {
        let past = "r\(world.dice.below(3))"
        let purpose = world.dice.pick([.start, .start, .resume(past), .past] as [Launch.Purpose])
        return Launch(
            purpose,
            project: secret(world.dice.pick(["here", "here", "moved", "elsewhere"]), in: session), agent: agent,
            mode: world.dice.chance(0.1) ? "askNobody" : nil, text: nil
        ).saying(text, world.dice.chance(0.6))
    }

    /// The text, marked if the session's host seals its content.
    private func secret(_ text: String, in session: SessionID) -> String {
        world.hosts.first { $0.owns(session) }?.secret(text) ?? text
    }

    // MARK: Sending

    private func key(_ session: SessionID) -> SessionKey { SessionKey(workspace: World.workspace.id, session: session) }

    private func send(_ command: ClientCommand, _ purpose: Waiting, as id: CommandID? = nil) {
        guard let connection else { return }
        let id = id ?? CommandID(world.name("k"))!
        waiting[id] = purpose
        world.sendToRelay(ClientMessage.command(id, command).bytes, on: connection)
    }

    func write(_ letter: Letter, to host: HostKeyID) { if isGreeted { send(.letter(letter, to: .host(host)), .letter) } }

    private func subscribe(_ session: SessionID, after position: Position?) {
        world.sealing?.devices[index].follows(session)
        send(.subscribe(session, after: position), .subscribe(session, after: position))
    }

    private func follow(_ session: SessionID) {
        guard isGreeted else { return }
        if views[session] == nil { views[session] = ViewChecker(session: session) }
        subscribe(session, after: views[session]?.seq.map { Position(epoch: world.log.epoch, seq: $0) })
    }

    // MARK: Receiving

    func received(_ message: MessageToClient, on connection: Connection) {
        guard self.connection === connection else { return }
        world.sealing?.devices[index].received(message)
        switch message {
        case .welcome: welcomed()
        case .workspaceSnapshot(let summaries, let approvals, _, _):
            isWorkspaceKnown = true
            self.summaries = [:]
            self.approvals = [:]
            for summary in summaries { take(summary) }
            for approval in approvals { take(approval) }
            // The relay removed these sessions while this client was away.
            for session in views.keys where self.summaries[session] == nil { views[session] = nil }
        case .sessionSnapshot(let tail, let seq, let summary, let approvals):
            check(tail.session) { $0.tookSnapshot(tail, seq: seq, $1) }
            take(summary)
            self.approvals = self.approvals.filter { $0.value.session != tail.session }
            for approval in approvals { take(approval) }
        case .events(let run): check(run.session) { $0.took(run, $1) }
        case .reset(let session, _): check(session) { view, _ in view.wasReset() }
        case .summary(let summary): take(summary)
        case .approval(let approval): take(approval)
        case .reply(let command, let reply): replied(reply, to: command)
        case .removed(let session):
            summaries[session] = nil
            approvals = approvals.filter { $0.value.session != session }
            views[session] = nil
        case .letter(let letter, _): world.consent?.vouching?.received(letter, by: index)
        case .deltas, .output, .notice, .push, .snapshotEnd: break
        }
    }

    private func check(_ session: SessionID, _ body: (inout ViewChecker, [[UInt8]]) -> String?) {
        var view = views[session] ?? ViewChecker(session: session)
        if let complaint = body(&view, world.log.sessions[key(session)]?.events ?? []) {
            world.report(.view, "\(name): \(complaint)")
        }
        views[session] = view
    }

    private func welcomed() {
        isGreeted = true
        attempts = 0
        send(.subscribe(nil, after: nil), .workspace)
        for session in views.keys.sorted(by: { $0.rawValue < $1.rawValue }) { follow(session) }
        for (command, decide) in unanswered { send(.decide(decide), .decide(decide), as: command) }
    }

    private func take(_ summary: Summary) {
        if summaries[summary.session]?.endedAt == nil, summary.endedAt == nil || summaries[summary.session] == nil,
            views[summary.session] == nil, world.dice.chance(0.8)
        {
            follow(summary.session)
        }
        if let known = summaries[summary.session], known.seq > summary.seq { return }
        summaries[summary.session] = summary
        if summary.endedAt != nil, views[summary.session] != nil { lookAway(from: summary.session) }
    }

    /// An ended session is unsubscribed sooner or later.
    private func lookAway(from session: SessionID) {
        world.after(world.dice.within(500...60_000)) { [self] _ in
            guard isGreeted, views[session]?.isFollowed == true, summaries[session]?.endedAt != nil else { return }
            send(.unsubscribe(session), .unsubscribe(session))
        }
    }

    private func take(_ approval: Approval) {
        let known = approvals[approval.id]
        if let known, known.seq > approval.seq { return }
        approvals[approval.id] = approval
        if known == nil, approval.stage == .pending { noticed(approval) }
    }

    // MARK: Deciding

    private func noticed(_ approval: Approval) {
        guard !world.isCalm, world.dice.chance(eagerness) else { return }
        world.after(world.dice.within(100...6_000)) { [self] world in
            guard approvals[approval.id]?.stage == .pending || world.dice.chance(0.1) else { return }
            decide(approval)
        }
    }

    private func decide(_ approval: Approval) {
        let isWrong = world.dice.chance(world.faults.wrongDigest)
        let denial = secret("no", in: approval.session)
        var verdict: Decision.Verdict = world.dice.chance(0.6) ? .allow : .deny(message: world.dice.chance(0.5) ? denial : nil)
        // Some approvals are answered with one of the agent's offers.
        if verdict == .allow, let offer = approval.request.offers.first, approval.seq.isMultiple(of: 3) {
            verdict = .allowWith(offer: offer.id)
        }
        var decide = DecideCommand(
            session: approval.session, approval: approval.id,
            digest: isWrong ? Agent.foreignDigest : approval.request.digest, verdict: verdict)
        if let sealing = world.sealing { decide.verdict = sealing.sealed(verdict, on: approval, by: index) }
        if let consent = world.consent { decide = consent.signed(decide, by: index) }
        let command = CommandID(world.name("k"))!
        world.freedom.intended(world.consent?.inner(decide) ?? decide)
        world.agents.intended(decide)
        unanswered.append((command, decide))
        guard isGreeted, let connection else { return }
        send(.decide(decide), .decide(decide), as: command)
        // The answer is lost with the connection; the command is sent again on the next.
        if world.dice.chance(world.faults.resentDecision) { world.cut(connection) }
    }

    private func replied(_ reply: Reply, to command: CommandID) {
        guard let asked = waiting.removeValue(forKey: command) else { return }
        switch (asked, reply) {
        case (.subscribe(let session, let position), .done):
            check(session) { view, events in
                view.subscribed(after: position, epoch: world.log.epoch, end: Int64(events.count))
                return nil
            }
        case (.subscribe(let session, _), .failed):
            if summaries[session] == nil { return views[session] = nil }
            world.after(1_000) { [self] _ in if views[session]?.isFollowed == false { follow(session) } }
        case (.unsubscribe(let session), .done):
            views[session]?.left()
            if summaries[session]?.endedAt != nil { return views[session] = nil }
            world.after(2_000) { [self] _ in if views[session]?.isFollowed == false { follow(session) } }
        case (.history(let session, let before), .history(let first, let events)):
            let stored = world.log.sessions[key(session)]?.events ?? []
            if let complaint = ViewChecker.compare(events, first: first, with: stored) {
                world.report(.view, "\(name): history before \(before) of \(session): \(complaint)")
            }
        case (.budget(let budget), .done):
            if let complaint = world.budgets.acknowledged(budget) { world.report(.durability, "\(name): \(complaint)") }
        case (.decide(let decide), _): decided(decide, command, reply)
        case (.workspace, .failed):
            world.after(1_000) { [self] _ in if isGreeted { send(.subscribe(nil, after: nil), .workspace) } }
        default: break
        }
    }

    private func decided(_ decide: DecideCommand, _ command: CommandID, _ reply: Reply) {
        if case .failed(let notice, _) = reply, ["unavailable", "tooMany"].contains(notice.code) {
            return world.after(1_000) { [self] _ in
                if isGreeted, waiting[command] == nil { send(.decide(decide), .decide(decide), as: command) }
            }
        }
        unanswered.removeAll { $0.command == command }
        let stored = world.log.sessions[key(decide.session)]
        if let complaint = world.decisions.replied(
            reply, to: command, decide, winner: stored?.decisions[decide.approval], isRemoved: stored?.state == nil)
        {
            world.report(.decision, "\(name): \(complaint)")
        }
    }
}

extension Launch {
    /// A launch that only lists sessions has no text.
    fileprivate func saying(_ text: String, _ isSaid: Bool) -> Launch {
        var launch = self
        if isSaid, purpose != .past { launch.text = text }
        if purpose == .past { launch.mode = nil }
        return launch
    }
}

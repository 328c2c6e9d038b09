internal import Consent
package import HeliographLink
internal import RelayProtocol

/// The host: its agents' events go into the spool and over the link, and the relay's decisions and holds go to the agents' adapters.
///
/// ```
/// agents ─told─▶ AgentAdapter ─▶ Journal, Spool ─▶ LinkMachine ─send─▶ relay
///   ▲                 ▲                               │
///   └──── respond ────┴─────────── decided ───────────┘
/// ```
///
/// Pure but for the disk, which it reaches by the spool's port, because nobody is answered before that is written: a clock, a socket and
/// dice are others'. The daemon carries out its orders, and so does the simulation.
package struct HostMachine {
    private(set) var agents: [any AgentAdapter]
    private(set) var link: LinkMachine
    private var journal: Journal
    var steering: SteeringDesk
    var typing = TypingDesk()
    /// The host's consent; nil for a host without keys, which accepts what the relay brings.
    var consent: HostConsent?
    /// The owner's rules; nil for a host without rules.
    var rules: RuleDesk?
    /// The rules that people were shown last.
    private var shownRules: RulesOffer?
    private(set) var offers: [SessionID: SteeringOffer] = [:]
    /// First prompts of sessions that clients started. Their outcome is that of the start.
    private var firstPrompts: [SteeringName: SessionID] = [:]
    private var firstPictures = FirstPictures()
    private var fetches = PictureFetches()
    var tries = RuleTries()
    var looks = OpenLooks()
    var drawings = RecentDrawings()
    private let limits = HostLimits()
    private var known = KnownHolds()
    /// Sessions that the relay has as ours, as far as the agents know.
    private var named: Set<SessionID> = []
    private var timers = HostTimers()
    /// True if there may be something to send since the last flush was armed.
    private var hasNews = false
    /// True if an adapter learned something, so that its deadline may have changed.
    var wereAgentsTold = false

    /// Time of the current fact.
    private(set) var now = HostInstant(wall: 0, monotonic: 0)
    var orders: [HostOrder] = []

    /// `link`: announces that the host can be steered, if `steering` permits any client. `boot`: a name of this start of the
    /// machine; empty if unknown.
    package init(
        agents: [any AgentAdapter], spool: Spool, link: LinkMachine, boot: String = "",
        steering rights: SteeringRights = .nobody, consent: HostConsent? = nil,
        rules: (source: any RuleSource, home: String)? = nil
    ) {
        self.agents = agents
        self.link = link
        steering = SteeringDesk(rights)
        journal = Journal(spool, boot: boot)
        self.consent = consent
        self.rules = rules.map { RuleDesk($0.source, home: $0.home) }
        if let name = link.name { self.consent?.isCalled(name) }
        if consent?.isSealed == true { self.link.seal() }
    }

    package mutating func handle(_ fact: HostFact, at now: HostInstant) -> [HostOrder] {
        self.now = now
        orders = []
        switch fact {
        case .started(let holds): start(holds)
        case .stopping: stop()
        case .told(let name, let fact, let isDurable):
            guard let agent = agents.firstIndex(where: { $0.name == name }) else {
                preconditionFailure("what an agent's reader tells is for an adapter that is there")
            }
            tell(agent, .own(fact), isDurable: isDurable)
            // The owner has changed what clients may do here, or accepted the rules.
            if name == LaunchAdapter.name { showRules() }
        case .hookGone(let token):
            consent?.gone(token)
            tellAll(.hookGone(token))
        case .consentAsked(let request, let token):
            carryOut(consent?.asked(request, token, at: now) ?? [HostConsent.noKeys(token)])
        case .secretFound(let secret, let until): consent?.learn(secret, until: until)
        case .agentGone(let process): tellAll(.agentGone(process))
        case .linkOpened: drive(.opened)
        case .received(let message): drive(.received(message))
        case .linkClosed(let end, let dice):
            orders.append(.disarm(.welcome))
            drive(.closed(end, dice: dice))
        case .picturesFetched(let name, let fetched): picturesFetched(fetched, name)
        case .rulesTried(let name, let tried): rulesTried(tried, name)
        case .terminalAnswered(let name, let said): terminalAnswered(name, said)
        case .holdsNotSaved:
            known.notSaved()
            arm(.disk, after: limits.diskRetryAfter)
        case .fired(let timer): fired(timer)
        }
        armTimers()
        return orders
    }

    // MARK: What it shows

    package var linkState: ReconnectMachine.State { link.state }
    package var isLive: Bool { link.isLive }
    package var liveSessions: [AgentSession] { agents.flatMap(\.liveSessions) }
    package var questions: [AgentQuestion] { agents.flatMap(\.questions) }

    /// `asker`: the agent that wants to ask about the call, whose own questions do not count.
    package func standing(of call: String, besides asker: String) -> CallStanding {
        let others = agents.filter { $0.name != asker }
        if others.contains(where: { $0.questions.contains { $0.call == call && $0.isOpen } }) { return .asked }
        return others.contains { $0.hasBegun(call: call) } ? .begun : .unknown
    }

    // MARK: Life

    private mutating func start(_ holds: Holds) {
        var notes = Array(repeating: [String: [UInt8]](), count: agents.count)
        forget(steering.restore(from: journal.spool.index.notes, isWaiting: isWaiting))
        var settled: [String] = []
        for (key, note) in journal.spool.index.notes
        where SteeringName(note: key) == nil && !HostConsent.isNote(key) && !RuleDesk.isNote(key) {
            // A power cut can leave both the end of an approval and its note.
            if let id = ApprovalID(key), let session = AgentQuestion.session(ofNote: note), journal.isSettled(id, in: session) {
                settled.append(key)
                continue
            }
            // A desk names its notes after the approval. A note that belongs to no agent here stays, for one that knows it.
            let name = agents.contains { $0.has(key) } ? key : AgentQuestion.session(ofNote: note)?.rawValue
            if let agent = name.flatMap(agent(of:)) { notes[agent][key] = note }
        }
        forget(settled)
        restoreConsent()
        known.restore(holds)
        for agent in agents.indices { tell(agent, .daemonStarted(notes: notes[agent])) }
        restoreRules()
        let over = consent?.sessionsWithLines.filter { !isNeeded($0) } ?? []
        forget(consent?.restLines(of: over) ?? [])
        carryOut([HostConsent.Order]())
        if journal.mayHaveLost { tellLoss() }
        if consent?.isSigned == true { tellLauncher(.becameSigned) }
        tellAll(.held(holds))
        showRules()
        drive(.started)
    }

    private mutating func restoreConsent() {
        let notes = journal.spool.index.notes
        let numbered: [SessionID: Int64] =
            consent?.beginsToSeal(notes) == true
            ? journal.spool.index.sessions.filter { isNeeded($0.key) }.mapValues { $0.acknowledged + 1 } : [:]
        let over = consent?.restore(from: notes, at: now, numbered: numbered) { notes[$0.rawValue] != nil }
        forget(over ?? notes.keys.filter(HostConsent.isNote))
    }

    /// Restores the answers of rules. An answer that was on disk stands, as a person's does: its adapter gives it to the hook that
    /// calls again.
    private mutating func restoreRules() {
        let notes = journal.spool.index.notes
        let live = Set(liveSessions.map(\.id))
        let restored = rules?.restore(from: notes, isLive: live.contains) { notes[$0.rawValue] != nil }
        forget(restored?.over ?? notes.keys.filter(RuleDesk.isNote))
        restored?.answered.forEach { answer($0) }
    }

    /// Reports lost events of each live session: the machine went down before they were on disk. A session that began meanwhile is
    /// unknown.
    private mutating func tellLoss() {
        for session in liveSessions.map(\.id).sorted(by: { $0.rawValue < $1.rawValue }) {
            emit(.truncated(count: nil), of: session)
        }
    }

    private mutating func stop() {
        tellTyped(typing.stopped())
        do throws(SpoolError) {
            try journal.rest()
        } catch {
            orders.append(.log(.notSent(error)))
        }
        flush()
    }

    private mutating func fired(_ timer: HostTimer) {
        timers.fired(timer)
        switch timer {
        case .retry: drive(.retry)
        case .welcome: drive(.welcomeOverdue)
        case .resend: drive(.resendDue)
        case .flush:
            hasNews = false
            flush()
        case .sync: do throws(SpoolError) { try journal.syncIsDue() } catch { orders.append(.log(.notRecorded(error))) }
        case .disk: retryDisk()
        case .agents:
            carryOut(steering.timerFired(at: now))
            tellTyped(typing.due(at: now))
            carryOut(consent?.timerFired(at: now) ?? [])
            tellAll(.timerFired)
        }
    }

    // MARK: Agents

    /// The adapter that a session of that name belongs to.
    private func agent(of name: String) -> Int? { agents.firstIndex { $0.has(name) } }

    mutating func tellAll(_ input: AgentInput<any Sendable>) {
        for agent in agents.indices { tell(agent, input) }
    }

    /// Gives an adapter a fact and carries out its orders: notes are written first, answers are sent after.
    mutating func tell(_ agent: Int, _ input: AgentInput<any Sendable>, isDurable: Bool = false) {
        wereAgentsTold = true
        var effects = firstPictures.shown(in: agents[agent].handle(erased: input, at: now))
        if !steering.isOpen { effects = Self.withoutEdits(effects) }
        let answered =
            rules?.answering(
                &effects, of: agents[agent].name, at: now, hasPasskeys: consent?.hasPasskeys == true,
                present: { [agents] in agents[agent].presentFolder($0) }
            ) { [known, agents] in known.asksAll($0) || agents[agent].isElsewhere($0) } ?? []
        if let wrapped = consent?.wrapping(effects) { effects = wrapped }
        let isRecorded = record(effects, of: agent) && (!isDurable || synchronize())
        for effect in effects {
            switch effect {
            case .emit, .remember: break
            case .stream(let delta): show(delta)
            case .show(let output): show(output)
            // A decision that may not be on disk has not been made.
            case .respond(let token, let output): orders.append(.respond(token, isRecorded ? output : nil))
            case .restrict(let token, let output): orders.append(.respond(token, output))
            case .heed(let token, _, _, _): orders.append(.respond(token, nil))
            case .checkAgents(let processes): orders.append(.checkAgents(processes))
            case .offer(let session, let offer): offered(offer, by: session)
            case .askAll(let session, let isOn): askAll(session, isOn)
            case .launched(let name, let outcome): tellLauncher(.outcome(name, outcome))
            case .launch(let order): launch(order)
            case .begin(let request): begin(request)
            case .stands(let session, let standing): carryOut(steering.stands(standing, session, at: now))
            case .steered(let session, let change): carryOut(steering.changed(change, of: session, at: now))
            case .own(let order): orders.append(.carryOut(agent: agents[agent].name, order))
            }
        }
        for session in journal.takeEnded() { sessionEnded(session) }
        if isRecorded { answered.forEach { answer($0) } }
        if rules?.takeLook() == true { showRules() }
    }

    /// Offers the rules in the host's session if they have changed.
    mutating func showRules() {
        let offer = rules?.offer
        guard offer != shownRules else { return }
        shownRules = offer
        tellLauncher(.rules(offer))
    }

    private mutating func answer(_ answered: RuleDesk.Answered) {
        guard let agent = agent(of: answered.session.rawValue) else { return }
        orders.append(
            .log(.answeredByRule(answered.session, answered.approval, answered.rule.answer, rule: answered.rule.name)))
        let decision = answered.rule.decision(on: answered.approval, at: now.wall)
        tell(agent, .decided(answered.session, answered.approval, answered.digest, decision))
    }

    /// Writes what these effects record. Returns false if the disk did not take it.
    private mutating func record(_ effects: [AgentEffect<any Sendable>], of agent: Int) -> Bool {
        var entries: [HostLog] = []
        let outcome = journal.record(
            effects, isNeeded: { id in agents.contains { $0.isLive(id) } }, log: { entries.append($0) })
        orders += entries.map { .log($0) }
        guard let outcome else { return true }
        hasNews = true
        guard case .refused(let error, let approvals) = outcome else { return true }
        orders.append(.log(.notRecorded(error)))
        tell(agent, .nothingRecorded)
        for approval in approvals { tell(agent, .notRecorded(approval)) }
        return false
    }

    // MARK: The link

    private mutating func drive(_ input: LinkMachine.Input) {
        hasNews = true
        let active = if case .opened = input { liveSessions.map(\.id) } else { [SessionID]() }
        for effect in link.handle(input, index: journal.spool.index, active: active, at: now) { carryOut(effect) }
    }

    private mutating func carryOut(_ effect: LinkMachine.Effect) {
        switch effect {
        case .connect: orders.append(.connect(link.heartbeat))
        case .send(let bytes): orders.append(.send(bytes))
        case .close(let code): orders.append(.close(code))
        case .retryAfter(let wait): orders.append(.arm(.retry, after: wait))
        case .expectWelcome(let within): orders.append(.arm(.welcome, after: within))
        case .resendAfter(let wait): orders.append(.arm(.resend, after: wait))
        case .acknowledge(let session, let through):
            journal.acknowledge(session, through: through)
            if through > 0, !named.contains(session), let agent = agent(of: session.rawValue) {
                if agents[agent].isLive(session) { named.insert(session) }
                tell(agent, .named(session, isOurs: true))
            }
            if !isWaiting(session) {
                forget(steering.acknowledged(session))
                forget(consent?.acknowledged(session) ?? [])
            }
        case .drop(let session, let seq):
            // The adapter need not wait for a question that nobody will see.
            if let lost = journal.drop(session, seq: seq), let agent = agent(of: session.rawValue) {
                tell(agent, .notRecorded(lost))
            }
        case .nameTaken(let session):
            sessionEnded(session)
            if let agent = agent(of: session.rawValue) { tell(agent, .named(session, isOurs: false)) }
        case .decide(let session, let approval, let digest, let decision):
            guard let agent = agent(of: session.rawValue) else {
                return orders.append(.log(.foreign(session, decision.command)))
            }
            // An earlier life of this daemon applied the decision, and the relay is about to receive that.
            guard !journal.isSettled(approval, in: session) else {
                return orders.append(.log(.settledAlready(session, approval, decision.command)))
            }
            decide(session, approval, digest, decision, agent)
        case .hold(let holds): hold(holds)
        case .steer(let request): steer(request)
        case .withdraw(let session, let name): carryOut(steering.withdrawn(name, of: session))
        case .outstanding(let session, let names):
            carryOut(steering.outstanding(names, of: session, at: now))
            // The session may come from an earlier life of the daemon, which could be steered.
            if !steering.isOpen { tellOffer(offers[session], of: session) }
        case .letter(let letter, let client): carryOut(consent?.received(letter, from: client, at: now) ?? [])
        case .screen(let call): asked(call)
        case .linkChanged(let isLive):
            if isLive { orders.append(.disarm(.welcome)) }
            tellAll(.linkChanged(isLive: isLive))
        case .log(let entry): orders.append(.log(.link(entry)))
        }
    }

    /// Writes the notes, and those that consent needs after a restart. Returns false if the disk did not take them.
    mutating func remember(_ notes: [String: [UInt8]], of agent: Int) -> Bool {
        let devices = consent?.unwritten ?? [:]
        let all = devices.merging(notes) { _, new in new }
        guard !all.isEmpty else { return true }
        guard record(all.sorted { $0.key < $1.key }.map { .remember($0.key, $0.value) }, of: agent) else { return false }
        consent?.wrote(devices)
        return true
    }

    // MARK: Steering

    private mutating func offered(_ offer: SteeringOffer?, by session: SessionID) {
        guard offers[session] != offer else { return }
        let wasHeldSo = offers[session]?.hold == offer?.hold
        offers[session] = offer
        guard steering.isOpen else {
            // Reported for every session: how far it can be held, and that its content is sealed.
            if !wasHeldSo || consent?.isSealed == true { tellOffer(offer, of: session) }
            return
        }
        steering.offered(offer, by: session)
        tellOffer(offer, of: session)
    }

    /// Reports what clients can do to the session, which may be nothing.
    mutating func tellOffer(_ offer: SteeringOffer?, of session: SessionID) {
        var told = offer ?? SteeringOffer()
        if !steering.isOpen {
            told = SteeringOffer(reason: "Clients cannot steer this host.")
            told.hold = offer?.hold
        }
        emit(.steeringOffered(consent?.marking(told) ?? told), of: session)
    }

    /// True if the session may continue, or the relay may lack events of it.
    private func isNeeded(_ session: SessionID) -> Bool {
        isWaiting(session) || journal.spool.index.notes[session.rawValue] != nil || agents.contains { $0.isLive(session) }
    }

    /// True if the relay may lack events of the session.
    private func isWaiting(_ session: SessionID) -> Bool {
        journal.spool.isFailing || journal.spool.index.sessions[session]?.entries.isEmpty == false
    }

    private mutating func forget(_ names: [SteeringName]) { forget(names.map(\.note)) }

    private mutating func forget(_ notes: [String]) {
        guard !notes.isEmpty, let agent = agents.indices.first else { return }
        _ = record(notes.sorted().map { .remember($0, nil) }, of: agent)
    }

    private mutating func sessionEnded(_ session: SessionID) {
        offers[session] = nil
        drawings.forget(session)
        named.remove(session)
        tellTyped(typing.ended(session))
        carryOut(steering.ended(session))
    }

    mutating func carryOut(_ orders: [SteeringOrder]) {
        wereAgentsTold = true
        for order in orders {
            switch order {
            case .tell(let session, let change) where firstPrompts[change.name] == session:
                if change.stage.isFinal {
                    firstPrompts[change.name] = nil
                    if change.stage != .taken { firstPictures.over(session) }
                }
                tellLauncher(.prompted(change))
            case .tell(let session, let change):
                emit(.steeringChanged(change), of: session, ending: change.stage.isFinal ? change.name : nil)
                if change.stage.isFinal { steering.noted(change.name, of: session) }
            case .give(let request): give(request)
            }
        }
    }

    // MARK: New sessions

    mutating func tellLauncher(_ fact: LaunchFact) {
        guard let launcher = agents.firstIndex(where: { $0.name == LaunchAdapter.name }) else { return }
        tell(launcher, .own(fact))
    }

    private mutating func launch(_ order: LaunchOrder) {
        guard let agent = agents.firstIndex(where: { $0.name == order.launch.agent }) else {
            return tellLauncher(.outcome(order.name, .refused("this host has no such agent")))
        }
        orders.append(.log(.launched(order.name, order.launch.kind, agent: order.launch.agent, folder: order.folder)))
        tell(agent, .launch(order))
    }

    /// Sends a first prompt like any other, under the note of the command that it is part of.
    private mutating func begin(_ request: SteeringRequest) {
        firstPrompts[request.name] = request.session
        firstPictures.began(request)
        carryOut(steering.begins(request, at: now))
    }

    /// Gives a command to its agent. The note is on disk before, so that after a crash nobody reports that the command was not
    /// given.
    private mutating func give(_ request: SteeringRequest) {
        guard let agent = agent(of: request.session.rawValue) else {
            return refuse(request, "no agent of this host has this session")
        }
        // Its pictures may have been fetched meanwhile.
        if let refusal = consent?.refusal(ofAdmitted: request) { return refuse(request, refusal.sentence) }
        if case .prompt = request.action, offers[request.session]?.hold == .unchanged, known.holds(request.session) {
            return refuse(request, "a budget is spent, and this agent would not ask about its tools: raise the budget first")
        }
        switch fetches.begin(request) {
        case .nothing: break
        case .fetch: return orders.append(.fetchPictures(request.name, request.action.pictures))
        case .refuse(let reason): return refuse(request, reason)
        }
        let isNoted = remember([request.name.note: SteeringNote.given.bytes], of: agent) && synchronize()
        guard isNoted else { return carryOut(steering.notGiven(request)) }
        orders.append(.log(.steered(request.session, request.name, request.action.kind)))
        switch request.action {
        case .ruleOff, .ruleAdd, .ruleChange: changeRules(request)
        case .ruleTry(let text): tryRules(text, request)
        default: tell(agent, .steer(request))
        }
    }

    /// Gives the command whose pictures were fetched, unless its end has been reported meanwhile.
    private mutating func picturesFetched(_ fetched: FetchedPictures, _ name: SteeringName) {
        guard let request = fetches.end(name), steering.isGiven(name, in: request.session) else { return }
        switch fetched {
        case .all(let contents):
            guard var whole = request.with(contents) else { return refuse(request, "not all of its pictures could be fetched") }
            // Pictures of a start were sent to the session that represents this host.
            let places = [request.session] + offers.keys.filter(\.isOfHost).sorted { $0.rawValue < $1.rawValue }
            if let refusal = consent?.open(picturesOf: &whole, sentTo: places) { return refuse(request, refusal.sentence) }
            guard !whole.action.pictures.contains(where: { $0.type == .sealed }) else {
                return refuse(request, ConsentRefusal.cannotOpen.sentence)
            }
            give(whole)
        case .refused(let reason): refuse(request, reason)
        }
    }

    mutating func refuse(_ request: SteeringRequest, _ reason: String) {
        carryOut(steering.changed(SteeringChange(request.name, .refused, reason: reason), of: request.session, at: now))
    }

    private mutating func synchronize() -> Bool {
        do throws(SpoolError) {
            try journal.synchronize()
            return true
        } catch {
            orders.append(.log(.notRecorded(error)))
            return false
        }
    }

    mutating func emit(_ head: EventHead, of session: SessionID, ending name: SteeringName? = nil) {
        guard let agent = agent(of: session.rawValue) else { return }
        let event = Event(head, at: now.wall) { body in
            if case .steeringChanged(let change) = head { change.writeBody(to: &body) }
        }
        var effects: [AgentEffect<any Sendable>] = [.emit(session, event.bytes, isKept: true)]
        if let name { effects.append(.remember(name.note, SteeringNote.told(session).bytes)) }
        _ = record(effects, of: agent)
    }

    private mutating func hold(_ holds: Holds) {
        guard known.learn(holds) else { return }
        orders.append(.log(.held(holds)))
        tellAll(.held(holds))
        orders.append(.saveHolds(known.all))
    }

    /// Saves that every tool of the session needs approval, or no longer does, before anybody learns of it: a hook that finds no
    /// daemon uses the file.
    private mutating func askAll(_ session: SessionID, _ isOn: Bool) {
        if known.askAll(session, isOn) { orders.append(.saveHolds(known.all)) }
    }

    /// Sends all added events together, once they are on disk.
    private mutating func flush() {
        guard link.isLive else { return }
        do throws(SpoolError) {
            // If a part cannot be read, sending starts again at the first event that is not acknowledged.
            if try !journal.send(over: &link, &orders, sealedBy: &consent) { drive(.sendAgain) }
            for (session, approval) in journal.takeUnsealable() {
                if let agent = agent(of: session.rawValue) { tell(agent, .notRecorded(approval)) }
            }
            if let agent = agents.indices.first { _ = remember([:], of: agent) }
        } catch {
            // Nothing is lost: the events are sent when the disk works again.
            orders.append(.log(.notSent(error)))
            arm(.disk, after: limits.diskRetryAfter)
        }
    }

    private mutating func retryDisk() {
        if known.retries() { orders.append(.saveHolds(known.all)) }
        do throws(SpoolError) {
            try journal.spool.retry { id in agents.contains { $0.isLive(id) } }
            try consent?.keepKeys()
        } catch {
            orders.append(.log(.diskFails(error)))
            return arm(.disk, after: limits.diskRetryAfter)
        }
        orders.append(.log(.diskIsBack))
        let lost = journal.takeGaps()
        for agent in agents.indices {
            let its = lost.filter { agents[agent].has($0) }
            if !its.isEmpty { tell(agent, .eventsLost(its)) }
        }
        // A session's offer may be among the lost events, and nothing else would repeat it.
        for session in lost.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let offer = offers[session], steering.isOpen || offer.hold != nil || consent?.isSealed == true else {
                continue
            }
            tellOffer(offer, of: session)
        }
        drive(.sendAgain)
    }

    // MARK: Waiting

    private mutating func arm(_ timer: HostTimer, after wait: Duration) {
        if let order = timers.arm(timer, after: wait) { orders.append(order) }
    }

    private mutating func armTimers() {
        // Armed also if the disk took the next write at once: the events that it did not take before are still to be reported.
        if journal.spool.isFailing || journal.hasGaps { arm(.disk, after: limits.diskRetryAfter) }
        if hasNews, link.isLive, !timers.isArmed(.flush) {
            hasNews = false
            arm(.flush, after: limits.flushAfter)
        }
        // A flush synchronizes too.
        if !timers.isArmed(.flush), let wait = journal.syncDue(limits) { arm(.sync, after: wait) }
        guard wereAgentsTold else { return }
        wereAgentsTold = false
        let due = (agents.map(\.nextDeadline) + [steering.nextDeadline, consent?.nextDeadline, typing.nextDeadline]).compactMap
        { $0 }.min()
        if let order = timers.armAgents(due: due, at: now) { orders.append(order) }
    }
}

package import RelayProtocol

/// Starts and resumes sessions for clients. To the relay it is an agent with one session, the host's own: its offer says what can
/// be started, and its events are the commands and their outcomes, so that a start is steering like any other. The host's rules are
/// in that offer too.
///
/// ```
/// steer ─▶ resolving ─▶ asked of the agent ─▶ begun ─▶ (its first prompt) ─▶ taken
///    └─────────┴──────────────┴─────────────────┴────────────┴─▶ refused | unknown
/// ```
///
/// It knows no agent: `read` brings those that can be started, and a launch is carried out by that agent's own adapter.
package struct LaunchAdapter: AgentAdapter {
    package static let name = "heliograph"
    package var name: String { Self.name }

    private let limits: LaunchLimits
    private let fresh: String
    /// The host's own session; nil as long as nothing was ever offered, there are no rules, and no signatures are required.
    private var session: SessionID?
    private var isBegun = false
    /// True for a signed host, which has a session even if nothing can be started.
    private var isSigned = false
    private var wasRead = false
    private var offer = SteeringOffer(projects: [])
    private var rules: RulesOffer?
    private var launches: [SteeringName: Pending] = [:]
    private var running: [SessionID: AgentProcess] = [:]
    private var checkedAt: Int64

    private var now: HostInstant
    private var effects: [AgentEffect<LaunchReading>] = []

    private struct Pending {
        let request: SteeringRequest
        let launch: Launch
        var phase = Phase.asked
        let until: Int64
    }

    private enum Phase: Equatable {
        /// The folder is being checked, or the agent has been asked.
        case asked
        case begun(SessionID)
        /// The session exists and is to take its first prompt.
        case prompting(SessionID)
    }

    /// `fresh`: a name for the host's session if it has none yet.
    package init(fresh: String, limits: LaunchLimits = LaunchLimits(), at now: HostInstant) {
        self.fresh = fresh
        self.limits = limits
        self.now = now
        checkedAt = now.monotonic
    }

    package mutating func handle(_ input: AgentInput<LaunchFact>, at now: HostInstant) -> [AgentEffect<LaunchReading>] {
        self.now = now
        effects = []
        switch input {
        case .daemonStarted(let notes): restore(notes)
        case .own(.read(let projects, let agents)): read(projects, agents)
        case .own(.resolved(let name, let folder, let reason)): resolved(name, folder, reason)
        case .own(.outcome(let name, let outcome)): self.outcome(name, outcome)
        case .own(.becameSigned): becameSigned()
        case .own(.rules(let rules)): ruled(rules)
        case .own(.prompted(let change)): prompted(change)
        case .agentGone(let process): processGone(process)
        case .steer(let request): steer(request)
        case .timerFired: timerFired()
        case .hookGone, .decided, .refused, .distrusted, .held, .linkChanged, .notRecorded, .nothingRecorded, .named,
            .eventsLost, .launch:
            break
        }
        return effects
    }

    package var nextDeadline: Int64? {
        (launches.values.map(\.until) + (running.isEmpty ? [] : [checkedAt + limits.checkEvery.milliseconds])).min()
    }

    package func isLive(_ session: SessionID) -> Bool { session == self.session }

    package var liveSessions: [AgentSession] {
        session.map { [AgentSession(id: $0, status: .idle, process: nil)] } ?? []
    }

    package var questions: [AgentQuestion] { [] }

    // MARK: Over a restart

    private static let deskNote = "\(name)-desk"
    private static let runNote = "\(name)-run."

    private mutating func restore(_ notes: [String: [UInt8]]) {
        for (key, note) in notes {
            let root = (try? JSONDocument(parsing: note))?.root
            if key == Self.deskNote {
                session = root?.text("session").flatMap { SessionID($0) }
            } else if key.hasPrefix(Self.runNote), let id = SessionID(String(key.dropFirst(Self.runNote.count))),
                let process = root.flatMap(Self.process)
            {
                running[id] = process
            }
        }
        if !running.isEmpty { check() }
        effects.append(.own(.readProjects))
    }

    private static func process(_ note: JSONValue) -> AgentProcess? {
        guard let id = note.whole("pid").flatMap({ Int32(exactly: $0) }),
            let ticks = note.text("startedAt").flatMap({ UInt64($0) })
        else { return nil }
        return AgentProcess(id: id, startedAt: ticks)
    }

    // MARK: What is offered

    private mutating func read(_ projects: [ProjectOffer], _ agents: [StartableAgent]) {
        wasRead = true
        offer = SteeringOffer(projects: Array(projects.prefix(WireLimits.projectsMax)))
        offer.agents = Array(agents.prefix(WireLimits.startableMax))
        if projects.isEmpty {
            offer.reason = "This host does not let clients start sessions: `heliograph host projects add DIR` there."
        } else if agents.isEmpty {
            offer.reason = "This host finds no agent that it could start on its PATH."
        } else {
            offer.actions = [.start, .resume, .past]
        }
        offerAll()
    }

    private mutating func ruled(_ rules: RulesOffer?) {
        self.rules = rules
        // Before the first reading no offer is made: the reading makes it.
        if wasRead { offerAll() }
    }

    private mutating func offerAll() {
        offer.rules = rules
        let canSwitchOff = rules?.hasRulesToSwitchOff == true
        offer.actions.subtract([.ruleOff, .ruleChange])
        if canSwitchOff { offer.actions.insert(.ruleOff) }
        // At an open host the relay could write the rule itself.
        if isSigned { offer.actions.insert(.ruleAdd) }
        if isSigned, canSwitchOff { offer.actions.insert(.ruleChange) }
        offer.actions.insert(.ruleTry)
        guard session != nil || isSigned || rules != nil || offer.projects?.isEmpty == false else { return }
        if !isBegun { begin() }
        guard let session else { return }
        effects.append(.offer(session, offer))
        effects.append(.stands(session, .idle))
    }

    private mutating func becameSigned() {
        isSigned = true
        // Before the first reading no other is ordered.
        if wasRead { effects.append(.own(.readProjects)) }
    }

    /// Begins the host's session, once in each life of the daemon: the relay may have lost it.
    private mutating func begin() {
        isBegun = true
        let id = session ?? SessionID("\(name)-\(fresh)") ?? unnamed()
        if session == nil {
            session = id
            effects.append(
                .remember(Self.deskNote, JSONWriter.object { $0.field("session", id) }))
        }
        var facts = SessionFacts(agentName: name)
        facts.title = "New sessions"
        emit(.sessionStarted(facts), in: id)
        emit(.statusChanged(.idle, reason: nil), in: id)
    }

    private func unnamed() -> SessionID { preconditionFailure("hexadecimal digits are an identifier") }

    private mutating func emit(_ head: EventHead, in session: SessionID) {
        effects.append(.emit(session, Event(head, at: now.wall).bytes, isKept: true))
    }

    // MARK: A command

    private mutating func steer(_ request: SteeringRequest) {
        guard case .launch(let launch) = request.action else {
            return effects.append(.notGiven(request, "only new sessions are asked of a host"))
        }
        if let why = offer.refusal(of: launch) { return effects.append(.notGiven(request, why)) }
        let room = self.room(for: launch)
        if let why = lack(of: room) { return effects.append(.notGiven(request, why)) }
        launches[request.name] = Pending(
            request: request, launch: launch, until: now.monotonic + limits.showWithin.milliseconds)
        effects.append(.own(.resolve(request.name, project: launch.project)))
    }

    private enum Room { case enough, tooManyUnderWay, tooManyRun, isUnderWay }

    private mutating func room(for launch: Launch) -> Room {
        guard launches.count < limits.pendingMax else { return .tooManyUnderWay }
        guard launch.purpose != .past else { return .enough }
        if launches.values.contains(where: { $0.launch.purpose == launch.purpose && launch.purpose != .start }) {
            return .isUnderWay
        }
        let starting = launches.values.count { $0.launch.purpose != .past && $0.phase == .asked }
        guard running.count + starting < limits.runningMax else {
            check()
            return .tooManyRun
        }
        return .enough
    }

    private func lack(of room: Room) -> String? {
        switch room {
        case .enough: nil
        case .tooManyUnderWay: "\(limits.pendingMax) others are being started there: try again in a moment"
        case .tooManyRun: "\(limits.runningMax) sessions that clients started run there already: end one first"
        case .isUnderWay: "it is being resumed already"
        }
    }

    private mutating func resolved(_ name: SteeringName, _ folder: String?, _ reason: String) {
        guard let pending = launches[name], pending.phase == .asked else { return }
        guard let folder else { return end(name, .refused, reason) }
        effects.append(.launch(LaunchOrder(name: name, launch: pending.launch, folder: folder)))
    }

    // MARK: What comes of it

    private mutating func outcome(_ name: SteeringName, _ outcome: LaunchOutcome) {
        switch outcome {
        case .refused(let reason): if launches[name] != nil { end(name, .refused, reason) }
        case .listed(let sessions):
            guard let pending = launches[name], pending.launch.purpose == .past else { return }
            var change = SteeringChange(name, .taken)
            change.past = Array(sessions.prefix(WireLimits.pastSessionsMax))
            end(change, pending)
        case .began(let id, let process):
            if let process { keep(process, of: id) }
            guard launches[name] != nil else { return }
            launches[name]?.phase = .begun(id)
        case .arrived: if case .begun(let id)? = launches[name]?.phase { arrived(name, id) }
        case .ended(let id, let words):
            forget(id)
            // A session that existed ends as sessions do; this one never existed.
            if launches[name]?.phase == .begun(id) { end(name, .refused, words ?? "the agent ended at once") }
        }
    }

    private mutating func arrived(_ name: SteeringName, _ id: SessionID) {
        guard let pending = launches[name] else { return }
        guard let text = pending.launch.text, !text.isEmpty else { return end(name, .taken, started: id) }
        launches[name]?.phase = .prompting(id)
        let prompt = SteeringAction.Prompt(text: text, pictures: pending.launch.pictures)
        effects.append(
            .begin(
                SteeringRequest(
                    command: name.command, session: id, by: pending.request.by, action: .prompt(prompt),
                    signature: pending.request.signature)))
    }

    private mutating func prompted(_ change: SteeringChange) {
        guard change.stage.isFinal, case .prompting(let id)? = launches[change.name]?.phase else { return }
        guard change.stage != .taken else { return end(change.name, .taken, change.reason, started: id) }
        let why = change.reason.map { ": \($0)" } ?? ""
        end(change.name, change.stage, "the session has begun, its first prompt is another matter\(why)", started: id)
    }

    private mutating func end(_ name: SteeringName, _ stage: SteeringStage, _ reason: String? = nil, started: SessionID? = nil)
    {
        guard let pending = launches[name] else { return }
        let line = reason.map { TextCut.line($0, bytesMax: WireLimits.lineBytesMax) }
        end(SteeringChange(name, stage, reason: line, started: started), pending)
    }

    private mutating func end(_ change: SteeringChange, _ pending: Pending) {
        launches[change.name] = nil
        effects.append(.steered(pending.request.session, change))
    }

    // MARK: What runs

    private mutating func keep(_ process: AgentProcess, of id: SessionID) {
        running[id] = process
        let note = JSONWriter.object {
            $0.field("pid", Int64(process.id))
            $0.field("startedAt", "\(process.startedAt)")
        }
        effects.append(.remember(Self.runNote + id.rawValue, note))
    }

    private mutating func forget(_ id: SessionID) {
        guard running.removeValue(forKey: id) != nil else { return }
        effects.append(.remember(Self.runNote + id.rawValue, nil))
    }

    private mutating func processGone(_ process: AgentProcess) {
        for (id, its) in running where its == process { forget(id) }
    }

    private mutating func check() {
        checkedAt = now.monotonic
        effects.append(.checkAgents(running.values.sorted { ($0.id, $0.startedAt) < ($1.id, $1.startedAt) }))
    }

    private mutating func timerFired() {
        let due = launches.filter { $0.value.until <= now.monotonic }
        for name in due.keys.sorted(by: {
            ($0.client.rawValue, $0.command.rawValue) < ($1.client.rawValue, $1.command.rawValue)
        }) {
            switch launches[name]?.phase {
            case .prompting(let id):
                end(name, .unknown, "the session has begun, and has not shown that it took its prompt", started: id)
            case .begun(let id): end(name, .unknown, "it was started, and has not shown that it is there", started: id)
            case .asked: end(name, .unknown, "the agent has not said what came of it")
            case nil: break
            }
        }
        if !running.isEmpty, now.monotonic - checkedAt >= limits.checkEvery.milliseconds { check() }
    }
}

internal import RelayProtocol

/// Steering commands for the sessions of this host. Each takes effect at most once, at a moment when it cannot be mistaken for
/// something else, and gets an outcome in the end. It knows no agent.
///
/// ```
/// asked ─▶ refused
///      ├─▶ queued ─▶ withdrawn | refused
///      └─────┴─▶ given ─▶ taken | refused | unknown
/// ```
struct SteeringDesk {
    private let rights: SteeringRights
    private let limits: SteeringLimits
    private var sessions: [SessionID: SteeredSession] = [:]
    /// Recent commands, also those that have their outcome, oldest first.
    private var known: [(name: SteeringName, until: Int64)] = []
    private var knownSet: Set<SteeringName> = []
    /// Outcomes of commands: a relay that was restarted does not know that it has sent a command and received its outcome already.
    private var ends: [SteeringName: SteeringChange] = [:]
    /// Commands that an earlier life of this daemon may have given to their agents.
    private var mayHaveBeenGiven: Set<SteeringName> = []
    /// Commands whose outcomes the relay may not have received. It waits for at most `WireLimits.steeringOpenMax` in a session.
    private var told: [SessionID: [SteeringName]] = [:]

    init(_ rights: SteeringRights, _ limits: SteeringLimits = SteeringLimits()) {
        self.rights = rights
        self.limits = limits
    }

    /// The owner's reason why this client's keys are not typed; nil if they are.
    func refusal(of client: Named<ClientTag>) -> String? { rights.refusal(of: client) }

    /// True if any client may steer.
    var isOpen: Bool { rights != .nobody }

    /// Restores the notes of earlier lives.
    mutating func restore(_ notes: [SteeringName: SteeringNote]) {
        for (name, note) in notes {
            switch note {
            case .given: mayHaveBeenGiven.insert(name)
            case .told(let session): told[session, default: []].append(name)
            }
        }
    }

    /// Restores the steering notes among all notes of earlier lives. Returns the commands whose notes are no longer needed.
    /// `isWaiting`: the relay may lack events of that session.
    mutating func restore(from notes: [String: [UInt8]], isWaiting: (SessionID) -> Bool) -> [SteeringName] {
        var own: [SteeringName: SteeringNote] = [:]
        var acknowledged: [SteeringName] = []
        for (key, bytes) in notes {
            guard let name = SteeringName(note: key) else { continue }
            own[name] = SteeringNote(bytes)
            // Either the relay has received the outcome, or the disk has lost it; then it is only known that the command may have
            // been given.
            if case .told(let session)? = own[name], !isWaiting(session) {
                own[name] = .given
                acknowledged.append(name)
            }
        }
        restore(own)
        return acknowledged
    }

    /// Records that the command's outcome is on disk, or waits for the disk.
    mutating func noted(_ name: SteeringName, of session: SessionID) { told[session, default: []].append(name) }

    /// Handles a session whose events the relay has all received. Returns the commands whose notes are no longer needed.
    mutating func acknowledged(_ session: SessionID) -> [SteeringName] { told.removeValue(forKey: session) ?? [] }

    // MARK: What the relay says

    /// The decision whether a command is admitted at all.
    enum Admission: Equatable {
        /// Take the command, as it was signed.
        case take(SteeringRequest)
        case refuse(String)
    }

    /// Handles a command. `admit` is called once for each, before it is compared with the offer, because its names are sealed until
    /// then.
    mutating func asked(
        _ request: SteeringRequest, at now: HostInstant, admit: (SteeringRequest) -> Admission = { .take($0) }
    ) -> [SteeringOrder] {
        // The command may be forgotten among the known ones by now, while its session still holds it.
        guard sessions[request.session]?.holds(request.name) != true else { return [] }
        guard meet(request.name, at: now) else { return endAgain(of: request.name, in: request.session) }
        if let refusal = rights.refusal(of: request.by) { return ending([.refuse(request, refusal)]) }
        switch admit(request) {
        case .take(let request): return begins(request, at: now)
        case .refuse(let reason): return ending([.refuse(request, reason)])
        }
    }

    /// Handles a command that may be given; also the first prompt of a session that a client started, because a client that may
    /// start it may give it a task.
    mutating func begins(_ request: SteeringRequest, at now: HostInstant) -> [SteeringOrder] {
        if let refusal = refusal(of: request) { return ending([.refuse(request, refusal)]) }
        return place(request, at: now)
    }

    private mutating func place(_ request: SteeringRequest, at now: HostInstant) -> [SteeringOrder] {
        let wait = request.action.kind.isLaunch ? limits.launchedWithin : limits.evidenceWithin
        let until = deadline(after: wait, now)
        guard case .prompt(let prompt) = request.action else {
            sessions[request.session]?.give(request, until: until)
            return [.give(request)]
        }
        guard let session = sessions[request.session] else { preconditionFailure("what is not refused has a session") }
        if session.takesPromptNow || (prompt.whenBusy == .steer && session.isSteeredNow) {
            sessions[request.session]?.give(request, until: until)
            return [.give(request)]
        }
        guard prompt.whenBusy != .refuse else { return ending([.refuse(request, "the agent is working")]) }
        guard session.queue.count < limits.queuedMax else {
            return ending([.refuse(request, "too many prompts wait already")])
        }
        let end = deadline(after: limits.queuedFor, now)
        sessions[request.session]?.queue.append((request, end))
        return [.tell(request.session, SteeringChange(request.name, .queued))]
    }

    /// Withdraws the command if it still waits. Otherwise its outcome is reported anyway.
    mutating func withdrawn(_ name: SteeringName, of session: SessionID) -> [SteeringOrder] {
        guard let place = sessions[session]?.queue.firstIndex(where: { $0.request.name == name }) else { return [] }
        sessions[session]?.queue.remove(at: place)
        return ending([.tell(session, SteeringChange(name, .withdrawn))])
    }

    /// Refuses the queued commands for which there is a `refusal` by now.
    mutating func recheck(_ refusal: (SteeringRequest) -> String?) -> [SteeringOrder] {
        var orders: [SteeringOrder] = []
        for id in sessions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            for (request, _) in sessions[id]?.queue ?? [] {
                guard let reason = refusal(request) else { continue }
                sessions[id]?.queue.removeAll { $0.request.name == request.name }
                orders.append(.refuse(request, reason))
            }
        }
        return ending(orders)
    }

    /// Handles commands of which the relay knows no outcome. Those that are unknown here were sent to an earlier life of this
    /// daemon.
    mutating func outstanding(_ names: [SteeringName], of session: SessionID, at now: HostInstant) -> [SteeringOrder] {
        names.flatMap { name -> [SteeringOrder] in
            guard !isToldAnyway(name, in: session) else { return [] }
            guard meet(name, at: now) else { return endAgain(of: name, in: session) }
            let change =
                mayHaveBeenGiven.contains(name)
                ? SteeringChange(name, .unknown, reason: "its host was restarted while the agent was being given it")
                : SteeringChange(name, .refused, reason: "its host was restarted before the agent was given it")
            return ending([.tell(session, change)])
        }
    }

    /// True if the command's outcome is still to come, however many commands came since, or is on its way.
    private func isToldAnyway(_ name: SteeringName, in session: SessionID) -> Bool {
        sessions[session]?.holds(name) == true || told[session]?.contains(name) == true
    }

    /// Reports an outcome again: the relay was restarted, and a client sent the command again.
    private func endAgain(of name: SteeringName, in session: SessionID) -> [SteeringOrder] {
        guard !isToldAnyway(name, in: session), let end = ends[name] else { return [] }
        return [.tell(session, end)]
    }

    /// Keeps the outcomes in these orders for as long as their commands are known.
    private mutating func ending(_ orders: [SteeringOrder]) -> [SteeringOrder] {
        for case .tell(_, let change) in orders where change.stage.isFinal && knownSet.contains(change.name) {
            ends[change.name] = change
        }
        return orders
    }

    /// True if the command was given to its agent, or is about to be, and has no outcome.
    func isGiven(_ name: SteeringName, in session: SessionID) -> Bool { sessions[session]?.isGiven(name) == true }

    // MARK: What the agents say

    /// Takes over a session's offer; nil if clients can do nothing to it for now.
    mutating func offered(_ offer: SteeringOffer?, by session: SessionID) {
        guard offer != nil || sessions[session] != nil else { return }
        sessions[session, default: SteeredSession()].offer = offer
    }

    mutating func stands(_ standing: SteeringStanding, _ session: SessionID, at now: HostInstant) -> [SteeringOrder] {
        sessions[session, default: SteeredSession()].stands(standing)
        return giveNext(in: session, at: now)
    }

    mutating func changed(_ change: SteeringChange, of session: SessionID, at now: HostInstant) -> [SteeringOrder] {
        // The first outcome of a command counts, even if evidence comes after its time-out.
        guard sessions[session]?.isGiven(change.name) == true else { return [] }
        guard change.stage.isFinal else { return [.tell(session, change)] }
        sessions[session]?.settled(change.name, wasTaken: change.stage == .taken)
        return ending([.tell(session, change)]) + giveNext(in: session, at: now)
    }

    mutating func ended(_ session: SessionID) -> [SteeringOrder] {
        guard let ended = sessions.removeValue(forKey: session) else { return [] }
        return ending(
            ended.given.map { request, _ in
                // A stop has worked when the session has ended.
                request.action == .stop
                    ? .tell(session, SteeringChange(request.name, .taken, reason: "the session has ended"))
                    : .tell(session, SteeringChange(request.name, .unknown, reason: "the session has ended"))
            } + ended.queue.map { request, _ in .refuse(request, "the session has ended") })
    }

    /// Handles a command whose note could not be written, so that it was not given.
    mutating func notGiven(_ request: SteeringRequest) -> [SteeringOrder] {
        sessions[request.session]?.settled(request.name, wasTaken: false)
        return ending([.refuse(request, "the disk of its host does not take anything")])
    }

    // MARK: Waiting

    var nextDeadline: Int64? {
        sessions.values.compactMap { session in (session.given.map(\.until) + session.queue.map(\.until)).min() }.min()
    }

    mutating func timerFired(at now: HostInstant) -> [SteeringOrder] {
        var orders: [SteeringOrder] = []
        for id in sessions.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            for (request, until) in sessions[id]?.given ?? [] where until <= now.monotonic {
                sessions[id]?.settled(request.name, wasTaken: true)
                let reason = "the agent has not shown that it took it"
                orders.append(.tell(id, SteeringChange(request.name, .unknown, reason: reason)))
            }
            for (request, until) in sessions[id]?.queue ?? [] where until <= now.monotonic {
                sessions[id]?.queue.removeAll { $0.request.name == request.name }
                orders.append(.refuse(request, "it waited too long"))
            }
            orders += giveNext(in: id, at: now)
        }
        return ending(orders)
    }

    // MARK: Inside

    /// Remembers a command.
    ///
    /// - Returns: false if the command came before.
    private mutating func meet(_ name: SteeringName, at now: HostInstant) -> Bool {
        while let oldest = known.first, oldest.until <= now.monotonic || known.count > limits.knownMax {
            let name = known.removeFirst().name
            knownSet.remove(name)
            ends[name] = nil
        }
        guard knownSet.insert(name).inserted else { return false }
        known.append((name, deadline(after: limits.knownFor, now)))
        return true
    }

    /// The reason to refuse the command now; nil if it may be given.
    private func refusal(of request: SteeringRequest) -> String? {
        guard let session = sessions[request.session], let offer = session.offer else {
            return "clients can do nothing to this session"
        }
        guard offer.actions.contains(request.action.kind) else {
            return offer.reason ?? "this session does not take \(request.action.kind.rawValue)"
        }
        return switch request.action {
        case .prompt(let prompt) where prompt.isCommand && !offer.commands.contains(prompt.command):
            "the agent offers no such command"
        case .prompt(let prompt) where offer.refusal(ofPicturesOf: prompt) != nil: offer.refusal(ofPicturesOf: prompt)
        case .mode(let mode) where !offer.modes.contains(mode): "that mode is not offered"
        case .model(let model) where !offer.models.isEmpty && !offer.models.contains(model): "that model is not offered"
        case .launch(let launch): offer.refusal(of: launch)
        case .interrupt where session.standing == .idle: "nothing runs that could be interrupted"
        default: nil
        }
    }

    private mutating func giveNext(in session: SessionID, at now: HostInstant) -> [SteeringOrder] {
        let until = deadline(after: limits.evidenceWithin, now)
        guard let next = sessions[session]?.takeNext(until: until) else { return [] }
        return [.give(next)]
    }

    private func deadline(after wait: Duration, _ now: HostInstant) -> Int64 { now.monotonic + wait.milliseconds }
}

private struct SteeredSession {
    var offer: SteeringOffer?
    var queue: [(request: SteeringRequest, until: Int64)] = []
    private(set) var given: [(request: SteeringRequest, until: Int64)] = []
    /// The agent's readiness; nil until it has reported it.
    private(set) var standing: SteeringStanding?
    /// True if the agent has reported its state since something was last given.
    private var isStandingFresh = false

    /// True if a prompt may be given now. Only one at a time: the next may depend on its outcome.
    var takesPromptNow: Bool { standing == .idle && !isPromptGiven && queue.isEmpty && canTakePrompts }
    /// True if the agent can be steered in its turn. While it asks something, a text might be lost when that is answered.
    var isSteeredNow: Bool { standing == .busy && offer?.steersWhileBusy == true && canTakePrompts }

    private var canTakePrompts: Bool { offer?.actions.contains(.prompt) == true }
    private var isPromptGiven: Bool { given.contains { $0.request.action.kind == .prompt } }

    func isGiven(_ name: SteeringName) -> Bool { given.contains { $0.request.name == name } }
    func holds(_ name: SteeringName) -> Bool { isGiven(name) || queue.contains { $0.request.name == name } }

    mutating func stands(_ standing: SteeringStanding) {
        self.standing = standing
        isStandingFresh = true
    }

    mutating func give(_ request: SteeringRequest, until: Int64) {
        given.append((request, until))
        if request.action.kind == .prompt { isStandingFresh = false }
    }

    mutating func settled(_ name: SteeringName, wasTaken: Bool) {
        guard let place = given.firstIndex(where: { $0.request.name == name }) else { return }
        let request = given.remove(at: place).request
        // A readiness reported before the prompt does not hold after it.
        if wasTaken, request.action.kind == .prompt, !isStandingFresh { standing = .busy }
    }

    mutating func takeNext(until: Int64) -> SteeringRequest? {
        guard standing == .idle, !isPromptGiven, canTakePrompts, !queue.isEmpty else { return nil }
        let next = queue.removeFirst().request
        give(next, until: until)
        return next
    }
}

extension SteeringOrder {
    fileprivate static func refuse(_ request: SteeringRequest, _ reason: String) -> SteeringOrder {
        .tell(request.session, SteeringChange(request.name, .refused, reason: reason))
    }
}

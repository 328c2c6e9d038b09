internal import HostCore
internal import RelayProtocol

/// Clients' actions on sessions: prompts, interrupts, the model and the mode.
///
/// | action | call | evidence that it was taken |
/// |---|---|---|
/// | a prompt, the thread is idle | `turn/start` | the person's message, under our name for it |
/// | a prompt for the turn that runs | `turn/steer` of that turn | the same, when the model reads it |
/// | interrupt | `turn/interrupt` | the turn ends as `interrupted` |
/// | stop | `thread/archive`, and then `thread/unarchive` | the thread is not loaded any more |
/// | model, mode | `thread/settings/update` | `thread/settings/updated`, or that it was set already |
///
/// Codex's response that it has accepted a call is not evidence: accepted input can be lost when the turn is interrupted.
extension CodexAdapter {
    static let noServer =
        "Codex's server is not connected or has not opened this thread: `codex resume` on that machine does both"

    mutating func steer(_ request: SteeringRequest) {
        guard let session = sessions[request.session], !session.isEnded, let thread = threads[session.thread] else {
            return order(.notGiven(request, Self.noServer))
        }
        if thread.isWatched { return give(request, in: session) }
        guard thread.isLetGo else { return order(.notGiven(request, Self.notWatched)) }
        steering.park(request, of: session.thread, until: now.monotonic + limits.wakeWithin.milliseconds)
        resume(session.thread)
    }

    private mutating func give(_ request: SteeringRequest, in session: CodexSession) {
        switch request.action {
        case .prompt(let prompt): give(prompt, request, in: session)
        case .interrupt:
            guard let turn = session.activeTurn else {
                let isActive = session.isActive
                return order(
                    .notGiven(
                        request, isActive ? "Codex has not said which turn runs" : "no turn runs that could be interrupted"))
            }
            send(.interrupt(thread: session.thread, turn: turn, request.name), .interruption(turn: turn), request)
        case .model(let model): set(.model(model), request, in: session)
        case .mode(let mode):
            guard session.settings.modes.contains(mode) else { return order(.notGiven(request, "that mode is not offered")) }
            if let refusal = choseMode(mode, in: session.id) { return order(.notGiven(request, refusal)) }
            set(.policy(mode), request, in: session)
        case .stop:
            shelve(session.thread)
            send(.archive(thread: session.thread, request.name), .end, request)
        case .askAll: order(.notGiven(request, "Codex has a mode for that: `untrusted` asks most"))
        case .launch, .ruleOff, .ruleAdd, .ruleChange, .ruleTry: order(.notGiven(request, "that is for a host"))
        }
    }

    private mutating func give(_ prompt: SteeringAction.Prompt, _ request: SteeringRequest, in session: CodexSession) {
        switch (standing(of: session), session.activeTurn) {
        case (.idle, _):
            // The standing must be sent again from here on, even if it is the same.
            sessions[session.id]?.standing = nil
            send(.startTurn(thread: session.thread, prompt, request.name), .opening(turn: nil), request)
        case (.busy, let turn?) where prompt.whenBusy == .steer:
            send(
                .steerTurn(thread: session.thread, turn: turn, prompt, request.name), .addition(turn: turn), request)
        // `turn/start` would go to the running turn, and input to a turn that asks something can be lost.
        case (.busy, _), (nil, _): order(.notGiven(request, "Codex had begun to work when it was its turn"))
        case (.waiting, _): order(.notGiven(request, "Codex had begun to ask something when it was its turn"))
        }
    }

    private mutating func set(_ setting: CodexSetting, _ request: SteeringRequest, in session: CodexSession) {
        // Codex reports no change of a setting that stays the same. An earlier request that is not reported yet may change it first.
        guard !session.settings.has(setting) || steering.isSetting(session.id, since: settingsSince) else {
            return order(.steered(session.id, SteeringChange(request.name, .taken, reason: "it was so already")))
        }
        send(.set(thread: session.thread, setting, request.name), .setting(setting), request)
    }

    private mutating func send(_ call: CodexCalls.Call, _ evidence: CodexSteering.Evidence, _ request: SteeringRequest) {
        steering.give(request.name, in: request.session, evidence, at: now.monotonic)
        self.call(call)
    }

    // MARK: The end of a thread

    /// Notes the archived thread until it is out of the archive again, also over a restart of the daemon.
    private mutating func shelve(_ thread: String) {
        shelving.insert(thread)
        mustComeBack(thread)
    }

    private mutating func mustComeBack(_ thread: String) {
        shelved.insert(thread)
        if let note = Self.shelfNote(thread) { order(.remember(note, Array("{}".utf8))) }
    }

    /// Handles a thread that Codex archived: one that we end, one of its helper threads, or somebody else's.
    mutating func archived(_ thread: String) {
        guard !shelving.contains(thread) else { return }
        if shelved.contains(thread) { return call(.unarchive(thread: thread)) }
        guard !shelving.isEmpty, shelved.count < limits.threadsMax else { return }
        mustComeBack(thread)
        call(.unarchive(thread: thread))
    }

    /// Handles a failure to unarchive. The thread is still in the archive, unless Codex says that it is not there. The failure may
    /// be temporary, so the next connection retries.
    mutating func notUnarchived(_ thread: String, _ reason: String) {
        shelving.remove(thread)
        if reason.contains("no archived rollout") { unshelved(thread) } else { stirred.insert(sessionID(thread)) }
    }

    /// Handles a thread that is in the lists again, or was not archived.
    mutating func unshelved(_ thread: String) {
        shelving.remove(thread)
        stirred.insert(sessionID(thread))
        guard shelved.remove(thread) != nil, let note = Self.shelfNote(thread) else { return }
        order(.remember(note, nil))
    }

    mutating func unshelve() {
        for thread in shelved.sorted() { call(.unarchive(thread: thread)) }
    }

    /// Prefix of the keys of notes about threads that clients ended. No session's name has a dot, so no session has such a key.
    static let shelfNotes = "\(name)-ended."

    private static func shelfNote(_ thread: String) -> String? {
        thread.utf8.count <= WireLimits.nameBytesMax ? shelfNotes + thread : nil
    }

    /// Refuses requests to a thread that Codex does not open in time: they must not reach it after their senders have learned of
    /// the refusal.
    mutating func refuseOverdue() {
        for request in steering.takeOverdue(at: now.monotonic) {
            order(.notGiven(request, "Codex did not open this thread again in time"))
        }
    }

    mutating func refuseParked(_ thread: String, _ reason: String) {
        for request in steering.takeParked(thread) { order(.notGiven(request, reason)) }
    }

    // MARK: What comes of it

    mutating func accepted(_ name: SteeringName, _ result: JSONValue) {
        if let turn = result.optional("turn")?.text("id") { steering.placed(name, turn: turn) }
        if let given = steering[name] { tell(given, .given) }
    }

    mutating func refused(_ name: SteeringName, _ reason: String) {
        guard let given = steering.end(name) else { return }
        tell(given, .refused, reason.isEmpty ? "Codex refused it" : "Codex refused it: \(reason)")
    }

    mutating func taken(message: String, in session: SessionID) {
        if let given = steering.shown(message: message, in: session) { tell(given, .taken) }
    }

    mutating func settle(turn: String, isInterrupted: Bool, in session: SessionID) {
        for given in steering.ended(turn: turn, in: session) {
            switch given.evidence {
            case .interruption where isInterrupted: tell(given, .taken)
            case .interruption: tell(given, .refused, "the turn had come to its end")
            // Codex drops input that was sent during a turn and was unread when the turn was interrupted.
            case .addition where isInterrupted: tell(given, .refused, "the turn was interrupted before Codex had read it")
            case .opening, .addition, .setting, .end:
                tell(given, .unknown, "the turn has ended, and Codex has not shown that it read it")
            }
        }
    }

    mutating func isSet(to value: JSONValue, in id: SessionID) {
        guard var settings = sessions[id]?.settings else { return }
        settings.take(value) { isOurHold($0, in: id) || steering.isAsked($0, in: id, since: settingsSince) }
        if holds.contains(shown(id)), sessions[id]?.settings.policy == CodexThreadSettings.askingMost,
            let policy = settings.policy, policy != CodexThreadSettings.askingMost
        {
            sessions[id]?.freed = (policy, now.monotonic)
        }
        sessions[id]?.settings = settings
        holdOrRelease(id)
        if let model = settings.model.map({ line($0, bytesMax: WireLimits.nameBytesMax) }) { sessions[id]?.model = model }
        for given in steering.isSet(to: settings, in: id) { tell(given, .taken) }
    }

    private var settingsSince: Int64 { now.monotonic - limits.settingWithin.milliseconds }

    mutating func listed(_ result: JSONValue) {
        models = result.list("data").filter { !$0.isTrue("hidden") }.compactMap { $0.text("model") }
            .filter { !$0.isEmpty && $0.utf8.count <= WireLimits.nameBytesMax }
        stirred.formUnion(sessions.keys)
    }

    /// Called when all that this connection has of the thread was reported. Outcomes that an earlier connection left in doubt stay
    /// unknown.
    mutating func isWatchedAgain(_ thread: String) {
        let id = sessionID(thread)
        stirred.insert(id)
        if !areModelsAsked {
            areModelsAsked = true
            call(.listModels)
        }
        for given in steering.takeInDoubt(in: id) {
            tell(given, .unknown, "the connection to Codex broke before it showed that it took it")
        }
        for request in steering.takeParked(thread) { if let session = sessions[id] { give(request, in: session) } }
    }

    private mutating func tell(_ given: CodexSteering.Given, _ stage: SteeringStage, _ reason: String? = nil) {
        order(.steered(given.session, SteeringChange(given.name, stage, reason: reason.map { line($0) })))
    }

    // MARK: Offers and standing

    /// Sends the offer first: a waiting prompt is sent as soon as its session is idle.
    mutating func tellStirred() {
        guard !stirred.isEmpty else { return }
        for id in stirred.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let session = sessions[id], !session.isEnded, session.delegation == nil else { continue }
            let offer = offer(of: session)
            if offer != session.offer {
                sessions[id]?.offer = offer
                sessions[id]?.standing = nil
                order(.offer(id, offer))
                if offer.actions.contains(.prompt) { tellArrived(id) }
            }
            guard let standing = standing(of: session), standing != sessions[id]?.standing else { continue }
            sessions[id]?.standing = standing
            order(.stands(id, standing))
        }
        stirred = []
    }

    private func offer(of session: CodexSession) -> SteeringOffer {
        guard let thread = threads[session.thread] else { return SteeringOffer(reason: Self.noServer, hold: .unchanged) }
        guard thread.isWatched || thread.isLetGo else { return SteeringOffer(reason: Self.notWatched, hold: .unchanged) }
        var offer = SteeringOffer(actions: [.prompt, .interrupt, .stop, .model], steersWhileBusy: true, takesPictures: true)
        offer.mode = session.settings.policy
        offer.modes = session.settings.modes
        offer.models = session.settings.models(listed: models)
        if offer.modes.count > 1 { offer.actions.insert(.mode) }
        offer.hold = reach(of: session)
        return offer
    }

    /// The thread's readiness; nil if we do not watch it, so that it is unchanged.
    private func standing(of session: CodexSession) -> SteeringStanding? {
        guard threads[session.thread]?.isWatched == true else { return nil }
        // An ending thread is idle for a moment after its last turn: waiting prompts must not be sent then.
        guard !shelved.contains(session.thread) else { return .busy }
        switch session.status {
        case .waitingApproval, .waitingAnswer: return .waiting
        case _ where session.isAsking || session.dialogSince != nil || hasOpenCard(session.id): return .waiting
        // Codex reports the status before the end of the turn.
        case _ where session.isActive || session.activeTurn != nil: return .busy
        case .idle: return .idle
        default: return .busy
        }
    }

    private static let notWatched = "Codex has not let the host in to this thread yet"
}

internal import HostCore
internal import RelayProtocol

/// Commands of clients. They are given to the agent when neither the editor nor another client has the turn; their outcome is read
/// from the agent's messages. Holds are handled here too, because they affect prompts and modes.
extension ACPProxyMachine {
    // MARK: From clients

    mutating func steered(_ session: SessionID, _ request: SteeringRequest, _ now: HostInstant) {
        guard steering.meet(request.name) else { return }
        guard !steering.isClosing, let name = sessions.name(of: session), let turns = steering[name], turns.isOpen else {
            return refuse(request, in: session, "this session is not open any more")
        }
        guard stops.isEmpty else { return refuse(request, in: session, Self.ending) }
        switch request.action {
        case .prompt(let prompt): give(prompt, request, name, session, turns, now)
        case .interrupt: interrupt(request, name, session, turns, now)
        case .mode(let mode): set(mode, isModel: false, request, name, session, turns)
        case .model(let model): set(model, isModel: true, request, name, session, turns)
        case .stop where isAlone: stop(request, session)
        case .stop, .askAll, .launch, .ruleOff, .ruleAdd, .ruleChange, .ruleTry:
            refuse(request, in: session, "this session does not take \(request.action.kind.rawValue)")
        }
    }

    private mutating func give(
        _ prompt: SteeringAction.Prompt, _ request: SteeringRequest, _ name: String, _ session: SessionID,
        _ turns: SessionTurns, _ now: HostInstant
    ) {
        guard takesPrompts else { return refuse(request, in: session, Self.onePrompt) }
        guard !prompt.isCommand else { return refuse(request, in: session, "the agent's commands are not taken from clients") }
        guard prompt.pictures.isEmpty || (takesPictures && prompt.pictures.allSatisfy { $0.content != nil }) else {
            return refuse(request, in: session, "the agent takes no pictures")
        }
        // The session was idle when the prompt was sent; a turn may have begun since.
        switch turns.standing {
        case .idle: break
        case .busy: return refuse(request, in: session, "a turn had begun; it was not given to the agent")
        case .waiting: return refuse(request, in: session, "the agent waits for an answer; it was not given to it")
        }
        let own = SessionTurns.Own(
            id: steering.nextID(), name: request.name, text: prompt.text, sent: LiteralPrompt.text(prompt.text),
            givenAt: now.monotonic)
        steering.change(name) { $0.begin(own) }
        fromEditor.insert(SteeringLine.prompt(own.id, session: name, text: own.sent, prompt.pictures))
        change(request.name, .given, in: session)
        orders.append(.turnFromAfarBegan(text: prompt.text))
    }

    /// Interrupts the turn. An agent may still wait for answers to its questions, so these are answered with no.
    private mutating func interrupt(
        _ request: SteeringRequest, _ name: String, _ session: SessionID, _ turns: SessionTurns, _ now: HostInstant
    ) {
        guard turns.hasTurn else { return refuse(request, in: session, "nothing runs that could be interrupted") }
        guard turns.interrupts.count < limits.openCommandsMax else {
            return refuse(request, in: session, "so many interrupts wait for the agent already")
        }
        let closesQuestion = turns.questions.contains { $0.dismissal != nil }
        steering.change(name) { $0.interrupting(.init(name: request.name, closedQuestion: closesQuestion)) }
        steering.change(name) { $0.cancelling(at: now) }
        fromEditor.insert(SteeringLine.cancel(session: name))
        let ended = permissions.end(of: session, isAnswered: true)
        let asked = Set(ended.map(\.id))
        for question in turns.questions {
            guard let answer = question.dismissal?.answer(to: question.id) else { continue }
            if !asked.contains(question.id) { permissions.owe(question.id) }
            fromEditor.insert(answer)
            fromAgent.insert(SteeringLine.cancelRequest(question.id))
            steering.closed(question: question.id)
        }
        close(ended, .cancelled)
        change(request.name, .given, in: session)
    }

    /// Stops the session, which is the agent's process: its end answers the open questions, and it gets nothing more.
    private mutating func stop(_ request: SteeringRequest, _ session: SessionID) {
        stops.append((session, request.name))
        for name in steering.names { steering.change(name) { _ in } }
        close(permissions.end(of: nil, isAnswered: false), .cancelled)
        change(request.name, .given, in: session)
        orders.append(.leave)
    }

    private mutating func set(
        _ value: String, isModel: Bool, _ request: SteeringRequest, _ name: String, _ session: SessionID, _ turns: SessionTurns
    ) {
        let what = isModel ? "model" : "mode"
        // Only names that the agent lists are accepted, because some agents answer as if they had accepted any name.
        guard (isModel ? turns.modes.models : turns.modes.names).contains(value) else {
            return refuse(request, in: session, "that \(what) is not offered")
        }
        guard isModel || !turns.isHeld || holdReach(of: turns) == .unchanged || value == turns.modes.current else {
            return refuse(request, in: session, "a budget is spent: until it is raised the mode stays as it is")
        }
        guard turns.settings.count < limits.openCommandsMax else {
            return refuse(request, in: session, "so many changes of \(what) wait for the agent already")
        }
        let option = isModel ? turns.modes.modelOption : turns.modes.option
        let setting = SessionTurns.Setting(
            id: steering.nextID(), name: request.name, value: value, isModel: isModel, isByOption: option != nil)
        steering.change(name) { $0.setting(setting) }
        fromEditor.insert(SteeringLine.setMode(setting.id, session: name, value, option: option))
        change(request.name, .given, in: session)
    }

    // MARK: From the editor

    /// Queues the editor's prompt until our turn ends, if there is room: the agent takes one prompt at a time.
    mutating func isQueued(_ id: [UInt8], _ params: JSONValue?, _ line: [UInt8], _ now: HostInstant) -> Bool {
        guard let name = params?.text("sessionId"), let turns = steering[name], turns.own != nil, steering.hasRoomToQueue(line),
            !turns.isOwnLost(at: now, after: limits.ownAnswerWithin)
        else { return false }
        steering.change(name) { $0.queue(id, line) }
        return true
    }

    /// Answers the editor's queued prompts as cancelled. The agent has never received them, so it cannot.
    mutating func takeBack(_ queued: [SessionTurns.Queued]) {
        for prompt in queued { fromAgent.insert(SteeringLine.promptCancelled(prompt.id)) }
    }

    /// Handles `$/cancel_request` of a queued prompt.
    mutating func isTakenBack(_ params: JSONValue?) -> Bool {
        guard let id = params?.optional("requestId").map({ Array($0.bytes) }), let name = steering.session(queueing: id) else {
            return false
        }
        takeBack(steering.change(name) { $0.takeQueued(id) } ?? [])
        return true
    }

    private mutating func release(_ name: String, _ now: HostInstant) {
        for queued in steering.change(name, { $0.takeQueued() }) ?? [] {
            fromEditor.insert(queued.line)
            guard case .request(let id, let method, let params) = RPCMessage(queued.line) else { continue }
            requested(id, method, params, now)
        }
    }

    /// Releases the editor's prompts if ours is lost. Whether the agent has ours is shown by its answer to the editor's next one.
    mutating func releaseFromLost(_ now: HostInstant) {
        for name in steering.withQueue where steering[name]?.isOwnLost(at: now, after: limits.ownAnswerWithin) == true {
            release(name, now)
        }
    }

    /// Handles the end of the editor. Prompts that it wrote before still go to the agent.
    mutating func editorHasLeft(_ now: HostInstant) {
        for name in steering.names { release(name, now) }
        steering.close()
    }

    // MARK: From the agent

    /// Returns true for an answer to a request of ours, which the editor does not know. Reads all other messages before the editor
    /// gets them.
    mutating func isOurs(_ message: RPCMessage, _ now: HostInstant) -> Bool {
        switch message {
        case .response(let id, let result, let failure) where steering.isOwn(id):
            if let name = steering.session(prompting: id) { promptAnswered(id, name, result, failure, now) }
            if let name = steering.session(setting: id) { settingAnswered(id, name, result, failure) }
            return true
        case .notification("session/update", let params?):
            if let name = params.text("sessionId"), let update = params.optional("update") { looked(at: update, in: name, now) }
        case .request(let id, let method, let params):
            // The agent's own work through the editor is not a question.
            guard let name = params?.text("sessionId"), !method.hasPrefix("fs/"), !method.hasPrefix("terminal/") else { break }
            if steering[name]?.work(echoes: steering.echoes) == .work { showTaken(name, isEchoed: false, now) }
            let question = SessionTurns.Question(id: id, method: method, params, at: now)
            let countMax = limits.openQuestionsMax
            steering.change(name) { $0.asked(question, countMax: countMax) }
        case .response, .notification: break
        }
        return false
    }

    private mutating func looked(at update: JSONValue, in name: String, _ now: HostInstant) {
        guard let turns = steering[name] else { return }
        let evidence = turns.evidence(in: update, echoes: steering.echoes, at: now)
        if turns.isEcho(update) { steering.hasEchoed() }
        if !turns.hasTurn || !turns.interrupts.isEmpty { steering.change(name) { $0.saw(update, at: now) } }
        if evidence != .none { showTaken(name, isEchoed: evidence == .echo, now) }
        switch update.text("sessionUpdate") {
        case "current_mode_update": steering.change(name) { $0.modes.changed(to: update.text("currentModeId")) }
        case "config_option_update": steering.change(name) { $0.modes.take(options: update) }
        default: break
        }
    }

    /// Shows that our prompt was taken, between two lines of the agent: its next message is the answer.
    private mutating func showTaken(_ name: String, isEchoed: Bool, _ now: HostInstant) {
        guard let own = steering[name]?.own, !own.isTaken, let session = sessions[name]?.id else { return }
        steering.change(name) { $0.taken() }
        // Without the prompt, the editor would show an answer to nothing.
        if !isEchoed { orders.append(.toEditor(SteeringLine.said(own.sent, session: name))) }
        tell(name) { $0.prompted(own.text, at: now) }
        change(own.name, .taken, in: session)
    }

    private mutating func promptAnswered(
        _ id: [UInt8], _ name: String, _ result: JSONValue?, _ failure: String?, _ now: HostInstant
    ) {
        let reason = result?.text("stopReason")
        let isTaken = steering[name]?.own?.isTaken == true
        if !isTaken, failure == nil, reason != "cancelled", reason != "refusal" { showTaken(name, isEchoed: false, now) }
        let late = lateUntil(reason, failure, now)
        guard let own = steering.change(name, { $0.ownAnswered(id, lateUntil: late) }) ?? nil else { return }
        if let session = sessions[name]?.id, !own.isTaken {
            if let failure {
                change(own.name, .refused, in: session, "the agent refused it: \(failure)")
            } else if reason == "refusal" {
                change(own.name, .refused, in: session, "the agent refused to go on")
            } else {
                change(own.name, .unknown, in: session, "the turn was cancelled before the agent showed that it took it")
            }
        }
        turnEnded(name, result, failure, now)
        settleInterrupts(name, reason, failure)
        release(name, now)
        orders.append(.turnFromAfarEnded)
    }

    /// Handles the answer to a prompt of the editor.
    mutating func turnAnswered(_ id: [UInt8], _ result: JSONValue?, _ failure: String?, _ now: HostInstant) {
        let reason = result?.text("stopReason")
        let late = lateUntil(reason, failure, now)
        for name in steering.names {
            guard let isTurn = steering.change(name, { $0.answered(id, lateUntil: late) }) ?? nil else { continue }
            guard isTurn else { return }
            settleInterrupts(name, reason, failure)
            // The agent takes one prompt at a time, so it is not working on ours.
            if failure == nil, steering[name]?.isOwnLost(at: now, after: limits.ownAnswerWithin) == true { dropOwn(name) }
            return
        }
    }

    /// Time until which late messages of a cut turn may come; nil if the turn came to its own end.
    private func lateUntil(_ reason: String?, _ failure: String?, _ now: HostInstant) -> Int64? {
        failure != nil || reason == "cancelled" ? now.monotonic + limits.lateWordsWithin.milliseconds : nil
    }

    private mutating func dropOwn(_ name: String) {
        guard let own = steering[name]?.own, let session = sessions[name]?.id else { return }
        if !own.isTaken { change(own.name, .unknown, in: session, "the agent never answered it") }
        steering.change(name) { $0.dropOwn() }
        orders.append(.turnFromAfarEnded)
    }

    private mutating func settleInterrupts(_ name: String, _ reason: String?, _ failure: String?) {
        guard let session = sessions[name]?.id, let turns = steering[name], reason == "cancelled" || !turns.hasTurn else {
            return
        }
        for interrupt in steering.change(name, { $0.takeInterrupts() }) ?? [] {
            if let failure {
                change(interrupt.name, .unknown, in: session, "the turn ended with an error: \(failure)")
            } else if reason == "cancelled" || interrupt.closedQuestion {
                change(interrupt.name, .taken, in: session)
            } else {
                change(interrupt.name, .refused, in: session, "the agent says that the turn had come to its own end")
            }
        }
    }

    private mutating func settingAnswered(_ id: [UInt8], _ name: String, _ result: JSONValue?, _ failure: String?) {
        guard let session = sessions[name]?.id, let setting = steering.change(name, { $0.settingAnswered(id) }) ?? nil else {
            return
        }
        if let failure { return change(setting.name, .refused, in: session, "the agent refused it: \(failure)") }
        let what = setting.isModel ? "model" : "mode"
        guard let result, result.isObject else {
            return change(setting.name, .unknown, in: session, "the agent's answer does not say which \(what) it has now")
        }
        if setting.isByOption {
            guard let options = result.optional("configOptions") else {
                return change(setting.name, .unknown, in: session, "the agent's answer does not say which \(what) it has now")
            }
            steering.change(name) { $0.modes.take(options: result) }
            fromAgent.insert(SteeringLine.optionsChanged(options.bytes, session: name))
        } else {
            steering.change(name) { $0.modes.changed(to: setting.value) }
        }
        guard let modes = steering[name]?.modes else { return }
        if modes.hasOwnList, !setting.isModel, let current = modes.current {
            fromAgent.insert(SteeringLine.modeChanged(current, session: name))
        }
        if (setting.isModel ? modes.currentModel : modes.current) == setting.value {
            change(setting.name, .taken, in: session)
        } else {
            change(setting.name, .refused, in: session, "the agent has another \(what) after that")
        }
    }

    mutating func sessionClosed(_ name: String, _ now: HostInstant) {
        abandon(name, "the session was closed")
        release(name, now)
        steering.remove(name)
    }

    mutating func agentIsGone() {
        for name in steering.names { abandon(name, "the agent is gone") }
        for (session, name) in stops { change(name, .taken, in: session, "the agent has ended") }
        steering.close()
    }

    private mutating func abandon(_ name: String, _ reason: String) {
        guard let session = sessions[name]?.id, let turns = steering[name] else { return }
        let own = turns.own.map { $0.isTaken ? [] : [$0.name] } ?? []
        for command in own + turns.interrupts.map(\.name) + turns.settings.map(\.name) {
            change(command, .unknown, in: session, reason)
        }
        if turns.own != nil { orders.append(.turnFromAfarEnded) }
    }

    // MARK: While a budget is spent
    //
    // An agent asks by its own mode and settings, which are not changed. While its session is held a person has to answer: an editor that
    // allows by itself is not enough.

    /// Takes over the holds. `held`: those of `sessions` that are held.
    mutating func held(_ held: Set<SessionID>, of sessions: Set<SessionID>) {
        for session in sessions.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let name = self.sessions.name(of: session) else { continue }
            steering.change(name) { $0.isHeld = held.contains(session) }
        }
    }

    /// True if the editor allows a held session's tool before a person can have read the question.
    func isAllowedUnread(_ id: [UInt8], _ result: JSONValue?, _ now: HostInstant) -> Bool {
        guard !isAlone, let name = steering.session(asking: id), let turns = steering[name], turns.isHeld,
            let question = turns.questions.first(where: { $0.id == id }), question.isAllowed(by: result)
        else { return false }
        return now.monotonic - question.askedAt < limits.readingWithin.milliseconds
    }

    /// Ignores the editor's answer: clients decide if they are asked, otherwise the question is denied.
    mutating func overrule(_ id: [UInt8]) {
        if !permissions.leavesToClients(id) { deny(id) }
    }

    /// Denies a question that the editor has already answered, with the agent's own refusal or with `choice`.
    mutating func deny(_ id: [UInt8], _ choice: PermissionChoice? = nil) {
        let question = steering.session(asking: id).flatMap { steering[$0]?.questions.first { $0.id == id } }
        steering.closed(question: id)
        if let answer = (choice ?? question?.refusal ?? .cancelled).answer(to: id) { fromEditor.insert(answer) }
    }

    /// Leaves these questions to the editor, as no client decides them. Those that the editor allowed unread are denied.
    mutating func leaveToEditor(_ ids: [[UInt8]]) {
        for id in ids {
            if permissions.takeLeftToClients(id) { deny(id) } else { orders.append(.leftToEditor(id)) }
        }
    }

    /// Notes that the agent asks for a permission, whoever will answer it.
    mutating func noteAsking(_ params: JSONValue?) {
        guard let name = params?.text("sessionId") else { return }
        var asked: Set<String> = []
        if let request = PermissionRequest(params, optionsMax: limits.optionsMax) { asked = Set(calls(for: request).map(\.id)) }
        let countMax = limits.callsMax
        steering.change(name) { $0.asking.asked(for: asked, in: $0.modes.current, countMax: countMax) }
    }

    /// The reach of a hold, by the agent's acts in its current mode.
    func holdReach(of turns: SessionTurns) -> HoldReach {
        turns.modes.currentAsks && turns.asking.asks(in: turns.modes.current) ? .most : .unchanged
    }

    // MARK: What is told

    /// Reports each stand that differs from the last reported one.
    mutating func tellStands() {
        for name in steering.takeTouched() {
            let next = stand(of: name)
            guard let next, let session = sessions[name]?.id else {
                if let told = stands.removeValue(forKey: name) { orders.append(.stands(told.session, nil)) }
                continue
            }
            guard stands[name]?.stand != next, stands[name] != nil || stands.count < limits.steeredMax else { continue }
            stands[name] = (session, next)
            orders.append(.stands(session, next))
        }
    }

    private func stand(of name: String) -> ACPStand? {
        guard !steering.isClosing, let turns = steering[name], turns.isOpen else { return nil }
        // The stand cannot be nil yet, because the outcome of each `stop` is still to be reported.
        guard stops.isEmpty else { return ACPStand(SteeringOffer(reason: Self.ending, hold: .unchanged), .busy) }
        var offer = SteeringOffer(actions: [.interrupt], hold: holdReach(of: turns))
        if isAlone { offer.actions.insert(.stop) }
        if takesPrompts {
            offer.actions.insert(.prompt)
            offer.takesPictures = takesPictures
        } else {
            offer.reason = Self.onePrompt
        }
        if !turns.modes.names.isEmpty {
            offer.actions.insert(.mode)
            offer.modes = turns.modes.names
            offer.mode = turns.modes.current.map { TextCut.line($0, bytesMax: WireLimits.nameBytesMax) }
        }
        if !turns.modes.models.isEmpty {
            offer.actions.insert(.model)
            offer.models = turns.modes.models
        }
        return ACPStand(offer, turns.standing)
    }

    private static let ending = "A client is ending it."
    private static let onePrompt = "it ends with its one prompt: start it without --prompt to send more"

    private mutating func refuse(_ request: SteeringRequest, in session: SessionID, _ reason: String) {
        change(request.name, .refused, in: session, reason)
    }

    private mutating func change(
        _ name: SteeringName, _ stage: SteeringStage, in session: SessionID, _ reason: String? = nil
    ) {
        orders.append(.steered(session, SteeringChange(name, stage, reason: reason.map { TextCut.line($0) })))
    }
}

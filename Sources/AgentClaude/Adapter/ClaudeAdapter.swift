package import HostCore
package import RelayProtocol

/// Turns the input of Claude Code's hooks into events, and decisions into the hooks' output.
///
/// Pure: `handle` takes a fact and returns orders. Failures lead to "no decision": the agent's own prompt stays.
package struct ClaudeAdapter: AgentAdapter {
    package var name: String { "claude" }

    let limits: ClaudeLimits
    let home: String
    let digests: Digests
    let redactor = Redactor()
    let cleaner: Cleaner

    var sessions: [SessionID: ClaudeSession] = [:]
    private(set) var desk: ApprovalDesk<ClaudeForm>
    /// Dialogs of the open approvals, as the registry showed them.
    var dialogs: [ApprovalID: ClaudeDialog] = [:]
    /// Unproven calls, by their ids.
    var unproven: [String: Unproven] = [:]
    var agentsCheckedAt: Int64
    private var registryCheckedAt: Int64
    /// The sessions in which every tool needs approval.
    package internal(set) var holds = Holds()
    /// Sessions that clients started and that do not offer prompts yet. The host limits their number.
    var begun: [SteeringName: (session: SessionID, process: AgentProcess)] = [:]
    var prices = ModelPrices()
    private var uses = 0

    /// Time of the current input.
    var now: HostInstant
    /// Process whose hook is the current input.
    private(set) var reporter: AgentProcess?
    private var effects: [ClaudeEffect] = []

    package init(home: String, digests: Digests, limits: ClaudeLimits = ClaudeLimits(), at now: HostInstant) {
        self.home = home
        self.digests = digests
        self.limits = limits
        cleaner = Cleaner(scanBytes: limits.scanBytes, scanMargin: limits.scanMargin)
        self.now = now
        desk = ApprovalDesk(limits.approvals, digests, at: now)
        agentsCheckedAt = now.monotonic
        registryCheckedAt = now.monotonic
    }

    package mutating func handle(_ input: ClaudeInput, at now: HostInstant) -> [ClaudeEffect] {
        desk.heard(at: now)
        self.now = now
        effects = []
        switch input {
        case .daemonStarted(let notes): restore(notes)
        case .own(let fact): learn(fact)
        case .hookGone(let token):
            programGone(token)
            tellDesk(.hookGone(token))
        case .decided(let session, let approval, let digest, let decision): decided(session, approval, digest, decision)
        case .refused(let session, let approval, let reason):
            if knows(approval, of: session) { tellDesk(.refused(session, approval, reason: reason)) }
        case .distrusted(let device): tellDesk(.distrusted(device))
        case .held(let holds): self.holds = holds
        case .agentGone(let process): agentGone(process)
        case .linkChanged(let isLive): tellDesk(.linkChanged(isLive: isLive))
        case .notRecorded(let approval): tellDesk(.notRecorded(approval))
        case .eventsLost(let sessions): eventsLost(sessions)
        case .steer(let request): steer(request)
        case .launch(let launch): self.launch(launch)
        case .timerFired: timerFired()
        case .nothingRecorded, .named: break
        }
        return effects
    }

    private mutating func learn(_ fact: ClaudeFact) {
        switch fact {
        case .hookCalled(let hook): hookCalled(hook)
        case .statusLineShown(let line, let process): statusLineShown(line.root, process)
        case .tasksRead(let session, let files): tasksRead(session, files)
        case .registryRead(let session, let entry): registryRead(session, entry)
        case .transcriptRead(let session, let lines): transcriptRead(session, lines)
        case .transcriptEndRead(let request, let end): transcriptEndRead(request, end)
        case .unheardFound(let found): unheard(found)
        case .openFound(let found): for open in found { goesOn(open) }
        case .pricesRead(let prices): pricesRead(prices)
        case .programSaid(let word, let session, let run, let process, let token):
            programSaid(word, in: session, by: run, token)
            if case .stands(let offer, _) = word { programOffered(offer, session, process) }
        case .messageSent(let name, let session, let refusal): messageSent(name, in: session, refusal: refusal)
        case .launched(let name, let outcome): launched(name, outcome)
        }
    }

    /// The hooks that wait for a person's answer.
    private static let asking: Set<String> = ["PermissionRequest", ClaudeAnswer.elicitation]

    private mutating func hookCalled(_ hook: ClaudeHook) {
        reporter = hook.process
        defer { reporter = nil }
        let payload = hook.payload.root
        guard let id = sessionID(payload) ?? (hook.isWhole ? nil : session(of: hook.process)) else {
            // A call that names no session could belong to a held one.
            let isHeld = hook.event == "PreToolUse" && someAskForAll
            guard let token = hook.token else { return }
            guard isHeld else { return order(heeding(token, hook, nil)) }
            return order(.restrict(token, hook.isAnsweredByProgram ? ClaudeAnswer.refuseHeld : ClaudeAnswer.ask))
        }
        if !hook.isWhole, (try? payload.members().isEmpty) ?? true {
            let event = TextCut.line(hook.event, bytesMax: WireLimits.nameBytesMax)
            emit(.error(message: "What Claude Code said at \(event) could not be read", recoverable: true), in: id)
        }
        switch hook.event {
        case "SessionStart": sessionStarted(id, hook, payload)
        case "SessionEnd": sessionEnded(id, hook.process, payload)
        default:
            heard(id)
            ensureSession(
                id, hook.process, payload, hook,
                revives: ["UserPromptSubmit", "PreToolUse"].contains(hook.event) || isOfNextProcess(hook, id))
            switch hook.event {
            case "UserPromptSubmit": promptSubmitted(id, payload)
            case "MessageDisplay": messageShown(id, payload)
            case "PreToolUse":
                if hook.hasOtherAnswerer { sessions[id]?.mayAnswerItself = true }
                toolStarted(id, payload)
            case "PostToolUse": toolFinished(id, payload, failed: false)
            case "PostToolUseFailure": toolFinished(id, payload, failed: true)
            case "PostToolBatch": batchFinished(id, payload)
            case "PermissionRequest": permissionRequested(id, hook, payload)
            case ClaudeAnswer.elicitation: elicitationRequested(id, hook, payload)
            case "ElicitationResult": elicitationOver(id, payload)
            case "Notification": notified(id, payload)
            case "SubagentStart": subagentStarted(id, payload)
            case "SubagentStop": subagentFinished(id, payload)
            case "TaskCreated", "TaskCompleted": tasksChanged(id)
            case "Stop":
                turnEndedByItself(id)
                turnFinished(id, payload)
            case "StopFailure": turnFailed(id, payload)
            default: break
            }
            settleFork(id, isLast: false)
        }
        if hook.event == "PreToolUse", let token = hook.token, let answer = interruption(of: id, payload) {
            order(.restrict(token, answer))
        } else if hook.event == "PreToolUse", let token = hook.token, let answer = demand(of: id, hook, payload) {
            order(.restrict(token, answer))
        } else if !Self.asking.contains(hook.event), let token = hook.token {
            order(heeding(token, hook, id))
        }
    }

    /// The order that applies the owner's rules, also to calls that Claude Code allows by itself.
    private func heeding(_ token: HookToken, _ hook: ClaudeHook, _ id: SessionID?) -> AgentEffect<ClaudeOrder> {
        let payload = hook.payload.root
        guard hook.event == "PreToolUse", let tool = Self.tool(payload), !Self.asksByItself(tool) else {
            return .respond(token, nil)
        }
        let input = payload.optional("tool_input").map { Array($0.bytes) } ?? []
        let session = id.flatMap { sessions[$0] }
        let isAnswered = hook.isAnsweredByProgram || session?.answersItself == true
        return .heed(
            token, UnaskedCall(session: id, tool: tool, input: input),
            demand: isAnswered ? ClaudeAnswer.refuseRuled : ClaudeAnswer.askRuled,
            denial: isAnswered || session?.mayAnswerItself == true ? ClaudeAnswer.refuseRuled : ClaudeAnswer.askRuled)
    }

    /// True for a question from another process of an ended session, which continues it: the report of its start may have been lost
    /// with the daemon.
    private func isOfNextProcess(_ hook: ClaudeHook, _ id: SessionID) -> Bool {
        guard Self.asking.contains(hook.event), let process = hook.process, let before = sessions[id]?.process else {
            return false
        }
        return process.startedAt > before.startedAt
    }

    // MARK: Waiting

    /// Monotonic time at which `timerFired` is due.
    package var nextDeadline: Int64? {
        var deadlines = desk.nextDeadline.map { [$0] } ?? []
        deadlines += sessions.values.compactMap { $0.deferred.map(\.due).min() }
        deadlines += sessions.values.compactMap { $0.interrupt?.until }
        deadlines += sessions.values.compactMap { $0.peerPrompt?.until }
        deadlines += sessions.values.compactMap { $0.lateReads.values.min() }
        deadlines += sessions.values.compactMap { $0.awaited?.due }
        deadlines += sessions.values.flatMap { $0.submitted.values.map(\.due) }
        deadlines += sessions.values.flatMap { $0.rested.values.map(\.due) }
        deadlines += sessions.values.compactMap { $0.program?.nextDeadline }
        deadlines += sessions.values.flatMap { $0.messages.compactMap(\.due) }
        deadlines += unproven.values.map(\.due)
        for session in sessions.values where session.usage.isDirty {
            deadlines.append((session.usage.sentAt ?? 0) + limits.usageInterval.milliseconds)
        }
        if let interval = agentCheckInterval { deadlines.append(agentsCheckedAt + interval.milliseconds) }
        if let interval = registryInterval { deadlines.append(registryCheckedAt + interval.milliseconds) }
        return deadlines.min()
    }

    private var agentCheckInterval: Duration? {
        if desk.contains(where: { $0.process != nil }) { return limits.agentCheckOpen }
        return sessions.values.contains { !$0.isEnded && $0.process != nil } ? limits.agentCheckIdle : nil
    }

    private mutating func timerFired() {
        takeOverdueMessages()
        lookForLines()
        lookForSubmissions()
        lookForSentOn()
        giveUpInterrupts()
        giveUpPeerPrompts()
        programsTimerFired()
        tellOverdue()
        let time = now.monotonic
        giveUpUnproven { $0.due <= time }
        readLate()
        for session in sessionsInOrder where session.usage.isDirty { reportUsageIfDue(session.id) }
        if let interval = registryInterval, now.monotonic - registryCheckedAt >= interval.milliseconds {
            registryCheckedAt = now.monotonic
            lookAtRegistry()
        }
        tellDesk(.timerFired)
        if let interval = agentCheckInterval, now.monotonic - agentsCheckedAt >= interval.milliseconds {
            agentsCheckedAt = now.monotonic
            let asked = approvals.compactMap(\.process)
            let running = sessions.values.filter { !$0.isEnded }.flatMap { $0.earlier + [$0.process].compactMap(\.self) }
            order(.checkAgents(Set(asked + running).sorted { $0.id < $1.id }))
        }
    }

    // MARK: Order: the same facts give the same orders, whatever a dictionary does

    package var approvals: [PendingApproval<ClaudeForm>] { desk.approvals }

    package func isLive(_ session: SessionID) -> Bool { sessions[session]?.isEnded == false }

    package func isElsewhere(_ session: SessionID) -> Bool {
        sessions[session].map { $0.currentDirectory != $0.paths.workingDirectory } ?? true
    }

    package func presentFolder(_ session: SessionID) -> String? { sessions[session]?.currentDirectory }

    package var liveSessions: [AgentSession] {
        sessionsInOrder.filter { !$0.isEnded }.map {
            AgentSession(
                id: $0.id, status: $0.status, process: $0.process, deferred: $0.deferred.count + ($0.awaited?.events.count ?? 0)
            )
        }
    }

    package var questions: [AgentQuestion] { approvals.map { AgentQuestion($0) } }

    package func hasBegun(call: String) -> Bool { sessions.values.contains { !$0.isEnded && $0.calls[call] != nil } }

    package var sessionsInOrder: [ClaudeSession] { sessions.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    /// The session of this process. An unreadable payload does not name one.
    private func session(of process: AgentProcess?) -> SessionID? {
        guard let process else { return nil }
        return sessions.values.filter { $0.process == process && !$0.isEnded }.max { $0.lastUse < $1.lastUse }?.id
    }

    // MARK: Orders

    mutating func consult(_ fact: ApprovalFact<ClaudeForm>) -> [ApprovalOrder] { desk.handle(fact, at: now) }

    mutating func order(_ effect: ClaudeEffect) { effects.append(effect) }
    mutating func order(_ order: ClaudeOrder) { effects.append(.own(order)) }

    /// Sends an event. Returns false if the relay would refuse it, and its head or an error event was sent instead, so that no
    /// event of an agent is lost.
    @discardableResult
    mutating func emit(_ head: EventHead, in session: SessionID, body: (inout JSONWriter) -> Void = { _ in }) -> Bool {
        let event = Event(head, at: now.wall, body: body)
        let isTaken = Self.isTaken(event)
        if isTaken, deferEnd(event, in: session) { return true }
        if !head.passesDeferred { tellDeferred(session) }
        if isTaken {
            emit(event.bytes, head.knownKind, in: session)
            return true
        }
        let bare = Event(head.cut, at: now.wall)
        let left =
            Self.isTaken(bare) ? bare : Event(.error(message: "\(head.kind) cannot be shown", recoverable: true), at: now.wall)
        emit(left.bytes, left.head.knownKind, in: session)
        return false
    }

    /// True if the relay's reader takes the event.
    private static func isTaken(_ event: Event) -> Bool { (try? Event(stored: event.bytes)) != nil }

    mutating func emit(_ bytes: [UInt8], _ kind: EventKind?, in session: SessionID) {
        if hold(bytes, kind, in: session) { return }
        uses += 1
        sessions[session]?.lastUse = uses
        order(.emit(session, bytes, isKept: kind?.isKeptAtHost == true))
    }

    mutating func remember(_ session: SessionID) {
        guard let note = sessions[session]?.note else { return }
        order(.remember(session.rawValue, note))
    }

    // MARK: Names

    /// The session's id: "claude-" (see `AgentAdapter.name`) and Claude's own name of it; a name that the wire would not accept is
    /// digested.
    func sessionID(_ payload: JSONValue) -> SessionID? { payload.text("session_id").flatMap(sessionID) }

    func sessionID(_ name: String) -> SessionID? {
        guard !name.isEmpty else { return nil }
        return SessionID("claude-" + name) ?? SessionID("claude-x" + digests.name(name).prefix(40))
    }
}

extension EventHead {
    /// True for events that may overtake a deferred start: another start is another agent's, or is deferred as well. A to-do list
    /// is the same before the tool that wrote it.
    fileprivate var passesDeferred: Bool {
        switch self {
        case .message(.assistant, _, _, _), .toolStarted, .usage, .todoChanged: true
        default: false
        }
    }

    /// The head without its body; an approval is then incomplete, because people must not decide on what they do not see.
    fileprivate var cut: EventHead {
        guard case .approvalRequested(var request) = self else { return self }
        request.isCut = true
        request.offers = []
        request.alert = nil
        return .approvalRequested(request)
    }
}

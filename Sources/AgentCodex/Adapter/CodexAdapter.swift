package import HostCore
package import RelayProtocol

/// Turns messages of Codex's shared app-server into events, and decisions into answers to its requests, beside the terminal that is
/// attached to the same server.
///
/// Pure: `handle` takes a fact and returns orders. Failures lead to no answer: the terminal's dialog stays.
package struct CodexAdapter: AgentAdapter {
    package var name: String { Self.name }
    package static let name = "codex"

    let limits = CodexLimits()
    let home: String
    let digests: Digests
    let cleaner = Cleaner()
    let redactor = Redactor()

    var sessions: [SessionID: CodexSession] = [:]
    private(set) var desk: ApprovalDesk<CodexForm>
    /// Threads of this connection, by name.
    var threads: [String: CodexThread] = [:]
    var calls = CodexCalls()
    var requests: CodexRequests
    var steering: CodexSteering
    /// Models that this server lists; requested once a thread can be offered them.
    var models: [String] = []
    var areModelsAsked = false
    /// True if the server has answered our `initialize` on this connection.
    var isGreeted = false
    /// Questions that were answered on this connection, and that Codex has not closed.
    var answeredQuestions: [HookToken: ApprovalID] = [:]
    /// Launches that wait for a server, with the time until which they do.
    var waitingLaunches: [(launch: LaunchOrder, until: Int64)] = []
    /// Tasks of spawned agents whose threads have not been opened yet.
    var tasks: [String: String] = [:]
    /// Sessions whose offer or standing may have changed after the current input.
    var stirred: Set<SessionID> = []
    /// Requests for changes of files, by their tokens, that wait until the links in their paths are resolved.
    var unasked: [HookToken: (question: CodexQuestion, request: [UInt8], session: SessionID)] = [:]
    /// Threads that clients started, and that do not offer prompts yet.
    var arriving: [(name: SteeringName, session: SessionID)] = []
    /// Threads that clients ended, and that must be taken out of Codex's archive.
    var shelved: Set<String> = []
    /// The ended threads that Codex is archiving or unarchiving on this connection; it archives their helper threads with them.
    var shelving: Set<String> = []
    /// Approvals that were answered on this connection: the same request again there is a new one.
    var answeredHere: Set<ApprovalID> = []
    /// Sessions that are held because a budget is spent.
    var holds = Holds()

    /// Checkout of the folder of the thread in the current message.
    private(set) var checkout: Checkout?
    /// Time of the current input.
    private(set) var now: HostInstant
    private var effects: [CodexEffect] = []
    var outputs = ToolOutputs()

    package init(home: String, digests: Digests, at now: HostInstant) {
        self.home = home
        self.digests = digests
        self.now = now
        desk = ApprovalDesk(limits.approvals, digests, at: now)
        requests = CodexRequests(countMax: limits.requestsMax)
        steering = CodexSteering(countMax: limits.givenMax)
    }

    package mutating func handle(_ input: CodexInput, at now: HostInstant) -> [CodexEffect] {
        desk.heard(at: now)
        self.now = now
        effects = []
        switch input {
        case .daemonStarted(let notes): restore(notes)
        case .own(.connected): connected()
        case .own(.received(let message, let token, let checkout)):
            self.checkout = checkout
            received(message, token)
        case .own(.disconnected): disconnected()
        case .own(.linksFound(let token, let links)): linksFound(token, links)
        case .own(.notStarted(let reason)): notStarted(reason)
        case .decided(let session, let approval, let digest, let decision):
            if desk[approval]?.session == session || sessions[session] != nil {
                tellDesk(.decided(session, approval, digest, decision))
            }
        case .refused(let session, let approval, let reason):
            if desk[approval]?.session == session || sessions[session] != nil {
                tellDesk(.refused(session, approval, reason: reason))
            }
        case .distrusted(let device): tellDesk(.distrusted(device))
        case .linkChanged(let isLive): tellDesk(.linkChanged(isLive: isLive))
        case .notRecorded(let approval): tellDesk(.notRecorded(approval))
        case .eventsLost(let sessions): eventsLost(sessions)
        case .steer(let request): steer(request)
        case .launch(let order): launch(order)
        case .timerFired: timerFired()
        case .held(let holds): held(holds)
        // Codex has no hooks or processes of ours.
        case .hookGone, .agentGone, .nothingRecorded, .named: break
        }
        if let output = outputs.due(at: now.monotonic) { order(.show(output)) }
        if Self.stirsAll(input) { stirred.formUnion(sessions.keys) }
        switch input {
        case .decided(let session, _, _, _), .refused(let session, _, _): stirred.insert(session)
        default: break
        }
        tellStirred()
        // Each streamed word comes this way, so only the few sessions with news are sorted, not all that are known.
        for session in sessions.values.filter(\.hasNews).sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            sessions[session.id]?.hasNews = false
            order(.remember(session.id.rawValue, session.note))
        }
        return effects
    }

    /// True if the input may change the standing of any session; a server's message concerns one.
    private static func stirsAll(_ input: CodexInput) -> Bool {
        switch input {
        case .daemonStarted, .own(.disconnected), .linkChanged, .notRecorded, .timerFired, .held, .distrusted: true
        case .own(.connected), .own(.received), .own(.linksFound), .own(.notStarted), .decided, .refused, .nothingRecorded,
            .named,
            .eventsLost, .steer, .launch, .hookGone, .agentGone:
            false
        }
    }

    // MARK: Over a restart

    private mutating func restore(_ notes: [String: [UInt8]]) {
        var asked: [ApprovalID: [UInt8]] = [:]
        for (key, note) in notes {
            if key.hasPrefix(Self.shelfNotes) {
                shelved.insert(String(key.dropFirst(Self.shelfNotes.count)))
            } else if key.hasPrefix("\(name)-"), let id = SessionID(key),
                let session = CodexSession(id: id, note: note, at: now.monotonic)
            {
                sessions[id] = session
            } else if let id = ApprovalID(key) {
                asked[id] = note
            }
        }
        tellDesk(.restarted(notes: asked))
    }

    // MARK: Waiting

    /// Monotonic time at which `timerFired` is due.
    package var nextDeadline: Int64? {
        var deadlines = desk.nextDeadline.map { [$0] } ?? []
        deadlines += threads.values.compactMap(\.due) + waitingLaunches.map(\.until)
        if let output = outputs.nextDeadline { deadlines.append(output) }
        if let parked = steering.nextDeadline { deadlines.append(parked) }
        for session in sessions.values where !session.isEnded {
            if let lost = session.lostAt { deadlines.append(lost + limits.goneGrace.milliseconds) }
            if let unloaded = session.unloadedAt { deadlines.append(unloaded + limits.unloadGrace.milliseconds) }
            if let since = session.dialogSince, !isWaitingAtTerminal(session), !hasOpenCard(session.id) {
                deadlines.append(since + limits.dialogGrace.milliseconds)
            }
            if isIdle(session) { deadlines.append(session.heardAt + limits.watchIdle.milliseconds) }
        }
        return deadlines.min()
    }

    private mutating func timerFired() {
        tellDesk(.timerFired)
        refuseOverdue()
        refuseOverdueLaunches()
        let now = now.monotonic
        for (name, thread) in threads.sorted(by: { $0.key < $1.key }) where thread.due.map({ $0 <= now }) == true {
            if thread.isWaiting { resume(name) } else { goOn(name) }
        }
        for session in sessionsInOrder where !session.isEnded {
            if let lost = session.lostAt, now - lost >= limits.goneGrace.milliseconds {
                end(session.id, reason: "Codex's server no longer has it", isGone: true)
                continue
            }
            if let unloaded = session.unloadedAt, now - unloaded >= limits.unloadGrace.milliseconds {
                end(session.id, reason: nil, isGone: false)
                continue
            }
            if let since = session.dialogSince, now - since >= limits.dialogGrace.milliseconds, !isWaitingAtTerminal(session),
                !hasOpenCard(session.id)
            {
                waitAtTerminal(session.dialog, in: session.id)
            }
            if isIdle(session), now - session.heardAt >= limits.watchIdle.milliseconds { letGo(session.thread) }
        }
    }

    private func isIdle(_ session: CodexSession) -> Bool {
        session.status == .idle && threads[session.thread]?.isWatched == true
    }

    // MARK: What is there, in an order that is the same each time

    package func isLive(_ session: SessionID) -> Bool { sessions[session]?.isEnded == false }

    package var liveSessions: [AgentSession] {
        sessionsInOrder.filter { !$0.isEnded && $0.delegation == nil }.map {
            AgentSession(id: $0.id, status: $0.status, process: nil)
        }
    }

    package var questions: [AgentQuestion] { desk.approvals.map { AgentQuestion($0) } }

    var sessionsInOrder: [CodexSession] { sessions.values.sorted { $0.id.rawValue < $1.id.rawValue } }

    /// The session's id: "codex-" and Codex's own name of the thread; a name that the wire would not accept is digested.
    func sessionID(_ thread: String) -> SessionID {
        SessionID("\(name)-\(thread)") ?? SessionID("\(name)-x\(digests.name(thread).prefix(40))") ?? digested(thread)
    }

    private func digested(_ thread: String) -> SessionID { preconditionFailure("hexadecimal digits are an identifier") }

    // MARK: Orders

    mutating func consult(_ fact: ApprovalFact<CodexForm>) -> [ApprovalOrder] { desk.handle(fact, at: now) }

    mutating func order(_ effect: CodexEffect) { effects.append(effect) }

    mutating func call(_ call: CodexCalls.Call) { order(.own(.send(calls.begin(call)))) }

    /// Sends an event. Returns false if the relay would refuse it, and its head or an error event was sent instead, so that no
    /// event of an agent is lost.
    @discardableResult
    mutating func emit(_ head: EventHead, in session: SessionID, body: (inout JSONWriter) -> Void = { _ in }) -> Bool {
        if let parent = sessions[session]?.delegation?.parent {
            sessions[session]?.heardAt = now.monotonic
            guard let told = asSubagents(head, in: session), sessions[parent]?.isEnded == false else { return true }
            return emit(told, in: parent, body: body)
        }
        let event = Event(head, at: now.wall, body: body)
        if Self.isTaken(event) {
            emit(event, in: session)
            return true
        }
        let bare = Event(head.cut, at: now.wall)
        emit(
            Self.isTaken(bare) ? bare : Event(.error(message: "\(head.kind) cannot be shown", recoverable: true), at: now.wall),
            in: session)
        return false
    }

    /// True if the relay's own reader accepts the event.
    private static func isTaken(_ event: Event) -> Bool { (try? Event(stored: event.bytes)) != nil }

    private mutating func emit(_ event: Event, in session: SessionID) {
        sessions[session]?.heardAt = now.monotonic
        order(.emit(session, event.bytes, isKept: event.head.knownKind?.isKeptAtHost == true))
    }

    func line(_ text: String, bytesMax: Int = WireLimits.lineBytesMax) -> String {
        TextCut.line(cleaner.clean(text), bytesMax: bytesMax)
    }
}

extension EventHead {
    /// The head without its body; an approval is then incomplete, because people must not decide on what they do not see.
    fileprivate var cut: EventHead {
        guard case .approvalRequested(var request) = self else { return self }
        request.isCut = true
        request.offers = []
        return .approvalRequested(request)
    }
}

internal import AgentACP
import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import Logging
internal import RelayProtocol
internal import Synchronization

/// Reports to the daemon, and asks it, on threads of its own: the bytes between editor and agent never wait for the daemon.
///
/// Reports keep their order. While the daemon is away events wait, up to a limit. Questions do not wait: then only the editor is
/// asked.
final class DaemonReporter: Sendable {
    private struct State {
        var queue: ReportQueue
        /// Questions on their way to the daemon.
        var asking: Set<ApprovalID> = []
        /// Commands that each session takes, as last reported; repeated to a daemon that comes back. Nil if the session is closed
        /// and reports remain.
        var stands: [SessionID: (stand: ACPStand?, listener: Int)] = [:]
        var listeners = 0
        /// Commands in the inbox of the loop.
        var handover = CommandHandover()
        var isClosing = false
        /// True if the daemon is of another version and knows no such requests.
        var isUnsupported = false
        /// False if the daemon, of another version, takes no output of running calls.
        var takesOutputs = true
        /// Sessions that are held, as last reported by the daemon.
        var held: Set<SessionID> = []
    }

    private enum Sent { case taken, refused, away, unsupported }

    private let state: Mutex<State>
    private let run: ProgramRun
    private let socketPath: String
    private let limits: ACPDriverLimits
    private let logger: Logger
    private let work: WakePipe
    private let finished: WakePipe
    private let inbox: LoopInbox<ACPItem>

    init(socketPath: String, inbox: LoopInbox<ACPItem>, limits: ACPDriverLimits, logger: Logger) throws {
        run = try ProgramRun.beginning()
        self.socketPath = socketPath
        self.inbox = inbox
        self.limits = limits
        self.logger = logger
        state = Mutex(State(queue: ReportQueue(limits: limits)))
        work = try WakePipe()
        finished = try WakePipe()
    }

    // MARK: - For the loop: nothing here waits but `finish`

    func put(_ item: ReportQueue.Item) {
        let (isTaken, hasDropped) = state.withLock { state in
            state.isUnsupported ? (false, false) : (true, state.queue.put(item))
        }
        if hasDropped { logger.warning("the daemon has been away for too long: the oldest events are left out") }
        if !isTaken, case .ask(let question) = item { inbox.put(.fact(.undecided(question.approval))) }
        work.wake()
    }

    /// Queues the output of a running call. It is sent at intervals, and not at all while the daemon is away.
    func show(_ session: SessionID, call: String, text: String) {
        state.withLock { state in
            if !state.isUnsupported, state.takesOutputs { state.queue.show(session, call: call, text: text) }
        }
        work.wake()
    }

    /// Sets the commands that a session takes from now on; nil if it takes none any more.
    func stand(_ session: SessionID, _ stand: ACPStand?) {
        guard let stand else { return close(session) }
        let listener = state.withLock { state -> Int? in
            if let known = state.stands[session], known.stand != nil {
                state.stands[session] = (stand, known.listener)
                return nil
            }
            state.listeners += 1
            state.stands[session] = (stand, state.listeners)
            return state.listeners
        }
        put(.stands(session))
        if let listener { listen(session, listener) }
    }

    /// Closes a session. Its listener stays until the daemon has received all reports: to the daemon, a request that is closed
    /// earlier means that no outcome will come.
    private func close(_ session: SessionID) {
        let listener = state.withLock { state -> Int? in
            guard let known = state.stands[session], known.stand != nil else { return nil }
            state.stands[session] = state.isUnsupported ? nil : (nil, known.listener)
            Self.report(state.handover.close(session, "the session was closed"), &state)
            return known.listener
        }
        if let listener { put(.closed(session, listener: listener)) }
    }

    /// Listens for commands until the session is closed; one that is opened again has another listener.
    private func listen(_ session: SessionID, _ number: Int) {
        let listener = SteeringListener(session: session, run: run, socketPath: socketPath, limits: limits.daemon)
        let isStarted = BackgroundThread.start { [self] in
            listener.listen(
                isWanted: { [self] in state.withLock { $0.stands[session]?.listener == number } },
                sayAgain: { [self] in put(.stands(session)) },
                took: { [self] request in
                    if let refusal = state.withLock({ $0.handover.received(request.name, of: session) }) {
                        put(.steered(session, refusal))
                    } else {
                        inbox.put(.fact(.steered(session, request)))
                    }
                })
        }
        if !isStarted { logger.warning("no thread could be started: clients cannot steer this session") }
    }

    /// Returns false if the command was refused meanwhile: then it must not be given to the agent.
    func takes(_ name: SteeringName) -> Bool { state.withLock { $0.handover.taken(name) } }

    private static func report(_ refusals: [CommandHandover.Refusal], _ state: inout State) {
        guard !state.isUnsupported else { return }
        for refusal in refusals { _ = state.queue.put(.steered(refusal.session, refusal.change)) }
    }

    /// Handles the end of the agent: no more commands are given to it. Called before the sessions are closed, because later
    /// outcomes are not accepted.
    func agentEnded() { state.withLock { Self.report($0.handover.close("the agent has ended"), &$0) } }

    /// Handles the end of the agent: the remaining reports are sent within the grace.
    func finish() {
        agentEnded()
        state.withLock { state in
            state.isClosing = true
            state.asking = []
        }
        work.wake()
        _ = HookSocket.wait(for: POLLIN, on: finished.readEnd, until: .now + limits.daemon.reportGrace)
        state.withLock { $0.stands = [:] }
    }

    // MARK: - On the reporter's thread

    func start() -> Bool { BackgroundThread.start { self.report() } }

    private func report() {
        var unsent: [ReportQueue.Batch] = []
        var outputsFrom = ContinuousClock.now
        while true {
            while unsent.isEmpty, state.withLock({ $0.queue.isEmpty && !$0.isClosing }) {
                let hasOutputs = state.withLock { $0.queue.hasOutputs }
                if hasOutputs, .now >= outputsFrom {
                    sendOutputs()
                    outputsFrom = .now + limits.outputInterval
                    continue
                }
                _ = HookSocket.wait(for: POLLIN, on: work.readEnd, until: hasOutputs ? outputsFrom : .now + .seconds(3_600))
                work.drain()
            }
            sending: while let batch = unsent.first ?? state.withLock({ $0.queue.next(now: HostInstant.now.wall) }) {
                if unsent.isEmpty { unsent = [batch] }
                switch (send(batch), batch) {
                case (.away, _): break sending
                // The daemon accepts all of a request or nothing. If it refuses one event, the others are sent without it.
                case (.refused, .events(let lines, _)) where lines.count > 1: unsent = lines.map { .events([$0], of: []) }
                case (.taken, _), (.refused, _): unsent.removeFirst()
                case (.unsupported, _):
                    unsent = []
                    giveUp()
                }
            }
            let isClosing = state.withLock { $0.isClosing }
            // The editor waits for our end, so we do not wait for a daemon that is away.
            if isClosing, !unsent.isEmpty || state.withLock({ $0.queue.isEmpty }) { return finished.wake() }
            if !unsent.isEmpty { waitForDaemon() }
        }
    }

    /// Waits before the daemon is tried again, so that not every event calls it. Questions asked meanwhile go only to the editor.
    private func waitForDaemon() {
        let next = ContinuousClock.now + limits.daemon.retryInterval
        repeat {
            let questions = state.withLock { $0.queue.removeQuestions() }
            for approval in questions { inbox.put(.fact(.undecided(approval))) }
            let deadline = state.withLock { $0.isClosing } ? min(next, .now + limits.withdrawCheck) : next
            _ = HookSocket.wait(for: POLLIN, on: work.readEnd, until: deadline)
            work.drain()
        } while ContinuousClock.now < next && !state.withLock { $0.isClosing }
    }

    private func giveUp() {
        let questions = state.withLock { state in
            state.isUnsupported = true
            let questions = state.queue.removeQuestions()
            state.queue.clear()
            state.stands = state.stands.filter { $0.value.stand != nil }
            return questions
        }
        for approval in questions { inbox.put(.fact(.undecided(approval))) }
        logger.warning("the daemon does not take what agents say: is it of an older version? Nothing is reported")
    }

    private func send(_ batch: ReportQueue.Batch) -> Sent {
        switch batch {
        case .events(let lines, let sessions): return post("events", Self.body(lines)) { noteHeld($0, of: sessions) }
        case .settled(let body): return post("settled", body)
        case .stands(let session):
            guard let stand = state.withLock({ $0.stands[session]?.stand }) else { return .taken }
            return steer(.stands(stand.offer, stand.standing), in: session)
        case .steered(let session, let change): return steer(.told(change), in: session)
        case .closed(let session, let listener):
            state.withLock { if $0.stands[session]?.listener == listener { $0.stands[session] = nil } }
            return .taken
        case .withdraw(let approval):
            state.withLock { _ = $0.asking.remove(approval) }
            return .taken
        case .ask(let question):
            ask(question)
            return .taken
        }
    }

    private static func body(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [UInt8(ascii: "\n")] } }

    private func noteHeld(_ answer: [UInt8], of sessions: Set<SessionID>) {
        guard let root = try? JSONDocument(parsing: answer).root else { return }
        let held = Set(root.list("held").compactMap { try? $0.string() }.compactMap { SessionID($0) }).intersection(sessions)
        let isNews = state.withLock { state in
            let before = state.held
            state.held = before.subtracting(sessions).union(held)
            return state.held != before
        }
        // Sent even if unchanged: a session that was opened again has forgotten it.
        if isNews || !held.isEmpty { inbox.put(.fact(.held(held, of: sessions))) }
    }

    /// Sends the waiting output. Output that the daemon does not take is not sent again, because newer output follows.
    private func sendOutputs() {
        let lines = state.withLock { $0.queue.takeOutputs() }
        if post("events", Self.body(lines)) == .refused { state.withLock { $0.takesOutputs = false } }
    }

    /// Sends a report about steering. A daemon that knows no steering still knows the rest.
    private func steer(_ word: SteeredWord, in session: SessionID) -> Sent {
        let sent = post(word.path, word.bytes(in: session.rawValue, by: run))
        return sent == .unsupported ? .taken : sent
    }

    private func post(_ word: String, _ body: [UInt8], taken: ([UInt8]) -> Void = { _ in }) -> Sent {
        let exchange = HookExchange(agent: word, body, socketPath: socketPath, budget: limits.daemon.postBudget)
        guard let (status, answer) = exchange.send() else { return .away }
        switch status {
        case 200...299:
            taken(answer)
            return .taken
        case 404, 405: return .unsupported
        case 400...499:
            let reason = (try? JSONDocument(parsing: answer).root)?.text("message") ?? ""
            logger.warning(
                "the daemon refused what the agent said",
                metadata: ["request": "\(word)", "status": "\(status)", "reason": "\(TextCut.line(reason, bytesMax: 200))"])
            return .refused
        default: return .away
        }
    }

    // MARK: - Questions, a thread each

    private func ask(_ question: ACPQuestion) {
        let approval = question.approval
        guard
            let request = HookRequest(path: ["agent", "ask"], body: question.json(waitSeconds: limits.questionSeconds))
        else { preconditionFailure("the path is made of plain words") }
        state.withLock { _ = $0.asking.insert(approval) }
        let isStarted = BackgroundThread.start { [self] in
            var hookLimits = HookLimits()
            hookLimits.agentCheck = limits.withdrawCheck
            var exchange = HookExchange(request: request, socketPath: socketPath, limits: hookLimits) { [self] in
                state.withLock { $0.asking.contains(approval) }
            }
            exchange.isAttended = limits.isAttended
            let verdict = exchange.ask().flatMap(ACPVerdict.init(answer:))
            let isWanted = state.withLock { $0.asking.remove(approval) != nil }
            guard isWanted else { return }
            inbox.put(.fact(verdict.map { .decided(approval, $0) } ?? .undecided(approval)))
        }
        if !isStarted {
            state.withLock { _ = $0.asking.remove(approval) }
            inbox.put(.fact(.undecided(approval)))
        }
    }
}

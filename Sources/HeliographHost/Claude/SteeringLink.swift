import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol
internal import Synchronization

/// A session's connection to the daemon: reports what can be done to it, waits for clients' commands, and reports the outcomes.
///
/// One thread waits for the next command, another reports. While the daemon is away the current state is kept, and sent when it is
/// back; by then the daemon has forgotten the commands that it gave us, and reports that itself.
final class SteeringLink: Sendable {
    private struct State {
        var stand: SteeredWord?
        var isStandTold = true
        var changes: [SteeringChange] = []
        /// Commands in the inbox of the loop.
        var handover = CommandHandover()
        var isClosing = false
        /// True if everything is reported, or the grace for that is over.
        var isOver = false
    }

    private enum Sent { case taken, refused, away }

    private let state = Mutex(State())
    private let session: SessionID
    /// The adapter's name; nil for a program's own session, which the host calls by another name than the program.
    private let adapter: String?
    private let run: ProgramRun
    private let socketPath: String
    private let limits: DaemonLimits
    private let inbox: LoopInbox<RunItem>
    private let work: WakePipe
    private let finished: WakePipe

    init(
        session: SessionID, of adapter: String? = ClaudeIntegration.name, socketPath: String, inbox: LoopInbox<RunItem>,
        limits: DaemonLimits
    ) throws {
        self.session = session
        self.adapter = adapter
        run = try ProgramRun.beginning()
        self.socketPath = socketPath
        self.inbox = inbox
        self.limits = limits
        work = try WakePipe()
        finished = try WakePipe()
    }

    // MARK: - For the loop: nothing here waits but `finish`

    func stand(_ offer: SteeringOffer, _ standing: SteeringStanding) {
        state.withLock { state in
            state.stand = .stands(offer, standing)
            state.isStandTold = false
        }
        work.wake()
    }

    func tell(_ change: SteeringChange) {
        state.withLock { state in
            state.changes.append(change)
            // A daemon that is away has forgotten the commands that it gave us.
            if state.changes.count > limits.changesMax { state.changes.removeFirst() }
        }
        work.wake()
    }

    /// Returns false if the command must not be given to the agent: it is another link's, or refused already.
    func takes(_ name: SteeringName) -> Bool { state.withLock { $0.handover.taken(name) } }

    /// Stops giving commands to the agent, for this `reason`.
    func close(_ reason: String) {
        state.withLock { state in
            state.isClosing = true
            state.changes += state.handover.close(reason).map(\.change)
        }
        work.wake()
    }

    /// Handles the end of the agent or the link: the remaining reports are sent within the grace.
    func finish() {
        close("the agent has ended")
        _ = HookSocket.wait(for: POLLIN, on: finished.readEnd, until: .now + limits.reportGrace)
        state.withLock { $0.isOver = true }
    }

    func start() -> Bool { BackgroundThread.start { self.report() } && BackgroundThread.start { self.listen() } }

    // MARK: - Telling

    func report() {
        while true {
            while state.withLock({ $0.changes.isEmpty && $0.isStandTold && !$0.isClosing }) {
                _ = HookSocket.wait(for: POLLIN, on: work.readEnd, until: .now + .seconds(3_600))
                work.drain()
            }
            // Read before sending: an outcome that comes during the sending, followed by the end, needs another pass.
            let isLast = state.withLock { $0.isClosing }
            let isAway = !tellAll()
            if isLast { return finished.wake() }
            guard isAway, !state.withLock({ $0.isClosing }) else { continue }
            _ = HookSocket.wait(for: POLLIN, on: finished.readEnd, until: .now + limits.retryInterval)
        }
    }

    /// Sends all reports. Returns false if the daemon is away. A command's outcome is reported before the next readiness, which
    /// makes the desk give the next command. A closing link offers nothing any more: another may have the session by now.
    private func tellAll() -> Bool {
        while let change = state.withLock({ $0.changes.first }) {
            guard post(.told(change)) != .away else { return false }
            state.withLock { state in
                if state.changes.first == change { state.changes.removeFirst() }
            }
        }
        guard
            let stand = state.withLock({ state in
                defer { state.isStandTold = true }
                return state.isStandTold || state.isClosing ? nil : state.stand
            })
        else { return true }
        switch post(stand) {
        case .taken: inbox.put(.daemon(isThere: true))
        // The daemon learns of the session by its first hook, which may be on its way.
        case .refused, .away:
            state.withLock { $0.isStandTold = false }
            return false
        }
        return true
    }

    private func post(_ word: SteeredWord) -> Sent {
        let exchange = HookExchange(
            agent: word.path, word.bytes(in: session.rawValue, of: adapter, by: run), socketPath: socketPath,
            budget: limits.postBudget)
        guard let (status, _) = exchange.send() else {
            inbox.put(.daemon(isThere: false))
            return .away
        }
        return status == 200 ? .taken : .refused
    }

    // MARK: - Listening

    /// Listens for commands, also while the last reports are sent: to the daemon, a closed request means that no outcome will come.
    private func listen() {
        SteeringListener(
            session: session, adapter: adapter, run: run, socketPath: socketPath, limits: limits
        ).listen(
            isWanted: { [self] in state.withLock { !$0.isOver && !($0.isClosing && $0.changes.isEmpty) } },
            sayAgain: { [self] in
                // A daemon that was away has forgotten the offer.
                let isOffered = state.withLock { state in
                    guard state.stand != nil, !state.isClosing else { return false }
                    state.isStandTold = false
                    return true
                }
                if isOffered { work.wake() }
            },
            took: { [self] request in
                if let refusal = state.withLock({ $0.handover.received(request.name, of: session) }) {
                    // The thread that reports the rest may have ended, so the refusal is sent here.
                    _ = post(.told(refusal))
                } else {
                    inbox.put(.steered(request))
                }
            })
    }
}

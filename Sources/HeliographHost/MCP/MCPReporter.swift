internal import AgentLocal
internal import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol
internal import Synchronization

/// Carries the machine's requests to the daemon on other threads, in order, except that each question waits on its own thread.
///
/// Its queue is bounded by the number of calls that the machine accepts at a time.
final class MCPReporter: Sendable {
    private enum Item: Sendable {
        case ask(Int, [UInt8])
        case post(Int?, String, [UInt8])
    }

    private struct State {
        var items: [Item] = []
        /// Questions that wait at the daemon.
        var asking: Set<Int> = []
        var isClosing = false
    }

    private let state = Mutex(State())
    private let request: ProgramRequest
    private let limits: DaemonLimits
    private let inbox: LoopInbox<MCPItem>
    private let work: WakePipe
    private let finished: WakePipe

    init(_ request: ProgramRequest, inbox: LoopInbox<MCPItem>, limits: DaemonLimits) throws {
        self.request = request
        self.inbox = inbox
        self.limits = limits
        work = try WakePipe()
        finished = try WakePipe()
    }

    // MARK: - For the loop: nothing here waits but `finish`

    func ask(_ call: Int, _ body: [UInt8]) {
        state.withLock { state in
            _ = state.asking.insert(call)
            state.items.append(.ask(call, body))
        }
        work.wake()
    }

    func withdraw(_ call: Int) { state.withLock { _ = $0.asking.remove(call) } }

    func post(_ call: Int?, _ what: String, _ body: [UInt8]) {
        state.withLock { $0.items.append(.post(call, what, body)) }
        work.wake()
    }

    /// Ends the reporter: the remaining reports are sent within the grace.
    func finish() {
        state.withLock { state in
            state.isClosing = true
            state.asking = []
        }
        work.wake()
        _ = HookSocket.wait(for: POLLIN, on: finished.readEnd, until: .now + limits.reportGrace)
    }

    // MARK: - On the reporter's thread

    func start() -> Bool { BackgroundThread.start { self.report() } }

    private func report() {
        while true {
            let item = state.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() }
            switch item {
            case .ask(let call, let body): startAsking(call, body)
            case .post(let call, let what, let body):
                let reply = post(what, body)
                if let call { inbox.put(.fact(.answered(call, reply))) }
            case nil:
                if state.withLock({ $0.isClosing }) { return finished.wake() }
                _ = HookSocket.wait(for: POLLIN, on: work.readEnd, until: .now + .seconds(3_600))
                work.drain()
            }
        }
    }

    private func post(_ what: String, _ body: [UInt8]) -> MCPMachine.Reply {
        switch request.exchange(what, body).send() {
        case nil: .unreachable
        case (200, let answer)?: .done(answer)
        // For a settlement, 204 is the answer; for events, it means that the disk takes nothing.
        case (204, _)?: what == "events" ? .refused("the host's disk takes nothing now") : .done([])
        case (let status, let answer)?: .refused(ProgramRequest.sentence(status, answer))
        }
    }

    /// Asks on a separate thread. A question that is no longer wanted is noticed there within `agentCheck`, and the thread hangs
    /// up.
    private func startAsking(_ call: Int, _ body: [UInt8]) {
        let isStarted = BackgroundThread.start { [self] in
            var exchange = request.exchange("ask", body)
            exchange.limits.agentCheck = Self.withdrawCheck
            exchange.isAgentAlive = { [self] in state.withLock { $0.asking.contains(call) } }
            let reply: MCPMachine.Reply =
                switch exchange.wait() {
                case nil: .unreachable
                case (200, let answer)?: .done(answer)
                case (204, _)?: .undecided
                case (let status, let answer)?: .refused(ProgramRequest.sentence(status, answer))
                }
            let isWanted = state.withLock { $0.asking.remove(call) != nil }
            if isWanted { inbox.put(.fact(.answered(call, reply))) }
        }
        guard !isStarted else { return }
        state.withLock { _ = $0.asking.remove(call) }
        inbox.put(.fact(.answered(call, .unreachable)))
    }

    /// Time within which a cancelled call is shown as withdrawn.
    private static let withdrawCheck = Duration.milliseconds(200)
}

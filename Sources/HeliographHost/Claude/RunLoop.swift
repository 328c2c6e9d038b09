internal import AgentClaude
import Glibc
internal import HeliographHook
internal import HostCore
internal import RelayProtocol

/// Carries the lines between a Claude Code that is our child, the person at the terminal, and the daemon, on one thread that waits for
/// whatever comes next.
struct RunLoop {
    private let child: AgentChild
    private let inbox: LoopInbox<RunItem>
    private let steering: SteeringLink
    private let limits: ChildLimits
    private var control: ClaudeControl
    private var toAgent: OutputBuffer
    private var toTerminal = OutputBuffer(descriptor: STDOUT_FILENO)
    private var readsTerminal: Bool
    private var agentInputIsOpen = true
    private var agentOutputIsOpen = true
    /// True if the agent's input is to be closed once all earlier input is written.
    private var closesInput = false
    /// Typed bytes that are not a whole line yet.
    private var typed: [UInt8] = []
    /// The end of the process, after which its output is read until this moment.
    private var end: (AgentEnd, drainUntil: ContinuousClock.Instant)?
    private var daemonWasThere: Bool?
    private let rivals: SessionRivals
    private var hasStood = false
    /// Open questions of tool servers to their clients.
    private var asking: [String: RunQuestion] = [:]

    init(
        child: AgentChild, control: ClaudeControl, hasTerminal: Bool, inbox: LoopInbox<RunItem>, steering: SteeringLink,
        rivals: SessionRivals, limits: ChildLimits
    ) {
        self.child = child
        self.control = control
        self.inbox = inbox
        self.steering = steering
        self.rivals = rivals
        self.limits = limits
        readsTerminal = hasTerminal
        toAgent = OutputBuffer(descriptor: child.input)
    }

    /// Returns when the agent has ended and all its output was shown.
    mutating func run() -> AgentEnd {
        perform(.started)
        while true {
            if let end, !agentOutputIsOpen || .now >= end.drainUntil {
                perform(.ended(exit: end.0.exit))
                toTerminal.write(bytesMax: limits.writeBytes)
                return end.0
            }
            waitAndPass()
            let items = inbox.take()
            // Input that was taken together with the end did not reach the agent.
            for case .ended(let end) in items { self.end = (end, .now + limits.drainGrace) }
            for item in items { take(item) }
            if let due = control.nextDeadline, due <= HostInstant.now.monotonic { perform(.timerFired) }
        }
    }

    private mutating func waitAndPass() {
        // Output that nobody reads at the terminal must not fill the memory: the agent then blocks, as it would on its own screen.
        let readsAgent = agentOutputIsOpen && toTerminal.count < limits.bufferBytes
        var entries = [
            pollfd(fd: inbox.pipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: readsTerminal ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: readsAgent ? child.output : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: agentInputIsOpen ? child.input : -1, events: Int16(toAgent.count > 0 ? POLLOUT : 0), revents: 0),
            pollfd(fd: toTerminal.isBroken ? -1 : STDOUT_FILENO, events: Int16(toTerminal.count > 0 ? POLLOUT : 0), revents: 0),
        ]
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        let gone = Int16(POLLERR | POLLNVAL)
        if entries[1].revents != 0 { readTerminal() }
        if entries[2].revents != 0 { readAgent() }
        if entries[3].revents & gone != 0 { closeAgentInput() }
        if entries[4].revents & gone != 0 { toTerminal.fail() }
        write()
    }

    private mutating func write() {
        if agentInputIsOpen { toAgent.write(bytesMax: limits.writeBytes) }
        toTerminal.write(bytesMax: limits.writeBytes)
        if toAgent.isBroken || (closesInput && toAgent.count == 0) { closeAgentInput() }
    }

    private mutating func readTerminal() {
        guard let bytes = PipeRead.bytes(from: STDIN_FILENO, max: limits.readBytes) else { return }
        guard !bytes.isEmpty else {
            readsTerminal = false
            return perform(.inputClosed)
        }
        typed += bytes
        while let feed = typed.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: typed[..<feed], as: UTF8.self)
            typed.removeFirst(feed + 1)
            perform(.typed(line))
        }
        // A terminal gives no longer line than 4 KiB.
        if typed.count > limits.bufferBytes { typed = [] }
    }

    private mutating func readAgent() {
        guard let bytes = PipeRead.bytes(from: child.output, max: limits.readBytes) else { return }
        if bytes.isEmpty { agentOutputIsOpen = false } else { perform(.received(bytes)) }
    }

    private mutating func closeAgentInput() {
        guard agentInputIsOpen else { return }
        agentInputIsOpen = false
        toAgent.fail()
        close(child.input)
    }

    private mutating func take(_ item: RunItem) {
        switch item {
        // Refused when the agent ended.
        case .steered(let request): if end == nil, steering.takes(request.name) { perform(.steered(request)) }
        case .answeredAfar(let request, let output):
            asking[request] = nil
            perform(.answeredAfar(request: request, output))
        case .signal(SIGINT): perform(.interrupted)
        case .signal: perform(.terminated)
        case .ended: break
        case .openedElsewhere(let process): perform(.openedElsewhere(process: process))
        case .daemon(let isThere):
            guard isThere != daemonWasThere ?? true else { return }
            daemonWasThere = isThere
            let line =
                isThere
                ? "(the host daemon is there again)\n"
                : "(no host daemon answers: clients do not see this session. Is `heliograph host` running?)\n"
            toTerminal.append(Array(line.utf8))
        }
    }

    private mutating func perform(_ fact: ControlFact) {
        for order in control.handle(fact, at: HostInstant.now.monotonic) {
            switch order {
            case .send(let line): if agentInputIsOpen { toAgent.append(line) }
            case .closeInput: closesInput = true
            case .terminate: if end == nil { kill(child.process, SIGTERM) }
            case .kill: if end == nil { kill(child.process, SIGKILL) }
            case .show(let text): toTerminal.append(Array(text.utf8))
            case .stand(let offer, let standing): stand(offer, standing)
            case .tell(let change): steering.tell(change)
            case .spent(let line): tellSpent(line)
            case .ask(let request, let payload):
                asking[request] = RunQuestion(request, payload, agent: child.process, inbox: inbox)
            case .askNoMore(let request): asking.removeValue(forKey: request)?.withdraw()
            }
        }
        write()
    }

    /// Reports the cost, because without a screen no status line is drawn. If the daemon is away, it finds the cost in the
    /// transcript later.
    private func tellSpent(_ line: [UInt8]) {
        let caller = HookCaller(process: "\(child.process)")
        guard let request = HookRequest(path: ["statusline", ClaudeIntegration.name], body: line, caller: caller) else {
            return
        }
        HookExchange(request: request, socketPath: HostPaths().socket).tell()
    }

    /// Offers steering only if no other program has the session open: one may have opened it while ours was starting.
    private mutating func stand(_ offer: SteeringOffer, _ standing: SteeringStanding) {
        if !hasStood, let rival = rivals.found {
            ProgramRequest.complain(LiveSessions.refusal(process: rival))
            inbox.put(.openedElsewhere(rival))
            return
        }
        hasStood = true
        steering.stand(offer, standing)
    }

    private var milliseconds: Int32 {
        var waits: [Int64] = control.nextDeadline.map { [max(0, $0 - HostInstant.now.monotonic)] } ?? []
        if let end { waits.append(max(0, (end.drainUntil - .now).milliseconds + 1)) }
        return waits.min().map { Int32(clamping: $0) } ?? -1
    }
}

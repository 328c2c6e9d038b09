internal import AgentACP
import Glibc
internal import HeliographHook
internal import HostCore
internal import RelayProtocol

/// Carries the bytes between editor and agent, on one thread that waits for whatever comes next. If one side does not read, the
/// other is not read either: the pipes fill as they would without us.
struct ACPProxyLoop {
    /// The stages of the agent's end.
    private enum Ending: Equatable {
        case none
        /// The editor has left, and the end of its input was passed on to the agent.
        case left(until: ContinuousClock.Instant)
        case terminated(until: ContinuousClock.Instant)
        case killed
    }

    private let child: AgentChild
    private let inbox: LoopInbox<ACPItem>
    private let reporter: DaemonReporter
    private let limits: ACPDriverLimits
    private var machine: ACPProxyMachine
    /// The client that takes the place of an editor; nil if there is an editor.
    private var client: ACPClientMachine?
    /// Typed bytes that are not a whole line yet.
    private var typed: [UInt8] = []
    private let readsInput: Bool
    private var clientFailed: Bool?
    private var toAgent: OutputBuffer
    private var toEditor = OutputBuffer(descriptor: STDOUT_FILENO)
    private var editorIsOpen = true
    private var agentInputIsOpen = true
    private var agentOutputIsOpen = true
    private var ending = Ending.none
    /// True if a client ended the session.
    private var isStopped = false
    /// The end of the process, after which its output is read until this moment.
    private var end: (AgentEnd, drainUntil: ContinuousClock.Instant)?

    init(
        child: AgentChild, machine: ACPProxyMachine, client: ACPClientMachine?, inbox: LoopInbox<ACPItem>,
        reporter: DaemonReporter,
        limits: ACPDriverLimits
    ) {
        self.child = child
        self.client = client
        // Input is for the agent only if it is typed at a terminal.
        readsInput = client == nil || isatty(STDIN_FILENO) == 1
        self.machine = machine
        self.inbox = inbox
        self.reporter = reporter
        self.limits = limits
        toAgent = OutputBuffer(descriptor: child.input)
    }

    /// Returns when the agent has ended and all its output was passed on.
    mutating func run() -> AgentEnd {
        tellClient(.started)
        while true {
            if let end, !agentOutputIsOpen || .now >= end.drainUntil {
                let isEditorSlow =
                    agentOutputIsOpen && editorIsOpen && !toEditor.isBroken && toEditor.count >= limits.child.bufferBytes
                guard isEditorSlow else { return finish(end.0) }
                // The remaining output is drained, as the agent's own pipe would be.
                let later = ContinuousClock.now + limits.child.drainGrace
                self.end?.drainUntil = later
            }
            waitAndPass()
            let items = inbox.take()
            // Input that was taken together with the end did not reach the agent.
            for case .ended(let end) in items { self.end = (end, .now + limits.child.drainGrace) }
            for item in items { take(item) }
            if let due = machine.nextDeadline, due <= HostInstant.now.monotonic { perform(.waited) }
            pressEnding()
        }
    }

    private mutating func finish(_ end: AgentEnd) -> AgentEnd {
        reporter.agentEnded()
        perform(.agentClosed)
        let reason = end.reason ?? (isStopped ? "ended by a client" : ending == .none ? nil : "the editor has left")
        perform(.agentGone(reason: reason, failed: end.exit != 0 && ending == .none))
        let deadline = ContinuousClock.now + limits.flushGrace
        toEditor.write(bytesMax: limits.child.writeBytes)
        while toEditor.count > 0, HookSocket.wait(for: POLLOUT, on: STDOUT_FILENO, until: deadline) == .ready {
            toEditor.write(bytesMax: limits.child.writeBytes)
        }
        guard let clientFailed else { return end }
        return AgentEnd(exit: clientFailed ? 1 : 0, signal: nil)
    }

    // MARK: Bytes

    private mutating func waitAndPass() {
        // A descriptor that is not waited for is left out: its hang-up would wake the loop again and again.
        let readsEditor = readsInput && editorIsOpen && toAgent.count < limits.child.bufferBytes
        let readsAgent = agentOutputIsOpen && toEditor.count < limits.child.bufferBytes
        var entries = [
            pollfd(fd: inbox.pipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: readsEditor ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: readsAgent ? child.output : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: agentInputIsOpen ? child.input : -1, events: Int16(toAgent.count > 0 ? POLLOUT : 0), revents: 0),
            pollfd(fd: toEditor.isBroken ? -1 : STDOUT_FILENO, events: Int16(toEditor.count > 0 ? POLLOUT : 0), revents: 0),
        ]
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        let gone = Int16(POLLERR | POLLNVAL)
        if entries[1].revents != 0 { readEditor() }
        if entries[2].revents != 0 { readAgent() }
        if entries[3].revents & gone != 0 { closeAgentInput() }
        if entries[4].revents & gone != 0 {
            toEditor.fail()
            editorLeft()
        }
        if agentInputIsOpen { toAgent.write(bytesMax: limits.child.writeBytes) }
        toEditor.write(bytesMax: limits.child.writeBytes)
        if toAgent.isBroken { closeAgentInput() }
        if toEditor.isBroken { editorLeft() }
        if !editorIsOpen, toAgent.count == 0 { closeAgentInput() }
    }

    private mutating func readEditor() {
        switch PipeRead.bytes(from: STDIN_FILENO, max: limits.child.readBytes) {
        case .some(let bytes) where bytes.isEmpty: editorLeft()
        case .some(let bytes): if client == nil { perform(.fromEditor(bytes)) } else { type(bytes) }
        case nil: break
        }
    }

    private mutating func readAgent() {
        switch PipeRead.bytes(from: child.output, max: limits.child.readBytes) {
        case .some(let bytes) where bytes.isEmpty: agentOutputIsOpen = false
        case .some(let bytes): perform(.fromAgent(bytes))
        case nil: break
        }
    }

    /// Ends the session by order of the machine, which therefore gets no report that the peer left; it still gets the agent's end.
    private mutating func leave() {
        isStopped = true
        tellClient(.endedFromAfar)
    }

    private mutating func editorLeft() {
        guard editorIsOpen else { return }
        editorIsOpen = false
        if !isStopped { perform(.editorClosed) }
        if toAgent.count == 0 { closeAgentInput() }
        if ending == .none { ending = .left(until: .now + limits.leaveGrace) }
    }

    private mutating func closeAgentInput() {
        guard agentInputIsOpen else { return }
        agentInputIsOpen = false
        toAgent.fail()
        close(child.input)
    }

    // MARK: What else happens

    private mutating func take(_ item: ACPItem) {
        switch item {
        // Refused when the agent ended.
        case .fact(.steered(_, let request)) where end != nil || !reporter.takes(request.name): break
        case .fact(let fact): perform(fact)
        case .ended: break
        case .signal(let signal):
            guard end == nil else { return }
            kill(child.process, signal)
            if signal != SIGINT, ending == .none { ending = .terminated(until: .now + limits.terminateGrace) }
        }
    }

    /// Presses an ending agent that ignores the end of its input: asks it to end, then kills it.
    private mutating func pressEnding() {
        guard end == nil else { return }
        switch ending {
        case .left(let deadline) where .now >= deadline:
            kill(child.process, SIGTERM)
            ending = .terminated(until: .now + limits.terminateGrace)
        case .terminated(let deadline) where .now >= deadline:
            kill(child.process, SIGKILL)
            ending = .killed
        default: break
        }
    }

    private var milliseconds: Int32 {
        let deadline: ContinuousClock.Instant? =
            switch ending {
            case _ where end != nil: end?.drainUntil
            case .left(let deadline), .terminated(let deadline): deadline
            case .none, .killed: nil
            }
        let untilEnd = deadline.map { deadline in
            let left = (deadline - .now).components
            return left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1
        }
        let untilDue = machine.nextDeadline.map { $0 - HostInstant.now.monotonic }
        guard let wait = [untilEnd, untilDue].compactMap({ $0 }).min() else { return -1 }
        return Int32(clamping: max(0, wait))
    }

    private mutating func perform(_ fact: ACPFact) {
        for order in machine.handle(fact, at: .now) {
            switch order {
            case .toAgent(let bytes): toAgent.append(bytes)
            case .toEditor(let bytes): if client == nil { toEditor.append(bytes) } else { tellClient(.received(bytes)) }
            case .leftToEditor(let request): tellClient(.leftToUs(request))
            case .tell(let session, let event): reporter.put(.event(session, event))
            case .show(let session, let call, let text): reporter.show(session, call: call, text: text)
            case .ask(let question):
                reporter.put(.ask(question))
                tellClient(.asked(question))
            case .withdraw(let approval): reporter.put(.withdraw(approval))
            case .settled(let session, let approval, let outcome): reporter.put(.settled(session, approval, outcome))
            case .stands(let session, let stand): reporter.stand(session, stand)
            case .steered(let session, let change): reporter.put(.steered(session, change))
            case .leave: leave()
            case .turnFromAfarBegan(let text): tellClient(.turnFromAfarBegan(text))
            case .turnFromAfarEnded: tellClient(.turnFromAfarEnded)
            }
        }
    }

    // MARK: Without an editor

    private mutating func type(_ bytes: [UInt8]) {
        typed += bytes
        while let feed = typed.firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: typed[..<feed], as: UTF8.self)
            typed.removeFirst(feed + 1)
            tellClient(.typed(line))
        }
        // A terminal gives no longer line than 4 KiB.
        if typed.count > limits.child.bufferBytes { typed = [] }
    }

    private mutating func tellClient(_ fact: ACPClientMachine.Fact) {
        guard let orders = client?.handle(fact) else { return }
        for order in orders {
            switch order {
            case .send(let line): perform(.fromEditor(line))
            case .show(let text): toEditor.append(Array(text.utf8))
            case .finished(let failed):
                clientFailed = failed
                editorLeft()
            }
        }
    }
}

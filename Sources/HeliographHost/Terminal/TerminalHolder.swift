internal import AgentClaude
import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol

/// Holds the terminal of one program, with any number of people before it, on one thread that waits for whatever comes next.
///
/// The holder ends with the agent, and the agent with it. Windows that come and go, and a restarted daemon, change nothing.
struct TerminalHolder {
    private let name: String
    private let command: [String]
    private let socket: TerminalSocket
    private let limits = TerminalLimits()
    private var inbox: LoopInbox<RunItem>
    private var connections: [Int: HolderConnection] = [:]
    private var nextNumber = 1
    private var child: TerminalChild?
    private var toAgent = OutputBuffer(descriptor: -1)
    private var outputIsOpen = false
    private var screen = TerminalScreen(rows: 24, columns: 80)
    private var isScreenNew = false
    private var session: any HeldProgram
    private var looks: ScreenLooks
    /// The person's keys, held back while we type; nil while we do not.
    private var held: [UInt8]?
    /// True if some of the held input was typed by a person, not sent by the terminal itself.
    private var holdsKeys = false
    /// Time of the second of the two changes of size that make the agent redraw everything. If it has not drawn in between, it
    /// ignores both.
    private var redrawAt: Int64?
    private var nextLook: Int64
    private let startUntil: Int64
    private var end: (exit: Int32, drainUntil: Int64)?
    private let startedAt = HostInstant.now.wall

    init(
        name: String, command: [String], socket: TerminalSocket, session: (LoopInbox<RunItem>) throws -> any HeldProgram
    ) throws {
        self.name = name
        self.command = command
        self.socket = socket
        inbox = try LoopInbox()
        self.session = try session(inbox)
        looks = ScreenLooks(name: name)
        nextLook = Self.now
        startUntil = Self.now + Int64(limits.firstAttachWithin)
    }

    private static var now: Int64 { HostInstant.now.monotonic }

    /// Runs until the agent has ended, or no window came to see it start. Returns the exit status.
    mutating func run(_ signals: BlockedSignals) -> Int32 {
        let inbox = inbox
        guard BackgroundThread.start({ while true { inbox.put(.signal(signals.next().number)) } }) else { return 1 }
        while true {
            if let end, !outputIsOpen || Self.now >= end.drainUntil { return finish(end.exit) }
            if child == nil, end == nil, Self.now >= startUntil { return finish(1) }
            waitAndPass()
            let items = inbox.take()
            // Input that was taken together with the end did not reach the agent.
            for case .ended(let end) in items { ended(end) }
            for item in items { take(item) }
            onTime()
        }
    }

    // MARK: Waiting

    private mutating func waitAndPass() {
        let numbers = connections.keys.sorted()
        let readsAgent = outputIsOpen
        var entries = [
            pollfd(fd: inbox.pipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: connections.count < limits.connectionsMax ? socket.descriptor : -1, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: readsAgent ? child?.terminal ?? -1 : -1, events: Int16(POLLIN | (toAgent.count > 0 ? POLLOUT : 0)),
                revents: 0),
        ]
        for number in numbers {
            guard let connection = connections[number] else { continue }
            // Further input stays unread in the connection, so that nothing is lost.
            let reads = (held?.count ?? 0) < limits.heldBytes && toAgent.count < limits.inputBytes
            let events = (reads ? POLLIN : 0) | (connection.output.count > 0 ? POLLOUT : 0)
            entries.append(pollfd(fd: connection.descriptor, events: Int16(events), revents: 0))
        }
        guard unsafe poll(&entries, nfds_t(entries.count), milliseconds) > 0 else { return }
        if entries[2].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0 { readAgent() }
        toAgent.write(bytesMax: limits.writeBytes)
        for (place, number) in numbers.enumerated() where entries[place + 3].revents != 0 { serve(number) }
        if entries[1].revents != 0, let descriptor = socket.accept() {
            connections[nextNumber] = HolderConnection(descriptor)
            nextNumber += 1
        }
    }

    private var milliseconds: Int32 {
        var due = [nextLook, session.nextDeadline, redrawAt, end?.drainUntil, looks.nextDeadline].compactMap { $0 }
        if child == nil, end == nil { due.append(startUntil) }
        return Int32(clamping: max(0, (due.min() ?? Self.now) - Self.now))
    }

    private mutating func onTime() {
        let now = Self.now
        if let at = redrawAt, at <= now {
            redrawAt = nil
            fit()
        }
        if nextLook <= now {
            look()
            nextLook = now + Int64(session.isAtWork ? limits.lookOftenEvery : limits.lookEvery)
        }
        if let due = session.nextDeadline, due <= now { perform(.timerFired) }
        for (asker, shown) in looks.due(screen, at: now) { answer(asker, .screen(shown)) }
    }

    // MARK: The agent

    private mutating func start(rows: Int, columns: Int) {
        do throws(HostError) {
            let (variables, without) = session.variables(socket.path)
            let child = try TerminalChild(
                command, variables: variables, without: without, rows: rows, columns: columns)
            self.child = child
            toAgent = OutputBuffer(descriptor: child.terminal)
            outputIsOpen = true
            screen = TerminalScreen(rows: rows, columns: columns)
            session.began(process: child.process)
            let inbox = inbox
            if !BackgroundThread.start({ inbox.put(.ended(AgentChild.end(of: child.process))) }) {
                kill(child.process, SIGKILL)
            }
        } catch {
            sendAll(TerminalFrame(.message, Array("\(error.message)\r\n".utf8)))
            end = (error.shellStatus, Self.now)
        }
    }

    private mutating func readAgent() {
        guard let child, let bytes = PipeRead.bytes(from: child.terminal, max: limits.readBytes) else { return }
        guard !bytes.isEmpty else { return outputIsOpen = false }
        screen.take(bytes)
        screenChanged()
        redrawAt = redrawAt.map { min($0, Self.now + Int64(limits.redrawAfter)) }
        for number in connections.keys where connections[number]?.isAttached == true {
            connections[number]?.send(TerminalFrame(.output, bytes))
            write(number)
        }
        if session.isAtWork { look() }
    }

    private mutating func screenChanged() {
        isScreenNew = true
        looks.changed(at: Self.now)
    }

    /// Reads the agent's files before its screen: Enter is pressed according to what both show at this moment.
    private mutating func look() {
        guard child != nil else { return }
        for fact in session.look() { perform(fact) }
        guard isScreenNew || session.isAtWork else { return }
        isScreenNew = false
        perform(.shows(PromptBox(on: screen)))
    }

    private mutating func take(_ item: RunItem) {
        switch item {
        // Refused when the agent ended.
        case .steered where end != nil: break
        case .steered(let request):
            look()
            perform(.steered(request))
        case .signal: perform(.terminated)
        case .ended, .answeredAfar, .daemon, .openedElsewhere: break
        }
    }

    private mutating func ended(_ end: AgentEnd) {
        self.end = (end.exit, Self.now + Int64(limits.drainGrace))
        perform(.ended)
    }

    private mutating func perform(_ fact: TypingFact) {
        var facts = [fact]
        while !facts.isEmpty {
            for order in session.handle(facts.removeFirst(), at: Self.now) {
                switch order {
                case .write(let bytes): toAgent.append(bytes)
                case .hold: held = held ?? []
                case .release:
                    let bytes = held ?? []
                    held = nil
                    toAgent.append(bytes)
                    if holdsKeys { facts.append(.keyTyped) }
                    holdsKeys = false
                case .answer(let token, let refusal):
                    connections[token.number]?.send(TerminalFrame(.verdict, refusal.map(TakenPrompt.refusal) ?? []))
                    connections[token.number]?.isLeaving = true
                    write(token.number)
                case .hangUp: if let child, end == nil { kill(child.process, SIGHUP) }
                case .kill: if let child, end == nil { kill(child.process, SIGKILL) }
                case .followTranscript, .stand, .tell: preconditionFailure("the session takes these for itself")
                }
            }
        }
        toAgent.write(bytesMax: limits.writeBytes)
    }

    // MARK: Those who come

    private mutating func serve(_ number: Int) {
        write(number)
        guard let connection = connections[number],
            let bytes = PipeRead.bytes(from: connection.descriptor, max: limits.readBytes)
        else { return }
        guard !bytes.isEmpty else { return leave(number) }
        for frame in connections[number]?.reader.take(bytes) ?? [] { take(frame, from: number) }
        if connections[number]?.reader.isBroken == true { leave(number) }
    }

    private mutating func take(_ frame: TerminalFrame, from number: Int) {
        switch frame.kind {
        case .attach:
            guard let size = frame.size, connections[number]?.isAttached == false else { return leave(number) }
            connections[number]?.size = size
            attached(number)
        case .resize:
            guard let size = frame.size, connections[number]?.isAttached == true else { return leave(number) }
            connections[number]?.size = size
            fit()
        case .keys:
            guard connections[number]?.isAttached == true else { return leave(number) }
            type(frame.content, number)
        case .query:
            let said = TerminalFrame(.status, status)
            connections[number]?.send(said)
            connections[number]?.isLeaving = true
            write(number)
        case .prompt: prompted(frame.content, number)
        case .call:
            guard let call = TerminalQuestion(frame.content) else { return leave(number) }
            called(call, number)
        case .output, .message, .ended, .status, .verdict, .answer: leave(number)
        }
    }

    /// Handles a look or keys of a client, only for the current session: the client may have meant an earlier one.
    private mutating func called(_ call: TerminalQuestion, _ number: Int) {
        let asker = ScreenLooks.Asker(connection: number, question: call.number)
        guard child != nil, end == nil, session.session == call.session else {
            return answer(asker, .failed(.unavailable, "this session is not at its terminal any more"))
        }
        switch call.wish {
        case .look(let after):
            guard !looks.asked(asker, after: after, at: Self.now) else { return }
            answer(asker, .failed(.tooMany, "too many look at this terminal"))
        case .type(let keys, _):
            type(keys, number)
            answer(asker, .typed)
        }
    }

    private mutating func answer(_ asker: ScreenLooks.Asker, _ answer: ScreenAnswer) {
        connections[asker.connection]?.send(TerminalFrame(.answer, TerminalQuestion.answer(answer, to: asker.question)))
        write(asker.connection)
    }

    private mutating func type(_ bytes: [UInt8], _ number: Int) {
        let isKey = connections[number]?.keys.take(bytes) == true
        if held != nil {
            held?.append(contentsOf: bytes)
            holdsKeys = holdsKeys || isKey
            if isKey { perform(.keyHeld) }
            return
        }
        toAgent.append(bytes)
        if isKey { perform(.keyTyped) } else { toAgent.write(bytesMax: limits.writeBytes) }
    }

    private mutating func prompted(_ content: [UInt8], _ number: Int) {
        let feed = content.firstIndex(of: UInt8(ascii: "\n")) ?? content.endIndex
        // Another agent that this one started has the same environment, so the process is compared.
        guard let child, String(decoding: content[..<feed], as: UTF8.self) == "\(child.process)",
            let prompt = TakenPrompt(Array(content[min(feed + 1, content.endIndex)...]))
        else {
            connections[number]?.send(TerminalFrame(.verdict))
            connections[number]?.isLeaving = true
            return write(number)
        }
        let isProvable = session.reported(prompt)
        let id = HeldSession.id(prompt.session)
        perform(
            .prompted(prompt.text, in: id, mode: prompt.mode, isProvable: isProvable, TypingToken(number)))
    }

    private mutating func attached(_ number: Int) {
        guard let size = connections[number]?.size else { return }
        guard child != nil else { return start(rows: size.rows, columns: size.columns) }
        let replay = TerminalFrame(.output, screen.modes.replay)
        connections[number]?.send(replay)
        write(number)
        fit()
        // A program redraws everything when its size has changed.
        set(rows: max(1, screen.rows - 1), columns: screen.columns)
        redrawAt = Self.now + Int64(limits.redrawWithin)
    }

    /// Sets the size of the smallest window, so that every window shows the whole screen.
    private mutating func fit() {
        guard redrawAt == nil else { return }
        let sizes = connections.values.compactMap(\.size)
        guard let rows = sizes.map(\.rows).min(), let columns = sizes.map(\.columns).min() else { return }
        set(rows: rows, columns: columns)
    }

    private mutating func set(rows: Int, columns: Int) {
        guard (rows, columns) != (screen.rows, screen.columns) else { return }
        // The program will not draw outside of the smaller size again, so that area is cleared.
        sendAll(TerminalFrame(.output, Array("\u{1B}[2J".utf8)))
        child?.resize(rows: rows, columns: columns)
        screen.resize(rows: rows, columns: columns)
        screenChanged()
    }

    private mutating func write(_ number: Int) {
        let bytesMax = limits.writeBytes
        connections[number]?.output.write(bytesMax: bytesMax)
        guard let connection = connections[number] else { return }
        let isTooSlow = connection.output.count > limits.outputBytes
        if connection.output.isBroken || isTooSlow || (connection.isLeaving && connection.output.count == 0) { leave(number) }
    }

    private mutating func leave(_ number: Int) {
        guard let connection = connections.removeValue(forKey: number) else { return }
        close(connection.descriptor)
        looks.left(number)
        if connection.isAttached { fit() }
    }

    private mutating func sendAll(_ frame: TerminalFrame) {
        for number in connections.keys where connections[number]?.isAttached == true {
            connections[number]?.send(frame)
            write(number)
        }
    }

    private var status: [UInt8] {
        let listed = session.listed
        return JSONWriter.object {
            $0.field("id", name)
            $0.field("process", Int64(child?.process ?? 0))
            $0.field("session", listed.session)
            $0.field("shown", session.session)
            $0.field("doing", listed.doing)
            $0.field("program", listed.program)
            $0.field("directory", HeldSession.directory)
            $0.field("attached", Int64(connections.values.count(where: \.isAttached)))
            $0.field("startedAt", startedAt)
        }
    }

    // MARK: The end

    private mutating func finish(_ exit: Int32) -> Int32 {
        socket.close()
        sendAll(TerminalFrame(.ended, Array("\(exit)".utf8)))
        let until = Self.now + Int64(limits.farewellGrace)
        while connections.values.contains(where: { $0.output.count > 0 }), Self.now < until {
            let numbers = connections.keys.sorted()
            var entries = numbers.compactMap { connections[$0] }.map {
                pollfd(fd: $0.descriptor, events: Int16($0.output.count > 0 ? POLLOUT : 0), revents: 0)
            }
            unsafe _ = poll(&entries, nfds_t(entries.count), Int32(max(1, until - Self.now)))
            for (place, number) in numbers.enumerated() where entries[place].revents != 0 { write(number) }
        }
        for number in connections.keys { leave(number) }
        session.finish(exit: exit)
        return exit
    }
}

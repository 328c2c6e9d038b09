internal import AgentLocal
internal import Glibc
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol

/// `heliograph mcp`: the MCP server on standard input and output, until its client hangs up.
package struct MCPCall {
    private static let readBytes = 64 << 10
    /// Bytes of output that the client has not read; beyond this its requests are not read either.
    private static let bufferBytes = 4 << 20
    private static let writeBytes = 64 << 10

    private var machine: MCPMachine
    private let inbox: LoopInbox<MCPItem>
    private let reporter: MCPReporter
    private var output = OutputBuffer(descriptor: STDOUT_FILENO)
    private var line: [UInt8] = []
    /// True if the current line is too long; the rest of it is not kept.
    private var isOverlong = false

    /// Runs the server. Returns the exit status.
    package static func run(waitSeconds: Int64, version: String) throws -> Int32 {
        signal(SIGPIPE, SIG_IGN)
        guard let run = HookRequest.randomCall() else { throw HostError(.system, "the system gives no random bytes") }
        let inbox = try LoopInbox<MCPItem>()
        let signals = BlockedSignals(BlockedSignals.ending)
        let reporter = try MCPReporter(ProgramRequest(process: getpid()), inbox: inbox, limits: DaemonLimits())
        let isStarted =
            reporter.start()
            && BackgroundThread.start {
                _ = signals.next()
                inbox.put(.signal)
            }
        guard isStarted else { throw HostError(.system, "no thread could be started") }
        let machine = MCPMachine(
            session: "mcp-\(run.prefix(16))", folder: try folder(), version: version, waitSeconds: waitSeconds)
        var call = MCPCall(machine: machine, inbox: inbox, reporter: reporter)
        call.serve()
        reporter.finish()
        return 0
    }

    private static func folder() throws -> String {
        // The system allocates the path; it is freed below.
        guard let path = unsafe getcwd(nil, 0) else { throw HostError(.system, "this folder is gone") }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    private init(machine: MCPMachine, inbox: LoopInbox<MCPItem>, reporter: MCPReporter) {
        self.machine = machine
        self.inbox = inbox
        self.reporter = reporter
    }

    private mutating func serve() {
        while true {
            let isOpen = waitAndRead()
            for item in inbox.take() {
                guard case .fact(let fact) = item else { return perform(.closed) }
                perform(fact)
            }
            if let due = machine.nextDeadline, due <= HostInstant.now.monotonic { perform(.waited) }
            output.write(bytesMax: Self.writeBytes)
            guard isOpen, !output.isBroken else { return perform(.closed) }
        }
    }

    /// Waits for input and reads it. Returns false at the end of the input.
    private mutating func waitAndRead() -> Bool {
        var entries = [
            pollfd(fd: inbox.pipe.readEnd, events: Int16(POLLIN), revents: 0),
            pollfd(fd: output.count < Self.bufferBytes ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: STDOUT_FILENO, events: Int16(output.count > 0 ? POLLOUT : 0), revents: 0),
        ]
        let wait = machine.nextDeadline.map { Int32(clamping: max(0, $0 - HostInstant.now.monotonic)) } ?? -1
        guard unsafe poll(&entries, nfds_t(entries.count), wait) > 0 else { return true }
        if entries[2].revents & Int16(POLLERR | POLLNVAL) != 0 { return false }
        guard entries[1].revents != 0, let bytes = PipeRead.bytes(from: STDIN_FILENO, max: Self.readBytes) else { return true }
        take(bytes)
        return !bytes.isEmpty
    }

    private mutating func take(_ bytes: [UInt8]) {
        line += bytes
        while let feed = line.firstIndex(of: UInt8(ascii: "\n")) {
            let whole = Array(line[..<feed])
            line.removeFirst(feed + 1)
            if !isOverlong { perform(whole.count > MCPLimits.lineBytesMax ? .receivedTooMuch : .received(whole)) }
            isOverlong = false
        }
        guard line.count > MCPLimits.lineBytesMax else { return }
        if !isOverlong { perform(.receivedTooMuch) }
        isOverlong = true
        line = []
    }

    private mutating func perform(_ fact: MCPMachine.Fact) {
        for order in machine.handle(fact, at: .now) {
            switch order {
            case .send(let line): output.append(line)
            case .ask(let call, let body): reporter.ask(call, body)
            case .withdraw(let call): reporter.withdraw(call)
            case .post(let call, let what, let body): reporter.post(call, what, body)
            }
        }
    }
}

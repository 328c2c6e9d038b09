internal import Consent
internal import DeviceConsent
internal import HeliographLink
internal import Glibc
internal import Logging
internal import HeliographPlatform
internal import RelayAccess
internal import RelayProtocol
internal import WebSocketEngine

/// A command's own part, which runs on the loop's thread.
protocol ClientTask: AnyObject {
    /// True if a relay that does not answer at first ends the command, instead of being tried again.
    var givesUpEarly: Bool { get }
    func heard(_ news: RelayLink.News)
}

extension ClientTask {
    var givesUpEarly: Bool { true }
}

/// One running command: its loop, link, terminal, and outcome. Confined to the thread that runs it.
final class ClientRun {
    let options: ClientOptions
    let credentials: Credentials
    let terminal: Terminal
    private let loop: EventLoop
    private var connection: RelayConnection!
    private var task: (any ClientTask)?
    private var exit: ClientExit?
    private var lastTrouble: String?
    private(set) var wasUp = false

    var view: ClientView { connection.view }
    /// This client's id at the relay; nil until the relay has sent it.
    var client: ClientID? { connection.link.client }

    private init(_ options: ClientOptions, _ credentials: Credentials, _ terminal: Terminal, _ loop: EventLoop) {
        self.options = options
        self.credentials = credentials
        self.terminal = terminal
        self.loop = loop
    }

    /// Blocks until the task has ended.
    static func run(
        _ options: ClientOptions, _ makeTask: (ClientRun) throws(ClientError) -> any ClientTask
    ) -> ClientExit {
        let terminal = Terminal(environment: options.environment)
        let credentials: Credentials
        do { credentials = try Credentials.resolve(options) } catch {
            terminal.report(error)
            return error.exit
        }
        if credentials.relay.isOpenToOthers {
            terminal.remark("warning: \(credentials.relay) is not encrypted: others on the network can read the token", .yellow)
        }
        // The run is kept longer than the loop, which still reports closed connections while it is torn down.
        var kept: ClientRun?
        do {
            try EventLoop.run(logger: Logger(label: "client") { _ in SwiftLogNoOpLogHandler() }) { loop in
                let run = ClientRun(options, credentials, terminal, loop)
                kept = run
                loop.turnEnded = { [unowned run] in if run.terminal.outputEnd != nil { run.finish(.done) } }
                let keys = TerminalKeys(options)
                run.connection = RelayConnection(
                    loop: loop, credentials: credentials, software: options.software,
                    opener: ContentOpener {
                        (try? keys.book()).map { (try? keys.identity(), $0.hosts) }
                    } remembering: {
                        do throws(ClientError) { try keys.remember($0, sealsAs: $1, in: $2) } catch { terminal.report(error) }
                    }
                ) { [unowned run] in run.heard($0) }
                do throws(ClientError) {
                    // These files name the hosts that seal, so an unreadable file must not be taken for an empty one.
                    _ = try (keys.book(), keys.identity())
                    run.task = try makeTask(run)
                } catch { return run.fail(error) }
                run.connection.start()
            }
        } catch {
            terminal.report(ClientError(.failed, "\(error)"))
            return .failed
        }
        if case .failed(let number) = terminal.outputEnd {
            let fault = ClientError(.failed, "the output cannot be written: \(unsafe String(cString: strerror(number)))")
            terminal.report(fault)
            return fault.exit
        }
        return kept?.exit ?? .failed
    }

    private func heard(_ news: RelayLink.News) {
        guard exit == nil else { return }
        switch news {
        case .up: wasUp = true
        case .down(let reason, _):
            lastTrouble = reason
            if !wasUp, task?.givesUpEarly == true { return fail(unreachable) }
        case .over(let fault): return fail(ClientError(fault))
        default: break
        }
        task?.heard(news)
    }

    // MARK: - For tasks

    func follow(_ session: SessionID) { connection.follow(session) }
    func followAll() { connection.followAll() }
    func submit(_ command: ClientCommand) -> CommandID { connection.submit { _ in command } }
    /// Sends a command that contains its own id. Nothing is sent if it cannot be made.
    func submit<Fault: Error>(_ make: (CommandID) throws(Fault) -> ClientCommand) throws(Fault) -> CommandID {
        try connection.submit(make)
    }

    // MARK: Sealed content

    /// The action as it is sent: its words are sealed if its session's host seals.
    func sealed(_ action: SteeringAction, as id: CommandID, to session: SessionID) throws(ClientError) -> SteeringAction {
        try seal { opener throws(SealingError) in try opener.sealed(action, as: id, to: session) }
    }

    func sealed(
        _ verdict: Decision.Verdict, on approval: ApprovalID, of session: SessionID
    ) throws(ClientError) -> Decision.Verdict {
        try seal { opener throws(SealingError) in try opener.sealed(verdict, on: approval, of: session) }
    }

    /// The sealed picture; nil if the session's host does not seal.
    func sealed(picture: [UInt8], for session: SessionID) throws(ClientError) -> [UInt8]? {
        try seal { opener throws(SealingError) in try opener.sealed(picture: picture, for: session) }
    }

    private func seal<Sealed>(_ body: (inout ContentOpener) throws(SealingError) -> Sealed) throws(ClientError) -> Sealed {
        do throws(SealingError) { return try body(&connection.opener) } catch {
            throw ClientError(error, advice: connection.opener.advice.first)
        }
    }

    func remark(on seq: Int64, of session: SessionID) -> ContentRemark? { connection.opener.remark(on: seq, of: session) }

    /// Number of events missing in what was read of the session, because the relay did not send them.
    func missingCount(of session: SessionID) -> Int64 { connection.opener.missingCount(of: session) }

    /// Prints advice on how to open what this terminal cannot open.
    func remarkSealed() { for advice in connection.opener.advice { terminal.remark(advice, .yellow) } }

    func after(_ wait: Duration, _ body: @escaping () -> Void) { loop.schedule(after: wait, body) }

    /// Prints a result in words; beside JSON it goes to standard error.
    func say(_ text: String, _ style: Style) {
        if options.isJSON { terminal.remark(text, style) } else { terminal.print(terminal.palette.paint(text, style)) }
    }

    func finish(_ exit: ClientExit) {
        guard self.exit == nil else { return }
        self.exit = exit
        loop.stop()
    }

    func fail(_ fault: ClientError) {
        guard exit == nil else { return }
        terminal.report(fault)
        finish(fault.exit)
    }

    /// Ends the command with an error unless the relay has sent its sessions in time.
    func expectWorkspace() { expect { [unowned self] in view.isWorkspaceKnown } }

    /// Ends the command with an error unless `isMet` once the person's patience is over.
    func expect(_ isMet: @escaping () -> Bool) {
        let patience = options.patience
        after(patience) { [self] in
            if isMet() { return }
            fail(
                wasUp ? ClientError(.timedOut, "the relay did not answer within \(patience.components.seconds) s") : unreachable
            )
        }
    }

    var unreachable: ClientError {
        ClientError(
            .unreachable, "cannot reach \(credentials.relay)" + (lastTrouble.map { ": \($0)" } ?? ""),
            advice: "Is it running? “heliograph doctor” looks for the reason.")
    }

    /// Reads a line on another thread, so that the link stays alive while the person thinks. Nil at the end of the input.
    func readLine(_ body: @escaping (String?) -> Void) {
        let reply = LoopBound(body, loop: loop)
        let handle = loop.handle
        start {
            let line = Swift.readLine()
            handle.execute { reply.value(line) }
        }
    }

    /// Runs long work on another thread; if it fails, the command fails.
    func aside(_ work: @escaping @Sendable () throws(ClientError) -> Void, then body: @escaping () -> Void) {
        let ended = LoopBound(
            { [weak self] (fault: ClientError?) in if let fault { self?.fail(fault) } else { body() } }, loop: loop)
        let handle = loop.handle
        start {
            var fault: ClientError?
            do throws(ClientError) { try work() } catch { fault = error }
            let found = fault
            handle.execute { ended.value(found) }
        }
    }

    /// Makes Control-C and similar signals end the command successfully. Call it before any other thread starts.
    func finishOnInterrupt() {
        let signals = BlockedSignals(BlockedSignals.ending)
        let finish = LoopBound({ [weak self] in self?.finish(.done) }, loop: loop)
        let handle = loop.handle
        start {
            _ = signals.next()
            handle.execute { finish.value() }
        }
    }

    /// Ends the command when its output is not read any more, as by `| head`, even if nothing happens. For commands that may wait
    /// for ever.
    func finishWhenUnread() {
        let finish = LoopBound({ [weak self] in self?.finish(.done) }, loop: loop)
        let handle = loop.handle
        start {
            Terminal.waitUntilUnread()
            handle.execute { finish.value() }
        }
    }

    private func start(_ body: @escaping @Sendable () -> Void) {
        let isStarted = BackgroundThread.start(body)
        precondition(isStarted, "no thread can be started")
    }
}

internal import Consent
internal import DeviceConsent
internal import HeliographLink
internal import Glibc
internal import Logging
internal import HeliographPlatform
internal import RelayAccess
internal import RelayProtocol
internal import WebSocketEngine

/// A command's handling of its input, on the loop's thread.
protocol ClientTask: AnyObject {
    /// A relay that does not answer at first ends the command instead of being tried again.
    var givesUpEarly: Bool { get }
    func heard(_ news: RelayLink.News)
}

/// One running command: loop, link and terminal, and how it ended. Confined to the thread that runs it.
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
    /// This client as the relay calls it; nil until it has said so.
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
        // Outlives the loop, which still tells of closed connections while it is torn down.
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
                    // These files name the hosts that seal: an unreadable file is not taken for an empty one.
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
    /// For a command that its own id is a part of. Nothing is sent if it cannot be made.
    func submit<Fault: Error>(_ make: (CommandID) throws(Fault) -> ClientCommand) throws(Fault) -> CommandID {
        try connection.submit(make)
    }

    // MARK: Sealed content

    /// As it goes out: its words are sealed if its session's host seals.
    func sealed(_ action: SteeringAction, as id: CommandID, to session: SessionID) throws(ClientError) -> SteeringAction {
        try seal { opener throws(SealingError) in try opener.sealed(action, as: id, to: session) }
    }

    func sealed(
        _ verdict: Decision.Verdict, on approval: ApprovalID, of session: SessionID
    ) throws(ClientError) -> Decision.Verdict {
        try seal { opener throws(SealingError) in try opener.sealed(verdict, on: approval, of: session) }
    }

    /// Nil if the session's host does not seal.
    func sealed(picture: [UInt8], for session: SessionID) throws(ClientError) -> [UInt8]? {
        try seal { opener throws(SealingError) in try opener.sealed(picture: picture, for: session) }
    }

    private func seal<Sealed>(_ body: (inout ContentOpener) throws(SealingError) -> Sealed) throws(ClientError) -> Sealed {
        do throws(SealingError) { return try body(&connection.opener) } catch {
            throw ClientError(error, advice: connection.opener.advice.first)
        }
    }

    func remark(on seq: Int64, of session: SessionID) -> ContentRemark? { connection.opener.remark(on: seq, of: session) }

    /// In what was read of the session: the relay did not bring them.
    func missingCount(of session: SessionID) -> Int64 { connection.opener.missingCount(of: session) }

    /// Says how to get at what this terminal cannot open.
    func remarkSealed() { for advice in connection.opener.advice { terminal.remark(advice, .yellow) } }

    func after(_ wait: Duration, _ body: @escaping () -> Void) { loop.schedule(after: wait, body) }

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

    /// Ends the command unless it has what it needs by then.
    func expect(within patience: Duration, _ isMet: @escaping () -> Bool) {
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

    /// Reads a line on a thread of its own, so that the link stays alive while somebody thinks. Nil: the input has ended.
    func readLine(_ body: @escaping (String?) -> Void) {
        let reply = LoopBound(body, loop: loop)
        let handle = loop.handle
        start {
            let line = Swift.readLine()
            handle.execute { reply.value(line) }
        }
    }

    /// Runs long work on a thread of its own; if that fails, so does the command.
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

    /// Control-C and its kin end the command as if it were done. Call it before any other thread starts.
    func finishOnInterrupt() {
        let signals = BlockedSignals(BlockedSignals.ending)
        let finish = LoopBound({ [weak self] in self?.finish(.done) }, loop: loop)
        let handle = loop.handle
        start {
            _ = signals.next()
            handle.execute { finish.value() }
        }
    }

    /// `| head` has seen enough, also while nothing happens. For commands that wait for what may never come.
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

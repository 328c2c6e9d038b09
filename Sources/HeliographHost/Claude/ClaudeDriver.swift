internal import AgentClaude
internal import AgentLocal
internal import HeliographHook
internal import HeliographPlatform
internal import HostCore
internal import RelayProtocol
internal import WebSocketEngine

/// Reads Claude Code's hooks and files: the registry of its sessions, transcripts, task lists, and the files that questions are
/// about.
final class ClaudeDriver: HookDriver, ProgramDriver {
    /// Time to read the file that a question is about: a disk answers in a millisecond. After it the question is asked without the
    /// file, as the terminal's own dialog is open already.
    private static let lookWithin = Duration.milliseconds(250)
    /// Files read at a time, each on its own thread; once this many hang on a disk, no more are started.
    private static let looksMax = 4

    private let seat: DriverSeat
    private var registry = RegistryReader()
    private var transcripts = TranscriptTail()
    private var prices: PricesReader
    private var unheard = UnheardSessions()
    /// Questions that wait for the content of their file.
    private var looks: [HookToken: (hook: ClaudeHook, timer: TimerID?)] = [:]
    private var looksUnderWay = 0
    private let starter: ClaudeStarter

    init(_ seat: DriverSeat, _ paths: HostPaths = HostPaths()) {
        self.seat = seat
        prices = PricesReader(paths)
        starter = ClaudeStarter(seat)
        watchUnheard()
    }

    private func watchUnheard() {
        _ = seat.loop.schedule(after: UnheardSessions.every) { [weak self] in
            guard let self else { return }
            for found in unheard.look() { tell(.unheardFound(found)) }
            watchUnheard()
        }
    }

    private func tell(_ fact: ClaudeFact) { seat.tell(fact) }

    // MARK: Orders

    func carryOut(_ order: any Sendable) {
        guard let order = order as? ClaudeOrder else { preconditionFailure("the host gives each driver its own orders") }
        switch order {
        case .readTasks(let session, let directory): tell(.tasksRead(session, TaskFiles.read(directory)))
        case .readRegistry(let files):
            for (session, change) in registry.changes(in: files) {
                switch change {
                case .entry(let entry): tell(.registryRead(session, entry))
                case .gone: tell(.registryRead(session, nil))
                }
            }
        case .findOpen: tell(.openFound(unheard.open()))
        case .followTranscript(let session, let path): transcripts.follow(session, path)
        case .readTranscript(let session):
            let lines = transcripts.lines(of: session, with: ["hook_permission_decision"])
            if !lines.isEmpty { tell(.transcriptRead(session, lines)) }
        case .readTranscriptEnd(let request):
            if let changed = prices.changed() { tell(.pricesRead(changed)) }
            tell(.transcriptEndRead(request, TranscriptReader.end(for: request)))
        case .sendMessage(let message): send(message)
        case .launch(let launch, let holder):
            if let holder, AgentProcessTable.isAlive(holder) {
                return tell(.launched(launch.name, .refused(LiveSessions.refusal(process: holder.id))))
            }
            starter.launch(launch)
        }
    }

    private func send(_ message: ClaudePeerMessage) {
        let (bound, handle) = (LoopBound(seat, loop: seat.loop), seat.loop.handle)
        let isStarted = BackgroundThread.start {
            let refusal = PeerSocket.send(message)
            handle.execute {
                bound.value.tell(ClaudeFact.messageSent(message.name, message.session, refusal: refusal))
            }
        }
        if !isStarted {
            tell(.messageSent(message.name, message.session, refusal: "the host could start no thread"))
        }
    }

    // MARK: Hooks

    func answers(_ event: String) -> Bool {
        [ClaudeHooks.awaited, ClaudeHooks.beforeTool, ClaudeHooks.elicitation].contains(event)
    }

    func hookCalled(_ report: HookReport) {
        var hook = ClaudeHook(event: report.event, payload: report.payload, process: report.process)
        hook.isWhole = report.isWhole
        hook.isAttended = report.isAttended
        hook.isRun = report.isRun
        if report.event == ClaudeHooks.beforeTool {
            if !report.isAttended {
                // A program that cannot be looked at may be one that answers.
                let arguments = report.process.flatMap { AgentProcessTable.arguments(of: $0.id) }
                hook.isAnsweredByProgram = arguments.map(ClaudeHook.isAnsweredByProgram) ?? true
            }
            // Such a program is reckoned with already, and the settings files need not be read.
            if !hook.isAnsweredByProgram {
                let folder = hook.payload.root.text("cwd")
                hook.hasOtherAnswerer = ClaudeHookPolicy.inForce(in: folder).hasOtherAnswerer
            }
        }
        hook.dialogWaits = report.dialogWaits
        hook.attempt = report.attempt
        hook.run = report.run
        hook.token = report.token
        if report.event == "SessionStart", let folder = hook.payload.root.text("cwd") {
            hook.checkout = CheckoutReader.read(folder, home: HostPaths.variable("HOME"))
        }
        if report.event == ClaudeHooks.awaited, let path = ClaudeFile.path(of: hook.payload.root) {
            ask(hook, about: path)
        } else {
            tell(.hookCalled(hook))
        }
    }

    func wordLeft(_ event: String, _ payload: JSONDocument) {
        tell(.hookCalled(ClaudeHook(event: event, payload: payload, process: nil)))
    }

    func statusLineShown(_ line: JSONDocument, process: AgentProcess?) { tell(.statusLineShown(line, process: process)) }

    // MARK: Programs

    func requested(_ what: String, _ body: [UInt8], by process: AgentProcess?, _ token: HookToken) -> Bool {
        do throws(WireError) {
            // The local socket has already chosen the driver by the session's adapter.
            guard let (name, word, run) = try SteeredWord.read(what, body), let session = SessionID(name) else { return false }
            tell(.programSaid(word, session, by: run, in: process, token))
        } catch {
            seat.refuse(token, LocalError(error))
        }
        return true
    }

    func callerGone(_ token: HookToken) { forget(token) }

    // MARK: What is asked about a file waits a moment for that file

    private func ask(_ hook: ClaudeHook, about path: String) {
        guard let token = hook.token, looksUnderWay < Self.looksMax else {
            tell(.hookCalled(hook.with(ClaudeFile(content: .unread(.late)))))
            return
        }
        let timer = seat.loop.schedule(after: Self.lookWithin) { [unowned self] in
            looks[token]?.timer = nil
            looked(token, ClaudeFile(content: .unread(.late)))
        }
        looks[token] = (hook, timer)
        let (bound, handle) = (LoopBound(self, loop: seat.loop), seat.loop.handle)
        let folder = hook.payload.root.text("cwd")
        let isStarted = BackgroundThread.start {
            let file = FileLook.read(path, in: folder)
            handle.execute {
                bound.value.looksUnderWay -= 1
                bound.value.looked(token, file)
            }
        }
        if isStarted { looksUnderWay += 1 } else { looked(token, ClaudeFile(content: .unread(.late))) }
    }

    private func looked(_ token: HookToken, _ file: ClaudeFile) {
        guard let hook = forget(token) else { return }
        tell(.hookCalled(hook.with(file)))
    }

    /// Ends the wait for a hook's file: the caller is gone, or the hook is reported now.
    @discardableResult
    private func forget(_ token: HookToken) -> ClaudeHook? {
        guard let look = looks.removeValue(forKey: token) else { return nil }
        if let timer = look.timer { seat.loop.cancel(timer) }
        return look.hook
    }
}

extension ClaudeHook {
    fileprivate func with(_ file: ClaudeFile) -> ClaudeHook {
        var hook = self
        hook.file = file
        return hook
    }
}

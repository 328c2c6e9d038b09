internal import AgentClaude
internal import Foundation
internal import Glibc
internal import HeliographCrypto
internal import HeliographPlatform
internal import HostCore
internal import Logging
internal import RelayProtocol
internal import WebSocketEngine

/// The one daemon of a machine: what is wired to what, on one event loop.
///
/// ```
/// hook ─unix socket─▶ ClaudeAdapter ─▶ Spool ─▶ LinkMachine ═websocket═▶ relay
///  ▲                      ▲                        │
///  └──── respond ─────────┴────── decided ─────────┘
/// ```
final class HostDaemon {
    let configuration: HostConfiguration
    let logger: Logger
    let loop: EventLoop
    let spool: Spool
    var adapter: ClaudeAdapter
    var link: LinkMachine
    /// The connection to the relay, while there is one.
    var connection: ConnectionID?
    var welcomeTimer: TimerID?
    /// Something may be to send since the last flush was armed.
    var hasNews = false
    private var flushTimer: TimerID?
    private var adapterTimer: (due: Int64, id: TimerID)?
    private var listener: Listener?
    private var isStopping = false
    /// Where in the spool the open approvals were asked.
    var asked: [String: (session: SessionID, seq: Int64)] = [:]
    /// Sessions of which the disk did not take an event.
    var sessionsWithGaps: Set<SessionID> = []
    var diskTimer: TimerID?
    var hasUnsavedHolds = false
    private var registry = RegistryReader()
    private var transcripts = TranscriptTail()
    /// Questions that wait for what their file holds.
    var looks: [HookToken: (hook: ClaudeHook, timer: TimerID?)] = [:]
    var looksUnderWay = 0

    /// Deltas are dropped when so much waits for the relay already.
    static let streamBacklogMax = 256 << 10
    /// From the first news to sending: hooks get their answers before the disk is waited for, and what comes close together
    /// goes together.
    static let flushAfter = Duration.milliseconds(1)
    /// For the close handshake at the end.
    static let stopWithin = Duration.seconds(1)

    static func run(_ configuration: HostConfiguration, logger: Logger) throws {
        try Files.makePrivateDirectory(configuration.stateDirectory)
        let lock = try DirectoryLock(configuration.stateDirectory)
        let disk = try FileSpoolDisk(configuration.stateDirectory + "/spool")
        let spool = try Spool(disk: disk, limits: configuration.spool) { logger.log($0) }
        let service = ServiceManager(environment: ProcessInfo.processInfo.environment)
        let signals = SignalSwitch()
        try SignalWatch.start(stopOnly: true) { signals.fire($0) }
        var settings = EventLoop.Configuration()
        settings.name = "heliograph-host"
        try EventLoop.run(settings, logger: logger) { loop in
            let daemon = HostDaemon(configuration, spool, loop, logger)
            try daemon.start()
            service.map { loop.report(to: $0) }
            let bound = LoopBound(daemon, loop: loop)
            let handle = loop.handle
            signals.arm { _ in
                handle.execute {
                    service?.tell(.stopping)
                    bound.value.stop()
                }
            }
        }
        logger.info("stopped")
        withExtendedLifetime(lock) {}
    }

    private init(_ configuration: HostConfiguration, _ spool: Spool, _ loop: EventLoop, _ logger: Logger) {
        self.configuration = configuration
        self.spool = spool
        self.loop = loop
        self.logger = logger
        let digests = Digests { Crypto.hex(Crypto.sha256($0)) }
        adapter = ClaudeAdapter(home: configuration.home, digests: digests, at: .now)
        link = LinkMachine(software: configuration.software, name: configuration.name, limits: configuration.link)
    }

    private func start() throws {
        spool.isNeeded = { [unowned self] in adapter.isLive($0) }
        loop.turnEnded = { [unowned self] in
            armFlush()
            if spool.isFailing { armDiskRetry() }
        }
        tell(.daemonStarted(notes: spool.index.notes))
        restoreHolds()
        listener = try loop.listen(localSocket, handler: self)
        drive(.started)
        logger.info(
            "started",
            metadata: ["relay": "\(configuration.relay)", "spool.events": "\(spool.index.pendingCount)"])
    }

    /// Hooks that wait keep waiting: they call the next daemon again.
    func stop() {
        guard !isStopping else {
            loop.stop()
            return
        }
        isStopping = true
        logger.info("stopping")
        listener?.close()
        do { try spool.synchronize() } catch { logger.error("the spool is not on disk", metadata: ["error": "\(error)"]) }
        guard let connection else {
            loop.stop()
            return
        }
        flush()
        loop.close(connection, code: CloseCode.goingAway.rawValue, reason: "the host stops")
        loop.schedule(after: Self.stopWithin) { [unowned self] in loop.stop() }
    }

    // MARK: The adapter

    /// Gives the adapter a fact and carries out its orders: what is to be known later first, answers after it.
    func tell(_ input: ClaudeInput) {
        let effects = adapter.handle(input, at: .now)
        let isRecorded = record(effects)
        for effect in effects {
            switch effect {
            case .emit, .remember: break
            case .stream(let delta): stream(delta)
            // What is not known to be written down has not been decided.
            case .respond(let token, let output): respond(token, isRecorded ? output : nil)
            case .restrict(let token, let output): respond(token, output)
            case .own(let order): carryOut(order)
            case .checkAgents(let processes):
                for process in processes where !AgentProcessTable.isAlive(process) { tell(.agentGone(process)) }
            }
        }
        armAdapterTimer()
    }

    private func carryOut(_ order: ClaudeOrder) {
        switch order {
        case .readTasks(let session, let directory): tell(.tasksRead(session, TaskFiles.read(directory)))
        case .readRegistry(let files): readRegistry(files)
        case .followTranscript(let session, let path): transcripts.follow(session, path)
        case .readTranscript(let session):
            let lines = transcripts.lines(of: session, with: "hook_permission_decision")
            if !lines.isEmpty { tell(.transcriptRead(session, lines)) }
        case .readTranscriptEnd(let request):
            tell(.transcriptEndRead(request, TranscriptReader.end(of: request.path)))
        }
    }

    func tell(_ fact: ClaudeFact) { tell(.own(fact)) }

    private func readRegistry(_ files: [ClaudeRegistryFile]) {
        for (session, change) in registry.changes(in: files) {
            switch change {
            case .entry(let entry): tell(.registryRead(session, entry))
            case .gone: tell(.registryRead(session, nil))
            }
        }
    }

    private func armFlush() {
        guard hasNews, flushTimer == nil, link.isLive else { return }
        hasNews = false
        flushTimer = loop.schedule(after: Self.flushAfter) { [unowned self] in
            flushTimer = nil
            flush()
        }
    }

    private func armAdapterTimer() {
        let due = adapter.nextDeadline
        guard due != adapterTimer?.due else { return }
        if let timer = adapterTimer { loop.cancel(timer.id) }
        adapterTimer = due.map { due in
            let wait = max(1, due - HostInstant.now.monotonic)
            let id = loop.schedule(after: .milliseconds(wait)) { [unowned self] in
                adapterTimer = nil
                tell(.timerFired)
            }
            return (due, id)
        }
    }

    /// The link closed after we asked for it.
    func linkEnded() { if isStopping { loop.stop() } }

    var isEnding: Bool { isStopping }
}

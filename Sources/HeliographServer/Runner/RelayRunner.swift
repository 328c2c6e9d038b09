import Dispatch
import Logging
import HeliographPlatform
import RelayCore
import RelayModel
import RelayNode
import RelayProtocol
import WebSocketEngine

/// Passes input to the core and carries out its effects, and its machine's orders about the store. Confined to the loop's thread.
final class RelayRunner {
    private let connections: PeerConnections
    /// The core's own loop.
    private let loop: EventLoop
    private var core: CoreMachine
    /// The backlog that the core last reported.
    private var backlog = Relay.Backlog()
    private let log: any SessionLog & Sendable
    /// Loads the log's content again.
    private let readLog: @Sendable () throws -> LogState
    private let measures: Measures
    private let logger: Logger
    private let commits: CommitQueue
    private var commitDelay = CommitDelay()
    let store: StoreHealth
    private let reads = DispatchQueue(label: "heliograph.reads")
    private let mailbox: CoreMailbox
    private let pushes: PushRunner
    private let pairing: PairingDesk
    private let pictures: PictureShelf
    private let remover: WorkspaceRemover
    /// Clients over HTTP, each for one command.
    private let httpPeers: HTTPCommandPeers
    /// Called with true while new peers are refused.
    private let shutOut: (Bool) -> Void
    private var timers: [RelayTimer: TimerID] = [:]
    /// Time at which each quota was last logged, so that an agent that asks without end does not fill the log.
    private var quotasTold: [Quota: ContinuousClock.Instant] = [:]
    /// This object, for closures that run on other threads; nil until `start`.
    private var bound: LoopBound<RelayRunner>?
    /// Called when the core has ended and no commit is under way.
    private var whenReleased: (@Sendable () -> Void)?
    /// Messages and bytes since the last tick, which are counted in metrics together.
    private var sent = (messages: 0, bytes: 0)
    /// Called when the store was read again, so that tokens are read again, too.
    var wasReadAnew: () -> Void = {}
    /// Latest time until which other cores of the process may wait for a crowd; nil: none waits.
    var lastCrowdEnd: () -> MonotonicTime? = { nil }
    /// Number of the present core: answers for an earlier one are ignored.
    private var life = 0

    init(
        loop: EventLoop, connections: PeerConnections, configuration: Relay.Configuration, log: any SessionLog & Sendable,
        upkeep: any StoreUpkeep,
        epochs: Epochs, workspaces: any WorkspaceStore, state: LogState, load: @escaping @Sendable () throws -> LogState,
        mailbox: CoreMailbox, pushes: PushRunner, pairing: PairingDesk,
        pictures: PictureShelf, httpPeers: HTTPCommandPeers, shutOut: @escaping (Bool) -> Void, measures: Measures,
        logger: Logger
    ) {
        self.loop = loop
        self.connections = connections
        self.log = log
        readLog = load
        commits = CommitQueue(log)
        remover = WorkspaceRemover(workspaces, commits, loop, logger)
        store = StoreHealth(upkeep, commits, loop, logger)
        core = CoreMachine(
            Relay(configuration: configuration, epochs: epochs, state: state, boot: Boot.name, at: .now))
        self.mailbox = mailbox
        self.pushes = pushes
        self.pairing = pairing
        self.pictures = pictures
        self.httpPeers = httpPeers
        self.shutOut = shutOut
        self.measures = measures
        self.logger = logger
    }

    func start(holders: Set<ClientKey>, limits: [WorkspaceID: WorkspaceLimits] = [:]) {
        bound = LoopBound(self, loop: loop)
        store.start()
        logDamage()
        run(core.begin(at: .now, holders: holders, limits: limits))
    }

    private func logDamage() {
        for record in core.relay.damagedRecords {
            logger.error("a stored record does not decode; the relay goes on without it", metadata: ["record": "\(record)"])
        }
    }

    /// Handles an input, after the earlier ones that wait in the mailbox.
    func feed(_ input: Input, at now: Instant = .now) {
        takeMail(at: now)
        handle(input, at: now)
    }

    private func takeMail(at now: Instant) { for fact in mailbox.take() { handle(fact, at: now) } }

    private func handle(_ input: Input, at now: Instant) {
        // In this order: a look at the core copies it.
        if store.isShortOfRoom || store.isFailing, case .hostSent(let peer, .events) = input, core.isServing {
            return postpone(peer)
        }
        run(core.handle(input, at: now))
    }

    /// Refuses a host's message with a notice, on which the host sends it again later.
    private func postpone(_ peer: PeerID) {
        let reason = store.isShortOfRoom ? "the relay's disk is full" : "the relay's store takes no writes"
        let notice = Notice(code: ErrorCode.unavailable.rawValue, message: "\(reason); try again")
        send(MessageToHost.notice(notice).bytes, to: [peer])
    }

    /// Ends the core for good: new peers are asked to reconnect to the next relay.
    func leave() { tell(.leaveOrdered) }

    /// Another node owns the core's workspaces, or is about to: no input is accepted any more. `then` is called, on another thread,
    /// when no commit is under way any more.
    func giveUp(then: @escaping @Sendable () -> Void) {
        whenReleased = then
        pushes.end()
        store.stop()
        tell(.endOrdered)
        // A commit under way retains this object until it has ended.
        bound = nil
    }

    private func tell(_ fact: CoreMachine.Fact) {
        let orders = core.handle(fact, at: .now)
        backlog = core.backlog()
        for order in orders { carryOut(order) }
    }

    private func carryOut(_ order: CoreMachine.Order) {
        switch order {
        case .run(let effects): run(effects)
        case .shutOut(let isShut): shutOut(isShut)
        case .dismiss(let hosts, let clients):
            let window = ReturnWindow(peers: hosts.count + clients.count)
            for peer in hosts { close(peer, .restarting, comeBackWithin: window.forHosts) }
            for peer in clients { close(peer, .restarting, comeBackWithin: window.forClients) }
        case .forget: forget()
        case .loadLater(let milliseconds):
            loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in self?.tell(.loadFellDue) }
        case .load: load()
        case .beginAgain:
            store.readAnew()
            logger.notice("the store has been read again")
            logDamage()
            run(core.beginAgain(at: .now))
            wasReadAnew()
        case .release:
            if let whenReleased { commits.after(whenReleased) }
            whenReleased = nil
        }
    }

    private func forget() {
        life += 1
        store.givenUp()
        pushes.suspend()
        for timer in timers.values { loop.cancel(timer) }
        timers = [:]
    }

    /// True if no peer is connected.
    var isIdle: Bool { core.relay.peers.isEmpty }

    /// Bytes of accepted events that are not on disk.
    var uncommittedBytes: Int { backlog.bytes }
    var stagedCost: Int { backlog.stagedCost }
    /// True if there are accepted events that are in no batch yet.
    var isStaging: Bool { backlog.isStaging }
    /// True if the next commit should wait for more input, if the loop waits. Not if peers at edges or on other loops wait for the
    /// end of the turn, as they would send more only after it; nor if the core has input left.
    var isGathering: Bool {
        isStaging && commitDelay.isGathering(backlog) && !connections.isGathering && mailbox.isEmpty
    }
    /// Time until which the next commit may wait for a crowd; nil: it does not wait.
    var crowdEnd: MonotonicTime? { commitDelay.crowdEnd }

    /// This core's wish for the next tick, if the loop could delay that.
    func tickWish(at now: MonotonicTime) -> TickWish {
        var wish = TickWish(waitsForCrowd: commitDelay.waitsForCrowd(at: now))
        if !mailbox.isEmpty {
            wish.tick = .now
        } else if isStaging, !backlog.isCommitting {
            wish.tick = isGathering ? .later : .now
        }
        return wish
    }
    var census: RelayCensus { core.relay.census }
    var sessionCount: Int { core.relay.sessionCount }
    var workspaceEventBytes: [Int64] { core.relay.workspaceEventBytes }
    var workspaceSessionBytes: [WorkspaceID: Int] { core.relay.workspaceSessionBytes }
    var overfullWorkspaceCount: Int { core.relay.overfullWorkspaceCount }
    var openApprovalCount: Int { core.relay.openApprovalCount }
    var damagedRecords: Int { core.relay.damagedRecords.count }

    /// Waits until every ordered batch is on disk. Called at the end, when no loop runs any more.
    func finishCommits() { commits.finish() }

    /// Carries out the relay's effects.
    private func run(_ effects: [Effect]) {
        backlog = core.backlog()
        var isCommitBegun = false
        for effect in effects {
            switch effect {
            case .send(let bytes, let peers): send(bytes, to: peers)
            case .answer(let reply, let command, let peer): httpPeers.answered(reply, to: command, of: peer)
            case .close(let peer, let code): close(peer, code)
            case .append(let batch):
                commit(batch)
                isCommitBegun = true
            case .read(let id, let query): read(id) { .pageRead(id, try $0.page(query)) }
            case .readRemovedSessions(let id, let keys): read(id) { .removedSessionsRead(id, try $0.places(of: keys)) }
            case .readApproval(let id, let key, let approval):
                read(id) { .approvalRead(id, try $0.approval(approval, of: key)) }
            case .findPictures(let peer, let request, let key):
                pictures.find(request.action.pictures, of: key) { [weak self] in
                    self?.feed(.picturesFound(peer, request, $0))
                }
            case .armTimer(let timer, let after): arm(timer, after: after)
            case .cancelTimer(let timer):
                if let id = timers.removeValue(forKey: timer) { loop.cancel(id) }
            case .push(let order): pushes.push(order)
            case .withdrawPush(let push): pushes.withdraw(push)
            case .quotaReached(let quota): reached(quota)
            case .historyRemoved(let removals): removals.forEach(removed)
            case .used(let sum): measures.used(sum)
            case .clockJudged(let ahead): judgedClock(aheadBy: ahead)
            case .workspaceLeft(let workspace): remover.remove(workspace)
            case .makePairingCode(let peer, let command, let role, let workspace):
                pairing.makeCode(for: peer, command, role, workspace)
            }
        }
        // By now the disk's thread is working, and this one would only wait for it.
        if isCommitBegun { core.prepare() }
    }

    private func send(_ bytes: [UInt8], to peers: [PeerID]) {
        connections.send(bytes, to: peers)
        sent.messages += peers.count
        sent.bytes += peers.count * bytes.count
    }

    /// Called at the end of a turn.
    func tickEnded() {
        feed(.tickEnded)
        guard sent.messages > 0 else { return }
        measures.sent(messages: sent.messages, bytes: sent.bytes)
        sent = (0, 0)
    }

    /// Closes a peer's connection. Without a time to reconnect, the peer waits longer each time: a failing disk must not be tried
    /// twice a second.
    private func close(_ peer: PeerID, _ code: CloseCode, comeBackWithin milliseconds: ClosedRange<Int64>? = nil) {
        if peer.isCommandPeer { return httpPeers.closed(peer) }
        let reason = milliseconds.map { CloseCode.restarting(inMilliseconds: .random(in: $0)) } ?? code.reason
        connections.close(ConnectionID(rawValue: peer.rawValue), code: code.rawValue, reason: reason)
    }

    private func reached(_ quota: Quota) {
        measures.reached(quota)
        let now = ContinuousClock.now
        if let told = quotasTold[quota], now - told < ServerLimits.noticeInterval { return }
        quotasTold[quota] = now
        logger.notice("refuses what is one too many", metadata: ["limit": "\(quota.setting)"])
    }

    private func removed(_ removal: Removal) {
        measures.removed(removal)
        var metadata: Logger.Metadata = [
            "reason": "\(removal.reason.rawValue)", "sessions": "\(removal.sessions)", "events": "\(removal.events)",
        ]
        if let oldest = removal.oldest { metadata["oldest"] = "\(WallClock.text(oldest))" }
        logger.notice("removed history that is not to be kept", metadata: metadata)
    }

    private func judgedClock(aheadBy milliseconds: Int64?) {
        measures.judgedClock(isBelieved: milliseconds == nil)
        guard let milliseconds else { return logger.notice("the clock is believed: history ages by it") }
        logger.error(
            "the clock has jumped: history does not age by it until `heliograph clock --confirm`, or three days have passed",
            metadata: ["aheadSeconds": "\(milliseconds / 1000)", "clock": "\(WallClock.text(WallClock.milliseconds))"])
    }

    /// A person confirms that the machine's clock is right. False if it was trusted anyway.
    func confirmClock() -> Bool {
        guard core.isServing, core.relay.clockDoubt != nil else { return false }
        feed(.clockConfirmed)
        return true
    }

    /// Milliseconds by which the clock is ahead of the time that retention uses; nil if it is trusted.
    var clockDoubt: Int64? { core.relay.clockDoubt }

    private func arm(_ timer: RelayTimer, after milliseconds: Int64) {
        if let id = timers.removeValue(forKey: timer) { loop.cancel(id) }
        timers[timer] = loop.schedule(after: .milliseconds(milliseconds)) { [weak self] in
            self?.timers[timer] = nil
            self?.feed(.timerFired(timer))
        }
    }

    // MARK: - The store

    private func commit(_ batch: LogBatch) {
        guard let bound else { preconditionFailure("effects come after the start") }
        let handle = loop.handle
        if commitDelay.begun() { loop.putOffTick(atMostUntil: lastCrowdEnd()) }
        let begun = DispatchTime.now()
        store.batchBegun()
        let events = batch.appends.reduce(0) { $0 + $1.events.count }
        commits.commit(batch) { outcome in
            handle.execute { bound.value.commitEnded(outcome, batch, events: events, since: begun) }
        }
    }

    private func commitEnded(_ outcome: CommitTries.Outcome, _ batch: LogBatch, events: Int, since begun: DispatchTime) {
        defer { store.batchEnded() }
        // Instead of `core.isServing`, which would copy the core: only a core that serves has a commit under way.
        guard backlog.isCommitting else { return tell(.commitEnded(outcome)) }
        let nanoseconds = DispatchTime.now().uptimeNanoseconds - begun.uptimeNanoseconds
        takeMail(at: .now)
        switch outcome {
        case .committed:
            measures.commitEnded(events: events, nanoseconds: nanoseconds, succeeded: true)
            store.batchCommitted()
            connections.largestCrowd = 0
            tell(.commitEnded(outcome))
            let wait = commitDelay.committed(
                events: events, in: Int64(clamping: nanoseconds), backlog, crowd: connections.largestCrowd, at: .now)
            if wait > 0 { loop.putOffTick(forNanoseconds: wait) }
            return
        case .refused(let error):
            store.batchRefused(bytes: batch.eventBytes)
            logger.error("the store refused a batch", metadata: ["error": "\(error)", "events": "\(events)"])
        case .unknown(let error):
            logger.critical(
                "the store cannot say what it holds: all peers are disconnected until it can", metadata: ["error": "\(error)"])
        }
        measures.commitEnded(events: events, nanoseconds: nanoseconds, succeeded: false)
        commitDelay.failed()
        tell(.commitEnded(outcome))
    }

    private func load() {
        guard let bound else { preconditionFailure("effects come after the start") }
        let (load, handle) = (readLog, loop.handle)
        commits.after {
            let result = Result { try load() }
            handle.execute { bound.value.loaded(result) }
        }
    }

    private func loaded(_ result: Result<LogState, any Error>) {
        switch result {
        case .success(let state): tell(.loaded(state, boot: Boot.name))
        case .failure(let error):
            logger.error("the store cannot be read yet", metadata: ["error": "\(error)"])
            tell(.loadFailed)
        }
    }

    // MARK: - Reading the log

    private func read(_ id: ReadID, _ look: @escaping @Sendable (any SessionLog) throws -> Input) {
        guard let bound else { preconditionFailure("effects come after the start") }
        let (log, handle, life) = (log, loop.handle, life)
        reads.async {
            let result = Result { try look(log) }
            handle.execute { bound.value.readEnded(id, of: life, result) }
        }
    }

    private func readEnded(_ id: ReadID, of life: Int, _ result: Result<Input, any Error>) {
        guard life == self.life else { return }
        switch result {
        case .success(let input): feed(input)
        case .failure(let error as LogError) where error.code == .damaged(.record):
            logger.error("the requested data is damaged, and was not sent", metadata: ["error": "\(error)"])
            feed(.readFailed(id, reason: error.message, isLasting: true))
        case .failure(let error):
            logger.error("the store refused a read", metadata: ["error": "\(error)"])
            feed(.readFailed(id, reason: "the relay's store cannot be read; try again", isLasting: false))
        }
    }
}

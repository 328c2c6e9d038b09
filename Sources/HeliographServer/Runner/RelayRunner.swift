import Dispatch
import Logging
import HeliographPlatform
import RelayCore
import RelayModel
import RelayProtocol
import WebSocketEngine

/// Feeds the core with what happened and does what it orders. Lives on the loop's thread.
final class RelayRunner {
    private let connections: PeerConnections
    /// The one that this lives on.
    private let loop: EventLoop
    private var relay: Relay
    /// As the relay last told.
    private var backlog = Relay.Backlog()
    private let configuration: Relay.Configuration
    private let log: any SessionLog & Sendable
    private let epochs: Epochs
    /// Reads the log's content again.
    private let load: @Sendable () throws -> LogState
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
    /// Those who are clients over HTTP for one command.
    private let httpPeers: HTTPCommandPeers
    /// Called with true while new peers are refused.
    private let shutOut: (Bool) -> Void
    /// The clients that hold a token, as last told; for every life of the relay.
    private var holders: Set<ClientKey> = []
    private var timers: [RelayTimer: TimerID] = [:]
    /// When the log last said so: an agent that asks without end shall not fill it.
    private var quotasTold: [Quota: ContinuousClock.Instant] = [:]
    /// Nil until `start`.
    private var bound: LoopBound<RelayRunner>?
    /// The store's content is unknown. All peers are disconnected until it has been read again.
    private(set) var isSuspended = false { didSet { shutOut(isSuspended || isLeaving) } }
    /// The relay ends.
    private(set) var isLeaving = false { didSet { shutOut(isSuspended || isLeaving) } }
    /// For good: another node owns what this was the core of, or is about to.
    private var isOver = false
    /// Messages since the last tick, which are counted together.
    private var sent = (messages: 0, bytes: 0)
    /// Workspaces that were removed, as far as was told; for every life of the relay.
    private var removedWorkspaces: Set<WorkspaceID> = []
    /// The store was read again: who may come in has to be, too.
    var wasReadAnew: () -> Void = {}
    /// Until when other cores of the process may be kept waiting for a crowd, at the latest; nil: none is.
    var lastCrowdEnd: () -> MonotonicTime? = { nil }
    /// Number of this relay: answers for an earlier one are not for this.
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
        self.configuration = configuration
        self.log = log
        self.load = load
        self.epochs = epochs
        commits = CommitQueue(log)
        remover = WorkspaceRemover(workspaces, commits, loop, logger)
        store = StoreHealth(upkeep, commits, loop, logger)
        relay = Relay(configuration: configuration, epochs: epochs, state: state, boot: Boot.name, at: .now)
        self.mailbox = mailbox
        self.pushes = pushes
        self.pairing = pairing
        self.pictures = pictures
        self.httpPeers = httpPeers
        self.shutOut = shutOut
        self.measures = measures
        self.logger = logger
    }

    func start(holders: Set<ClientKey>) {
        bound = LoopBound(self, loop: loop)
        self.holders = holders
        store.start()
        begin()
    }

    private func begin() {
        for record in relay.damagedRecords {
            logger.error("a stored record does not decode; the relay goes on without it", metadata: ["record": "\(record)"])
        }
        run(relay.started(at: .now, holders: holders))
        // Removals that an earlier life did not complete.
        for workspace in removedWorkspaces.sorted(by: { $0.rawValue < $1.rawValue }) {
            run(relay.handle(.workspaceRemoved(workspace), at: .now))
        }
    }

    /// After all that waits in the mailbox, which has happened before it.
    func feed(_ input: Input, at now: Instant = .now) {
        for fact in mailbox.take() { handle(fact, at: now) }
        handle(input, at: now)
    }

    private func handle(_ input: Input, at now: Instant) {
        if case .clientsListed(let holders) = input { self.holders = holders }
        if case .workspaceRemoved(let workspace) = input { removedWorkspaces.insert(workspace) }
        if isSuspended { return turnAway(input) }
        if store.isShortOfRoom || store.isFailing, case .hostSent(let peer, .events) = input { return postpone(peer) }
        run(relay.handle(input, at: now))
    }

    /// A host sends again what it hears this of.
    private func postpone(_ peer: PeerID) {
        let reason = store.isShortOfRoom ? "the relay's disk is full" : "the relay's store takes no writes"
        let notice = Notice(code: ErrorCode.unavailable.rawValue, message: "\(reason); try again")
        send(MessageToHost.notice(notice).bytes, to: [peer])
    }

    /// For good: a peer that comes now is to come back to the next relay.
    func leave() {
        isLeaving = true
        dismissEveryone()
    }

    /// Another node has what this was the core of, or is about to: nothing is taken in any more. `then` is called, on another thread, when
    /// nothing is being committed any more.
    func giveUp(then: @escaping @Sendable () -> Void) {
        isLeaving = true
        if !isSuspended { stop() }
        isOver = true
        pushes.end()
        store.stop()
        // Commits in flight retain the runner until they complete.
        bound = nil
        commits.after(then)
    }

    /// Asks every peer to leave and come back with its position: hosts first, then the clients, each at a moment of its own.
    private func dismissEveryone() {
        let peers = relay.peers
        let window = ReturnWindow(peers: peers.count)
        for peer in peers { close(peer, .restarting, comeBackWithin: relay.isHost(peer) ? window.forHosts : window.forClients) }
    }

    /// True if no peer is connected any more.
    var isIdle: Bool { relay.peers.isEmpty }

    /// Bytes of events that were taken in and are not on disk.
    var uncommittedBytes: Int { isSuspended ? 0 : backlog.bytes }
    var stagedCost: Int { isSuspended ? 0 : backlog.stagedCost }
    /// Events were taken in that no commit has yet.
    var isStaging: Bool { !isSuspended && backlog.isStaging }
    /// True if the next commit should wait for more input, if the loop waits. Not if peers at edges or on other loops wait for the end of
    /// the turn, as they would say more only after it; nor if the core has input left.
    var isGathering: Bool {
        isStaging && commitDelay.isGathering(backlog) && !connections.isGathering && mailbox.isEmpty
    }
    /// Until when the next commit may be kept waiting for a crowd; nil: it is not.
    var crowdEnd: MonotonicTime? { commitDelay.crowdEnd }

    /// This core's reason for the next tick, if the loop could delay that.
    func tickWish(at now: MonotonicTime) -> TickWish {
        var wish = TickWish(waitsForCrowd: commitDelay.waitsForCrowd(at: now))
        if !mailbox.isEmpty {
            wish.tick = .now
        } else if isStaging, !backlog.isCommitting {
            wish.tick = isGathering ? .later : .now
        }
        return wish
    }
    var census: RelayCensus { relay.census }
    var sessionCount: Int { relay.sessionCount }
    var openApprovalCount: Int { relay.openApprovalCount }
    var damagedRecords: Int { relay.damagedRecords.count }

    /// Waits until everything that was ordered is on disk. For the end, when no loop answers any more.
    func finishCommits() { commits.finish() }

    /// Carries out the relay's orders.
    private func run(_ effects: [Effect]) {
        backlog = relay.backlog()
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
            case .clockJudged(let ahead): judgedClock(aheadBy: ahead)
            case .workspaceLeft(let workspace): remover.remove(workspace)
            case .makePairingCode(let peer, let command, let role, let workspace):
                pairing.makeCode(for: peer, command, role, workspace)
            }
        }
        // By now the disk's thread is at work, and this one would only wait for it.
        if isCommitBegun { relay.prepare() }
    }

    private func send(_ bytes: [UInt8], to peers: [PeerID]) {
        connections.send(bytes, to: peers)
        sent.messages += peers.count
        sent.bytes += peers.count * bytes.count
    }

    /// The turn is over.
    func tickEnded() {
        feed(.tickEnded)
        guard sent.messages > 0 else { return }
        measures.sent(messages: sent.messages, bytes: sent.bytes)
        sent = (0, 0)
    }

    /// Without a moment to come back at, a peer waits longer from time to time: a disk that takes nothing is not to be asked twice a second.
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
        logger.notice("refuses what is one too many", metadata: ["limit": "limits.\(quota.rawValue)"])
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

    /// A person confirms that the machine's clock is right. False if it was not in doubt.
    func confirmClock() -> Bool {
        guard !isSuspended, relay.clockDoubt != nil else { return false }
        feed(.clockConfirmed)
        return true
    }

    /// Milliseconds by which the clock is ahead of the time that history ages by; nil if it is trusted.
    var clockDoubt: Int64? { relay.clockDoubt }

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
        let (handle, life) = (loop.handle, life)
        if commitDelay.begun() { loop.putOffTick(atMostUntil: lastCrowdEnd()) }
        let begun = DispatchTime.now()
        store.batchBegun()
        let events = batch.appends.reduce(0) { $0 + $1.events.count }
        commits.commit(batch) { outcome in
            handle.execute { bound.value.commitEnded(outcome, of: life, batch, events: events, since: begun) }
        }
    }

    private func commitEnded(
        _ outcome: CommitQueue.Outcome, of life: Int, _ batch: LogBatch, events: Int, since begun: DispatchTime
    ) {
        guard life == self.life, !isSuspended else { return store.batchEnded() }
        let nanoseconds = DispatchTime.now().uptimeNanoseconds - begun.uptimeNanoseconds
        switch outcome {
        case .committed(let namesTaken):
            measures.commitEnded(events: events, nanoseconds: nanoseconds, succeeded: true)
            store.batchCommitted()
            if !namesTaken.isEmpty { feed(.namesTaken(namesTaken)) }
            connections.largestCrowd = 0
            feed(.committed)
            let wait = commitDelay.committed(
                events: events, in: Int64(clamping: nanoseconds), backlog, crowd: connections.largestCrowd, at: .now)
            if wait > 0 { loop.putOffTick(forNanoseconds: wait) }
        case .refused(let error):
            measures.commitEnded(events: events, nanoseconds: nanoseconds, succeeded: false)
            commitDelay.failed()
            store.batchRefused(bytes: batch.eventBytes)
            logger.error("the store refused a batch", metadata: ["error": "\(error)", "events": "\(events)"])
            feed(.commitFailed(reason: "the relay's store takes no writes; try again"))
        case .unknown(let error):
            measures.commitEnded(events: events, nanoseconds: nanoseconds, succeeded: false)
            commitDelay.failed()
            logger.critical(
                "the store cannot say what it holds: all peers are disconnected until it can", metadata: ["error": "\(error)"])
            suspend()
        }
        store.batchEnded()
    }

    // MARK: - Reading the store again

    /// The state in memory may no longer be the one on disk. All peers are disconnected and come back with a position, hosts send again
    /// what was not acknowledged, and a new relay begins with the store's content: a restart without a new process.
    private func suspend() {
        stop()
        retryLoading()
    }

    private func stop() {
        isSuspended = true
        store.givenUp()
        pushes.suspend()
        dismissEveryone()
        for timer in timers.values { loop.cancel(timer) }
        timers = [:]
    }

    private func retryLoading() {
        loop.schedule(after: Self.loadRetryInterval) { [weak self] in
            if self?.isOver == false { self?.reload() }
        }
    }

    private func reload() {
        guard let bound else { preconditionFailure("effects come after the start") }
        let (load, handle) = (load, loop.handle)
        commits.after {
            let result = Result { try load() }
            handle.execute { bound.value.reloaded(result) }
        }
    }

    private func reloaded(_ result: Result<LogState, any Error>) {
        guard !isOver else { return }
        switch result {
        case .success(let state):
            life += 1
            relay = Relay(configuration: configuration, epochs: epochs, state: state, boot: Boot.name, at: .now)
            isSuspended = false
            store.readAnew()
            logger.notice("the store has been read again")
            begin()
            wasReadAnew()
        case .failure(let error):
            logger.error("the store cannot be read yet", metadata: ["error": "\(error)"])
            retryLoading()
        }
    }

    /// Peers that had come through the admission just before it closed.
    private func turnAway(_ input: Input) {
        switch input {
        case .hostConnected(let peer, _), .clientConnected(let peer, _), .codePresented(let peer, _, _, _):
            close(peer, .restarting)
        default: break
        }
    }

    private static let loadRetryInterval = Duration.seconds(1)

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
        guard life == self.life, !isSuspended else { return }
        switch result {
        case .success(let input): feed(input)
        case .failure(let error as LogError) where error.code == .damaged(.record):
            logger.error("what is asked for is damaged, and not shown", metadata: ["error": "\(error)"])
            feed(.readFailed(id, reason: error.message, isLasting: true))
        case .failure(let error):
            logger.error("the store refused a read", metadata: ["error": "\(error)"])
            feed(.readFailed(id, reason: "the relay's store cannot be read; try again", isLasting: false))
        }
    }
}

package import PushPlanner
package import RelayModel
package import RelayProtocol

/// The relay as a pure machine: facts go in, effects come out.
///
/// The life of one event: `hostSent` stages it (`Sessions/`), `tickEnded` appends what the tick staged in one batch, `committed`
/// shows it (`Subscriptions/`). Nothing is visible before it is committed: every session has a staged and a committed view, and
/// only the committed one is ever sent.
package struct Relay {
    package let configuration: Configuration
    /// The current epoch of each workspace's log.
    package let epochs: Epochs

    var presence = Presence()
    var sessions: Sessions
    var subscriptions: Subscriptions
    var commands: Commands
    var letters = Letters()
    var screens = Screens()
    var allowances: Allowances
    var fullness = Fullness()
    var budgets: Budgets
    var costs: Costs
    var sweep: RetentionSweep
    /// Positions from which removed sessions would continue.
    var removed: RemovedSessions
    /// The push planner, with devices, cards and pushes.
    package internal(set) var planner: PushPlanner

    /// Changes staged in this tick, and below those being committed.
    var staging = Staging()
    var committing: Staging?
    var ages: AgeClock
    /// Lead of the wall clock over retention's time, as last reported; nil if the wall clock is trusted.
    private var toldDoubt: Int64?

    /// The clients that have a token; nil: all.
    var holders: Set<ClientKey>?

    /// Removed workspaces, whose data is dropped when no batch is under way.
    var leaving: Set<WorkspaceID> = []

    /// Effects collected while one input is handled.
    var orders = Orders()

    /// Starts from the state in the log; run the effects of `started(at:)` first. `boot` identifies the machine's start, from which
    /// the steady clock counts.
    package init(configuration: Configuration, epochs: Epochs, state: LogState, boot: String, at now: Instant) {
        self.configuration = configuration
        self.epochs = epochs
        let retention = configuration.retention
        allowances = Allowances(configuration.quotas, ageMax: retention.ageMax, bytesMax: retention.bytesMax)
        sessions = Sessions(restoring: state, configuration.quotas, allowances)
        subscriptions = Subscriptions(epochs: epochs)
        commands = Commands(restoring: state.commands, configuration.quotas)
        budgets = Budgets(restoring: state.records)
        costs = Costs(restoring: state.records, sessions: state.sessions)
        sweep = RetentionSweep(allowances)
        removed = RemovedSessions(state.removed, isComplete: !state.hasMoreRemoved)
        var push = configuration.push
        push.pushesPerDay = configuration.quotas.pushesPerDayPerWorkspace
        planner = PushPlanner(push, firstWorkspace: epochs.first, restoring: state.records)
        ages = AgeClock(after: state.clock, newest: state.sessions.map(\.state.touchedAt).max(), boot: boot, at: now)
        shrinkRemovedSessions()
    }

    /// `holders`: the clients that have a token; nil: all. `limits`: those of single workspaces.
    package mutating func started(
        at now: Instant, holders: Set<ClientKey>? = nil, limits: [WorkspaceID: WorkspaceLimits] = [:]
    ) -> [Effect] {
        self.holders = holders
        allow(limits, at: now)
        sweep.started(at: now)
        tellDoubt()
        startBudgets(at: now)
        sessions.started(at: now, &orders)
        orders.add(.armTimer(.housekeeping, after: Limits.housekeepingInterval))
        orders.add(.armTimer(.trim, after: Limits.trimAfterStart))
        tellPlanner(.started(holders: holders), at: now)
        return orders.take()
    }

    package mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
        if planner.isBehindClock(at: now) { tellPlanner(.clockWasSet, at: now) }
        ages.follow(now)
        switch input {
        case .hostConnected(let peer, let identity): presence.hostConnected(peer, identity)
        case .clientConnected(let peer, let identity): clientConnected(peer, identity)
        case .hostSent(let peer, let message): hostSent(message, by: peer, at: now)
        case .clientSent(let peer, let message): clientSent(message, by: peer, at: now)
        case .hostSentBadMessage(let peer, let error): orders.send(.notice(Notice(error)), toHost: peer)
        case .clientSentBadMessage(let peer, let error): refuse(error, of: peer)
        case .disconnected(let peer): disconnected(peer, at: now)
        case .congested(let peer): subscriptions.congested(peer, &orders)
        case .drained(let peer): subscriptions.drained(peer, seeing: shown, &orders)
        case .tickEnded:
            subscriptions.sendDueSnapshots(seeing: shown, &orders)
            appendStaged(at: now)
        case .namesTaken(let names): sessions.withdraw(names, at: now, aged: ages.time(at: now), &staging, &orders)
        case .committed: committed(at: now)
        case .commitFailed(let reason): commitFailed(reason, at: now)
        case .pageRead(let read, let page): subscriptions.pageRead(read, page, seeing: shown, &orders)
        case .approvalRead(let read, let approval): approvalRead(read, approval)
        case .removedSessionsRead(let read, let places): removedSessionsRead(read, places)
        case .picturesFound(let peer, let request, let finding): picturesFound(finding, request, peer, at: now)
        case .readFailed(let read, let reason, let isLasting): readFailed(read, reason, isLasting: isLasting)
        case .timerFired(.approvalExpiry(let key, let approval)):
            sessions.expire(ApprovalName(key, approval), at: now, aged: ages.time(at: now), &staging, &orders)
        case .timerFired(.housekeeping): keepHouse(at: now)
        case .timerFired(.trim): sweep.fallsDue()
        case .timerFired(.dayEnd):
            turnDay(at: now)
            armDayEnd(at: now)
        case .timerFired(.congestion(let peer)): orders.add(.close(peer, .tooSlow))
        case .timerFired(.snapshotPage): subscriptions.pageIsDue(seeing: shown, &orders)
        case .timerFired(.push(let timer)): tellPlanner(.timerFired(timer), at: now)
        case .pushAnswered(let push, let outcome): tellPlanner(.pushAnswered(push, outcome), at: now)
        case .pushAddressMoved(let push, let address): tellPlanner(.addressMoved(push, address), at: now)
        case .pushWayChanged: tellPlanner(.pushWayChanged, at: now)
        case .codePresented(let peer, let command, let push, let verdict, let signature):
            tellPlanner(.codePresented(push, verdict, command, peer, signature: signature), at: now)
        case .pairingAnswered(let peer, let command, let answer):
            if presence.clients[peer] != nil { orders.reply(answer, to: command, of: peer) }
        case .clockConfirmed:
            ages.confirm(at: now)
            staging.clock = ages.record
            sweep.fallsDue()
        case .clientsListed(let holders):
            self.holders = holders
            presence.showOut(allBut: holders, &orders)
            for (host, peer) in presence.speakers.sorted(by: { $0.value < $1.value }) { takeBackSteering(of: host, peer) }
            tellPlanner(.clientsListed(holders), at: now)
        case .workspaceRemoved(let workspace): workspaceRemoved(workspace, at: now)
        case .limitsListed(let limits): limitsListed(limits, at: now)
        case .connectionRefused(let workspace): tell(.connections, in: workspace, at: now)
        }
        tellDoubt()
        return orders.take()
    }

    /// Lead of the wall clock over the time that retention uses, in milliseconds; nil if the wall clock is trusted.
    package var clockDoubt: Int64? { ages.doubt }

    private mutating func tellDoubt() {
        // A lead that only grows by the clocks' drift is not reported again.
        guard (ages.doubt == nil) != (toldDoubt == nil) else { return }
        toldDoubt = ages.doubt
        orders.add(.clockJudged(aheadBy: toldDoubt))
    }

    /// Records of the planner, of budgets and of costs that do not decode, by kind and name: kept unchanged, and not used.
    package var damagedRecords: [String] { planner.damaged + budgets.damaged + costs.damaged }

    /// Every connection that the core knows of.
    package var peers: [PeerID] { Array(presence.hosts.keys) + Array(presence.clients.keys) }

    /// Input that waits for the disk.
    package struct Backlog: Equatable {
        /// Bytes of events that are not on disk.
        package var bytes = 0
        /// Approximate bytes that the next batch would write.
        package var stagedCost = 0
        /// True if something waits for the next batch.
        package var isStaging = false
        /// True if a batch is under way: the next one starts after it.
        package var isCommitting = false
        /// Number of events that wait for the next batch.
        package var stagedEvents = 0
        /// True if a person or an agent waits for the next batch.
        package var isAwaited = false

        package init() {}
    }

    /// The input that waits. Mutating, though it changes nothing: otherwise an object in another module that holds the relay would
    /// copy it first, which costs as much as accepting an event.
    package mutating func backlog() -> Backlog {
        var backlog = Backlog()
        backlog.bytes = staging.eventBytes + (committing?.eventBytes ?? 0)
        backlog.stagedCost = staging.cost
        backlog.isStaging = !staging.isEmpty
        backlog.isCommitting = committing != nil
        backlog.stagedEvents = staging.eventCount
        backlog.isAwaited = staging.isAwaited
        return backlog
    }

    package func isHost(_ peer: PeerID) -> Bool { presence.hosts[peer] != nil }

    // MARK: - For its extensions

    /// The committed state of each session: the only views that are ever shown.
    var shown: CommittedSessions { sessions.shown }

    func welcome(to workspace: WorkspaceID) -> Welcome {
        Welcome(software: configuration.software, epoch: epochs[workspace], heartbeat: configuration.heartbeat)
    }

    mutating func stage(_ event: Event, in key: SessionKey, at now: Instant) {
        sessions.stage(event, in: key, at: now, aged: ages.time(at: now), &staging, &orders)
    }

    /// `bytes`: the message, if it is encoded already.
    mutating func sendToWatchers(
        _ message: @autoclosure () -> MessageToClient, made bytes: [UInt8]? = nil, of key: SessionKey
    ) {
        subscriptions.sendToWatchers(message(), made: bytes, of: key, seeing: sessions.shown, &orders)
    }

    mutating func showSummary(of key: SessionKey) {
        if let view = shown[key] { sendToWatchers(.summary(view.summary), of: key) }
    }
}

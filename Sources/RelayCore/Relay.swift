package import PushPlanner
package import RelayModel
package import RelayProtocol

/// The relay as a pure machine: facts go in, orders come out.
///
/// One event goes: `hostSent` stages it (`Sessions/`), `tickEnded` appends what the tick staged in one batch, `committed`
/// shows it (`Subscriptions/`). Nothing is visible before it is committed: every session has a staged and a committed view, and
/// only the committed one is ever sent.
package struct Relay {
    package let configuration: Configuration
    /// Which life of the log this is.
    package let epoch: Epoch

    var sessions: [SessionKey: Session] = [:]
    var presence = Presence()
    var subscriptions: Subscriptions
    var commands: Commands
    var sessionsOfHosts: [HostKey: Set<SessionKey>] = [:]
    /// What is on disk of each session: the only views that are ever shown.
    var shown = CommittedSessions()
    /// Sessions with an open approval, and some that had one.
    var asking: [WorkspaceID: Set<SessionKey>] = [:]
    /// Where the sessions that retention removed would go on.
    var removed: RemovedSessions
    var removedSessionsReads: [ReadID: RemovedSessionsRead] = [:]

    /// What this tick has staged, and what is being committed.
    var staging = Staging()
    var committing: Staging?
    /// When each armed expiry is due, by `Instant.uptime`: a machine that slept fires its timers late.
    var expiries: [ApprovalName: Int64] = [:]
    var budgets = Budgets()
    /// Retention has something to let go of with the next batch.
    var isTrimDue = false
    /// When a session that there is no room for may next make retention look for some, by `Instant.uptime`.
    var roomSoughtAgainAt = Int64.min
    /// What was removed and not told yet.
    var removals = RemovalTally()
    /// The last step of retention is in the batch that is being committed: then what was removed is told.
    var isRemovalToldNext = false
    var ages: AgeClock
    /// As last told: what the wall clock is ahead of history's time; nil where it is believed.
    private var toldDoubt: Int64?

    /// Devices, cards and pushes.
    package internal(set) var planner: PushPlanner

    /// Collected while one input is handled.
    var orders = Orders()

    package struct Configuration: Sendable {
        /// Named in `welcome`.
        package var software: String
        package var heartbeat: Heartbeat
        package var retention: Retention
        package var quotas: Quotas
        package var push: PushSettings
        /// RemovedSessions of removed sessions that are kept at hand.
        package var removedSessionsMax: Int

        package init(
            software: String, heartbeat: Heartbeat, retention: Retention = Retention(), quotas: Quotas = Quotas(),
            push: PushSettings = PushSettings(), removedSessionsMax: Int = Limits.removedSessionsMax
        ) {
            self.software = software
            self.heartbeat = heartbeat
            self.retention = retention
            self.quotas = quotas
            self.push = push
            self.removedSessionsMax = removedSessionsMax
        }
    }

    /// Starts from what the log holds; run the effects of `started(at:)` first. `boot` says which start of the machine the steady clock
    /// counts from.
    package init(configuration: Configuration, epoch: Epoch, state: LogState, boot: String, at now: Instant) {
        self.configuration = configuration
        self.epoch = epoch
        subscriptions = Subscriptions(epoch: epoch)
        commands = Commands(restoring: state.commands)
        ages = AgeClock(after: state.clock, newest: state.sessions.map(\.state.touchedAt).max(), boot: boot, at: now)
        planner = PushPlanner(configuration.push, restoring: state.records)
        removed = RemovedSessions(state.removed, isComplete: !state.hasMoreRemoved)
        for (key, stored) in state.sessions {
            var state = stored
            // Nobody is connected to a relay that has just started, whatever was true when this was stored.
            state.summary.hostIsConnected = false
            shown.put(SessionView(state: state), for: key)
            sessionsOfHosts[HostKey(workspace: key.workspace, host: state.summary.host.id), default: []].insert(key)
        }
        for (workspace, approval) in state.approvals {
            let key = SessionKey(workspace: workspace, session: approval.session)
            shown.update(key) { $0.approvals.put(approval) }
            if !approval.stage.isFinal { asking[workspace, default: []].insert(key) }
        }
        for (key, view) in shown.views { sessions[key] = Session(key: key, staged: view) }
        budgets = Budgets(restoring: state.records)
        shrinkRemovedSessions()
    }

    /// `holders`: who holds a token of a client; nil: everybody.
    package mutating func started(at now: Instant, holders: Set<ClientKey>? = nil) -> [Effect] {
        tellDoubt()
        startBudgets(at: now)
        for key in sessions.keys.sorted() {
            for approval in shown[key]?.approvals.openInOrder ?? [] {
                armExpiry(of: approval, in: key, at: now)
            }
        }
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
        case .hostSentBadMessage(let peer, let error): send(.notice(Notice(error)), toHost: peer)
        case .clientSentBadMessage(let peer, let error): refuse(error, of: peer)
        case .disconnected(let peer): disconnected(peer, at: now)
        case .congested(let peer): subscriptions.congested(peer, &orders)
        case .drained(let peer): subscriptions.drained(peer, seeing: shown, &orders)
        case .tickEnded:
            subscriptions.sendDueSnapshots(seeing: shown, &orders)
            appendStaged(at: now)
        case .namesTaken(let names): withdraw(names, at: now)
        case .committed: committed(at: now)
        case .commitFailed(let reason): commitFailed(reason, at: now)
        case .pageRead(let read, let page): subscriptions.pageRead(read, page, seeing: shown, &orders)
        case .approvalRead(let read, let approval): approvalRead(read, approval)
        case .removedSessionsRead(let read, let places): removedSessionsRead(read, places)
        case .readFailed(let read, let reason, let isLasting):
            if removedSessionsReadFailed(read, reason) { break }
            subscriptions.readFailed(read, reason, isLasting: isLasting, seeing: shown, &orders)
        case .timerFired(.approvalExpiry(let key, let approval)): expire(approval, in: key, at: now)
        case .timerFired(.housekeeping): keepHouse(at: now)
        case .timerFired(.trim): isTrimDue = true
        case .timerFired(.congestion(let peer)): orders.add(.close(peer, .tooSlow))
        case .timerFired(.push(let timer)): tellPlanner(.timerFired(timer), at: now)
        case .pushAnswered(let push, let outcome): tellPlanner(.pushAnswered(push, outcome), at: now)
        case .pushWayChanged: tellPlanner(.pushWayChanged, at: now)
        case .codePresented(let peer, let command, let push, let verdict):
            tellPlanner(.codePresented(push, verdict, command, peer), at: now)
        case .clockConfirmed:
            ages.confirm(at: now)
            staging.clock = ages.record
            isTrimDue = true
        case .clientsListed(let holders):
            presence.showOut(allBut: holders, &orders)
            tellPlanner(.clientsListed(holders), at: now)
        }
        tellDoubt()
        return orders.take()
    }

    /// What the wall clock is ahead of the time that history ages by, in milliseconds; nil where it is believed.
    package var clockDoubt: Int64? { ages.doubt }

    private mutating func tellDoubt() {
        // It grows by a machine's drift, which is no news.
        guard (ages.doubt == nil) != (toldDoubt == nil) else { return }
        toldDoubt = ages.doubt
        orders.add(.clockJudged(aheadBy: toldDoubt))
    }

    /// Records of the planner and of budgets that do not decode, by kind and name: left where they are, and out of everything.
    package var damagedRecords: [String] { planner.damaged + budgets.damaged }

    /// Every connection that the core knows of.
    package var peers: [PeerID] { Array(presence.hosts.keys) + Array(presence.clients.keys) }

    /// Bytes of events that were taken in and are not on disk.
    package var uncommittedBytes: Int { staging.eventBytes + (committing?.eventBytes ?? 0) }

    /// About how many bytes the next batch would write.
    package var stagedCost: Int { staging.cost }

    /// Something waits for the next batch.
    package var isStaging: Bool { !staging.isEmpty }

    package func isHost(_ peer: PeerID) -> Bool { presence.hosts[peer] != nil }

    // MARK: - Sending

    mutating func send(_ message: MessageToHost, toHost peer: PeerID) { orders.send(message, toHost: peer) }

    mutating func send(_ message: MessageToClient, to peers: [PeerID]) { orders.send(message, to: peers) }

    mutating func reply(_ reply: Reply, to command: CommandID, of peer: PeerID) { orders.reply(reply, to: command, of: peer) }

    mutating func sendToWatchers(_ message: @autoclosure () -> MessageToClient, of key: SessionKey) {
        subscriptions.sendToWatchers(message(), of: key, seeing: shown, &orders)
    }
}

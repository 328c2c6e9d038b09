import PushPlanner
package import RelayModel
package import RelayProtocol

/// What the core holds, counted: for metrics, and for whoever checks that it is bounded.
package struct RelayCensus: Sendable, CustomStringConvertible {
    package var sessions = 0
    /// Sessions that were removed, as far as they are at hand.
    package var places = 0
    package var peers = 0
    package var subscriptions = 0
    package var subscribers = 0
    package var waiters = 0
    package var reads = 0
    package var openApprovals = 0
    package var approvals = 0
    package var stagedEvents = 0
    package var commands = 0
    package var expiries = 0
    /// The planner of pushes: what it knows, what it keeps, the channels that APNs made for it, what shall ring, and what the disk has not taken.
    package var devices = 0
    package var cards = 0
    package var pushes = 0
    package var channels = 0
    package var rings = 0
    package var owed = 0
    /// The first bound that is not kept, as a sentence.
    package var breach: String?

    package var description: String {
        "\(sessions) sessions, \(places) places, \(peers) peers, \(subscriptions) subscriptions, \(approvals) approvals "
            + "(\(openApprovals) open), \(waiters) waiters, \(reads) reads, \(commands) commands, \(expiries) expiries, "
            + "\(devices) devices, \(cards) cards, \(pushes) pushes, \(channels) channels, \(rings) rings, \(owed) owed records"
    }

    /// Each by its name.
    package var counts: [(name: String, count: Int)] {
        [
            ("sessions", sessions), ("places", places), ("peers", peers), ("subscriptions", subscriptions),
            ("subscribers", subscribers), ("waiters", waiters), ("reads", reads), ("openApprovals", openApprovals),
            ("approvals", approvals), ("stagedEvents", stagedEvents), ("commands", commands), ("expiries", expiries),
            ("devices", devices), ("cards", cards), ("pushes", pushes), ("rings", rings), ("owed", owed),
        ]
    }

    package var total: Int {
        sessions + places + peers + subscriptions + subscribers + waiters + reads + approvals + stagedEvents + commands
            + expiries
            + devices + cards + pushes + channels + rings + owed
    }
}

extension Relay {
    package var sessionCount: Int { sessions.count }
    package var openApprovalCount: Int { sessions.values.reduce(0) { $0 + $1.staged.openApprovalCount } }

    package var census: RelayCensus {
        var census = RelayCensus()
        census.sessions = sessions.count
        census.places = removed.count
        census.commands = commands.count
        census.expiries = expiries.count
        census.peers = hosts.count + clients.count
        census.waiters = waiters.count + commandWaiters.count
        census.reads = reads.count + removedSessionsReads.count
        if removed.idleCount(isOpen: { sessions[$0] != nil }) > configuration.removedSessionsMax {
            census.breach = "too many places of removed sessions are at hand"
        }
        for host in hosts.values where host.removedSessionsReads > Limits.removedSessionsReadsMax {
            census.breach = "too many places are looked up for a host"
        }
        for client in clients.values {
            census.subscriptions += client.subscriptions.count
            if client.subscriptions.count > Limits.subscriptionsMax { census.breach = "a client has too many subscriptions" }
            if client.waitingCommands > Limits.waitingCommandsMax { census.breach = "too many commands of a client wait" }
            if client.readsUnderWay > Limits.readsMax { census.breach = "too many reads are under way for a client" }
        }
        for session in sessions.values {
            census.subscribers += session.audience.subscribers.count
            census.approvals += session.staged.approvals.count
            census.openApprovals += session.staged.openApprovalCount
            if session.staged.openApprovalCount > configuration.quotas.openApprovalsPerSession {
                census.breach = "too many approvals are open"
            }
            if !session.audience.subscribers.isSubset(of: clients.keys) {
                census.breach = "a session has a subscriber who has left"
            }
        }
        for (_, audience) in workspaceAudiences where !audience.all.isSubset(of: clients.keys) {
            census.breach = "a workspace has a subscriber who has left"
        }
        if census.subscribers > census.subscriptions {
            census.breach = "sessions have more subscribers than clients subscriptions"
        }
        if shown.isLiveMisfiled { census.breach = "the sessions that go on are not those that are listed" }
        if let misfiled = misfiledPeer { census.breach = "the peer \(misfiled.rawValue) stands in a wrong list" }
        if !Set(hostPeers.values).isSubset(of: hosts.keys) { census.breach = "a host's connection is kept that has gone" }
        if waiters.contains(where: { clients[$0.peer] == nil }) { census.breach = "a command waits whose client has left" }
        if budgets.books.values.contains(where: { $0.ofSessions.count > Limits.budgetsMax }) {
            census.breach = "a workspace has too many budgets"
        }
        count(planner.census(of: shown), into: &census)
        census.stagedEvents = staging.appends.reduce(0) { $0 + $1.events.count }
        return census
    }

    private func count(_ planned: PlannerCensus, into census: inout RelayCensus) {
        census.devices = planned.devices
        census.cards = planned.cards
        census.pushes = planned.pushes
        census.channels = planned.channels
        census.rings = planned.rings
        census.owed = planned.owed
        if let breach = planned.breach { census.breach = breach }
        if !planner.peers.isSubset(of: clients.keys) { census.breach = "somebody is thought to look who has left" }
        if !Set(shown.views.keys).isSubset(of: sessions.keys) { census.breach = "a session is shown that is gone" }
    }

    /// The lists that messages are sent by are what one would find by looking at every client.
    private var misfiledPeer: PeerID? {
        for (peer, client) in clients {
            var expected = WorkspaceAudience()
            expected.file(peer, client)
            let audience = workspaceAudiences[client.workspace] ?? WorkspaceAudience()
            guard audience.watchers.contains(peer) == expected.watchers.contains(peer),
                audience.aside.contains(peer) == expected.aside.contains(peer)
            else { return peer }
            for (session, subscription) in client.subscriptions {
                var expected = Audience()
                expected.file(peer, client, subscription)
                let found = sessions[SessionKey(workspace: client.workspace, session: session)]?.audience ?? Audience()
                guard found.live.contains(peer) == expected.live.contains(peer),
                    found.onlookers.contains(peer) == expected.onlookers.contains(peer),
                    found.aside.contains(peer) == expected.aside.contains(peer)
                else { return peer }
            }
        }
        return nil
    }

    /// Every session as it is shown.
    package var committed: [(key: SessionKey, state: SessionState, approvals: [ApprovalID: Approval])] {
        shown.views.map { ($0.key, $0.value.state, $0.value.approvals.byName) }
            .sorted { $0.0.session.rawValue < $1.0.session.rawValue }
    }

    /// Reduces a session's events, from the first after `begin` on, where so much had been used up. What is no event's doing (whose it is, who is connected, how far its host's
    /// numbering is, what of it is held, what budgets say of it) is taken from `like`.
    package static func replay(
        _ events: [[UInt8]], after begin: Int64 = 0, usage: [UInt8] = [], like state: SessionState
    ) throws(WireError) -> (state: SessionState, approvals: [ApprovalID: Approval]) {
        let summary = state.summary
        var view = SessionView(
            state: SessionState(
                summary: Summary(
                    session: summary.session, host: summary.host, hostIsConnected: summary.hostIsConnected,
                    agentName: "unknown",
                    startedAt: summary.startedAt)))
        view.state.hostSeq = state.hostSeq
        view.state.eventBytes = state.eventBytes
        view.state.touchedAt = state.touchedAt
        view.state.summary.first = summary.first
        view.state.resume(usage: usage)
        view.state.summary.budget = summary.budget
        for (index, bytes) in events.enumerated().dropFirst(Int(begin)) {
            view.reduce(try Event(stored: bytes), seq: Int64(index) + 1)
        }
        return (view.state, view.approvals.byName)
    }
}

extension ApprovalBook {
    fileprivate var byName: [ApprovalID: Approval] { Dictionary(uniqueKeysWithValues: all.map { ($0.id, $0) }) }
}

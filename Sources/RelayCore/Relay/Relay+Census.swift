import PushPlanner
package import RelayModel
package import RelayProtocol

extension Relay {
    package var sessionCount: Int { sessions.count }
    /// Bytes of events of each workspace that has events.
    package var workspaceEventBytes: [Int64] { sessions.ofHosts.eventBytes }
    /// Memory of the sessions of each workspace, in bytes.
    package var workspaceSessionBytes: [WorkspaceID: Int] { sessions.ofHosts.bytesOfWorkspaces }
    /// Number of workspaces with more events than their limit.
    package var overfullWorkspaceCount: Int { sessions.ofHosts.overfull.count }
    package var openApprovalCount: Int { sessions.openApprovalCount }

    package var census: RelayCensus {
        var census = RelayCensus()
        sessions.count(into: &census)
        subscriptions.count(into: &census)
        commands.count(into: &census)
        budgets.count(into: &census)
        let open = sessions
        removed.count(into: &census, atMost: configuration.removedSessionsMax) { open.has($0) }
        presence.count(into: &census)
        letters.count(of: presence, into: &census)
        screens.count(of: presence, into: &census)
        count(planner.census(of: shown), into: &census)
        census.waiters += sweep.requests.waiterCount
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
        if !planner.peers.isSubset(of: presence.clients.keys) { census.breach = "somebody is thought to look who has left" }
    }

    /// The committed view of every session.
    package var committed: [(key: SessionKey, state: SessionState, approvals: [ApprovalID: Approval])] {
        shown.views.map { ($0.key, $0.value.state, $0.value.approvals.byName) }
            .sorted { $0.0.session.rawValue < $1.0.session.rawValue }
    }

    /// Reduces a session's events, from the first after `begin` on, with the usage up to there. What no event changes (the
    /// session's host, who is connected, the host's numbering, what is held, the state of budgets) is copied from `like`.
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

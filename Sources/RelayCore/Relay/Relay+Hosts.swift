import PushPlanner
import RelayModel
import RelayProtocol

/// What hosts say: checked, numbered, staged.
extension Relay {
    mutating func hostSent(_ message: HostMessage, by peer: PeerID, at now: Instant) {
        guard let host = presence.hosts[peer] else { return }
        switch message {
        case .hello(let hello): hostSaidHello(hello, peer, at: now)
        case _ where !host.hasSaidHello: send(.notice(.helloFirst), toHost: peer)
        case .events(let batch): stage(batch, of: host, peer, at: now)
        case .deltas(let delta): forward(delta, of: host, at: now)
        }
    }

    // MARK: - Hello

    private mutating func hostSaidHello(_ hello: Hello, _ peer: PeerID, at now: Instant) {
        guard let (host, isFirst) = presence.hostSaidHello(hello, peer, &orders) else { return }
        if isFirst { setConnected(true, host, at: now) }
        let unknown = hello.sessions.map { SessionKey(workspace: host.identity.workspace, session: $0) }
            .filter { !isRemovalKnown(of: $0) }
        if unknown.isEmpty { answer(hello, of: host, peer) } else { readRemovedSessions(of: unknown, for: hello, peer) }
    }

    mutating func answer(_ hello: Hello, of host: HostPeer, _ peer: PeerID) {
        let progress = hello.sessions.map { session in
            SessionProgress(session: session, through: hostSeqOnDisk(of: session, by: host) ?? 0)
        }
        send(.welcome(welcome, host: host.identity.host, sessions: progress), toHost: peer)
        sendWaitingDecisions(to: host, peer)
        sayHolds(to: peer)
    }

    mutating func setConnected(_ isConnected: Bool, _ host: HostPeer, at now: Instant) {
        var changed: [SessionKey] = []
        for key in sessionsInOrder(of: host.key) {
            // What has ended does not change with the host that it ran on.
            guard let place = sessions.index(forKey: key), sessions.values[place].staged.endedAt == nil else { continue }
            updateViews(of: key) { $0.hostChanged(to: host.identity.host, isConnected: isConnected) }
            if let view = shown[key] { sendToWatchers(.summary(view.summary), of: key) }
            changed.append(key)
        }
        tellPlanner(changesOf: changed, at: now)
    }

    /// Every decision that is on disk and that the host has not confirmed: on each reconnect, until it does.
    private mutating func sendWaitingDecisions(to host: HostPeer, _ peer: PeerID) {
        // Not all of its sessions, which may be thousands.
        for key in (asking[host.key.workspace] ?? []).sorted() where sessionsOfHosts[host.key]?.contains(key) == true {
            guard let view = shown[key] else { continue }
            for approval in view.approvals.openInOrder where approval.stage == .decided {
                sendDecision(of: approval, toHost: peer)
            }
        }
    }

    private func sessionsInOrder(of host: HostKey) -> [SessionKey] { (sessionsOfHosts[host] ?? []).sorted() }

    mutating func sendDecision(of approval: Approval, toHost peer: PeerID) {
        guard let decision = approval.decision else { preconditionFailure("a decided approval has its decision") }
        send(.decision(approval.session, approval.id, approval.request.digest, decision), toHost: peer)
    }

    // MARK: - Events

    private mutating func stage(_ batch: HostEvents, of host: HostPeer, _ peer: PeerID, at now: Instant) {
        let key = SessionKey(workspace: host.identity.workspace, session: batch.session)
        // Looked up once: for a host that talks without end this is the hottest of paths.
        let known = sessions.index(forKey: key)
        guard known != nil || isRemovalKnown(of: key) else { return readRemovedSessions(of: [key], for: nil, peer) }
        let standing = known.map { sessions.values[$0].standing() } ?? removed[key].map { (host: $0.host, hostSeq: $0.hostSeq) }
        if let standing, standing.host != host.identity.host.id {
            send(.notice(.init(.notFound, "this session belongs to another host", at: "$.session")), toHost: peer)
            return
        }
        let expected = (standing?.hostSeq ?? 0) + 1
        if batch.first > expected && !batch.isAfterGap {
            send(.resend(batch.session, from: expected), toHost: peer)
            return
        }
        let repeated = Int(max(0, expected - batch.first))
        guard repeated < batch.events.count else {
            // All of it is here already. What is not on disk yet is acknowledged by the commit that puts it there.
            if let through = hostSeqOnDisk(of: batch.session, by: host) {
                send(.ack([SessionProgress(session: batch.session, through: through)]), toHost: peer)
            }
            return
        }
        if known == nil {
            if let quota = quotaReached(byAnotherSessionOf: host.key) {
                return refuse(another: batch.session, quota, to: peer, at: now)
            }
            open(key, of: host, with: batch, at: now)
        }
        let place = known ?? place(of: key)
        // By index: a slice and its elements would be counted up and down.
        var count = 0
        for index in repeated..<batch.events.count { count += batch.events[index].bytes.count }
        if let quota = paceReached(by: count, at: place, now) {
            return refuse(moreOf: batch.session, quota, to: peer)
        }
        if batch.first > expected {
            let lost = batch.first - expected
            stage(Event(.truncated(count: lost), at: now.wall), in: key, at: place, now)
            sessions.values[place].staged.state.hostSeq = batch.first - 1
        }
        for event in batch.events.dropFirst(repeated) { stage(event, in: key, at: place, now) }
        sessions.values[place].took(through: batch.first + Int64(batch.events.count) - 1)
    }

    private mutating func open(_ key: SessionKey, of host: HostPeer, with batch: HostEvents, at now: Instant) {
        // A session whose beginning was lost still gets a place; `session.started` fills in the agent when there is one.
        let summary = Summary(
            session: key.session, host: host.identity.host, hostIsConnected: true, agentName: "unknown",
            startedAt: batch.events.first?.at ?? now.wall)
        var state = SessionState(summary: summary)
        if let place = removed[key] {
            state.summary.seq = place.seq
            state.summary.first = place.seq + 1
            state.hostSeq = place.hostSeq
            state.resume(usage: place.usage)
        }
        staging.opened()
        sessions[key] = Session(key: key, staged: SessionView(state: state))
        sessionsOfHosts[host.key, default: []].insert(key)
    }

    /// Adds one event to the session's staged view and to the tick's batch.
    mutating func stage(_ event: Event, in key: SessionKey, at now: Instant) {
        stage(event, in: key, at: place(of: key), now)
    }

    private func place(of key: SessionKey) -> Dictionary<SessionKey, Session>.Index {
        guard let place = sessions.index(forKey: key) else {
            preconditionFailure("events are staged in a session that is open")
        }
        return place
    }

    /// Opens and removes no session: `place` stays where it is.
    private mutating func stage(
        _ event: Event, in key: SessionKey, at place: Dictionary<SessionKey, Session>.Index, _ now: Instant
    ) {
        let quota = quotaReached(by: event, in: key)
        let (seq, approval) = sessions.values[place].stage(event, at: now, aged: ages.time(at: now))
        staging.add(event, seq: seq, to: key, changing: approval)

        guard case .approvalRequested(let request) = event.head else { return }
        guard let opened = approval else {
            // Another input under a name that stands for one already: whoever decides that one decides nothing of this.
            let standing = sessions.values[place].staged.approvals[request.approval]
            if standing?.request.digest != request.digest { stage(.nameTaken(at: now.wall), in: key, at: place, now) }
            return
        }
        asking[key.workspace, default: []].insert(key)
        if let quota {
            orders.add(.quotaReached(quota))
            stage(Event(.approvalStale(request.approval, reason: "tooMany"), at: now.wall), in: key, at: place, now)
        } else {
            armExpiry(of: opened, in: key, at: now)
        }
    }

    /// What the log has had is not in memory for ever, and is found when a batch is put on disk. Nobody has been shown these.
    mutating func withdraw(_ names: [ApprovalName], at now: Instant) {
        for name in names {
            guard let approval = sessions[name.key]?.staged.approvals[name.approval] else { continue }
            cancelExpiry(of: approval, in: name.key)
            updateViews(of: name.key) { $0.withdraw(name.approval) }
            stage(.nameTaken(at: now.wall), in: name.key, at: now)
        }
    }

    private mutating func forward(_ delta: Delta, of host: HostPeer, at now: Instant) {
        guard let session = owned(delta.session, by: host) else { return }
        if let quota = paceReached(by: delta.text.utf8.count, at: place(of: session.key), now) {
            return orders.add(.quotaReached(quota))
        }
        // Live only, and only to those who are level with the log: others get the whole message by its event.
        send(.deltas(delta), to: subscriptions.live(of: session.key))
    }

    /// Nil where the relay has no such session of this host.
    private func hostSeqOnDisk(of session: SessionID, by host: HostPeer) -> Int64? {
        if let found = owned(session, by: host), let view = shown[found.key] { return view.hostSeq }
        guard let place = removed[SessionKey(workspace: host.identity.workspace, session: session)],
            place.host == host.identity.host.id
        else { return nil }
        return place.hostSeq
    }

    private func owned(_ session: SessionID, by host: HostPeer) -> Session? {
        guard let found = sessions[SessionKey(workspace: host.identity.workspace, session: session)],
            found.staged.hostID == host.identity.host.id
        else { return nil }
        return found
    }

    var welcome: Welcome {
        Welcome(software: configuration.software, epoch: epoch, heartbeat: configuration.heartbeat)
    }
}

extension Event {
    fileprivate static func nameTaken(at time: Int64) -> Event {
        Event(
            .error(
                message: "an approval came under a name that an earlier one has: nobody is asked",
                recoverable: true), at: time)
    }
}

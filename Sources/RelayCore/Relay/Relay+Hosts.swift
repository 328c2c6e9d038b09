import PushPlanner
import RelayModel
import RelayProtocol

/// Messages from hosts and to hosts.
extension Relay {
    mutating func hostSent(_ message: HostMessage, by peer: PeerID, at now: Instant) {
        guard let host = presence.hosts[peer] else { return }
        guard host.identity.scope.allows(message.scope) else {
            return orders.send(.notice(Notice(.forbidden, "this host may not report")), toHost: peer)
        }
        switch message {
        case .hello(let hello): hostSaidHello(hello, peer, at: now)
        case _ where !host.hasSaidHello: orders.send(.notice(.helloFirst), toHost: peer)
        case .events(let batch):
            let key = SessionKey(workspace: host.identity.workspace, session: batch.session)
            if isLeaving(key), sessions.host(of: key) == host.key {
                return orders.send(.notice(.isBeingRemoved(batch.session)), toHost: peer)
            }
            let taking = sessions.take(
                batch, in: key, of: host, peer, after: removed[key], isNewOtherwise: removed.knows(key), at: now,
                aged: ages.time(at: now), &staging, &orders)
            switch taking {
            case .taken:
                removed.came(key, from: peer)
                if !sessions.ofHosts.overfull.isEmpty { sweep.eventsAreTooMany(at: now) }
            case .noRoom(let quota):
                sweep.roomIsSought(at: now)
                if let limit = quota.workspaceLimit { tell(limit, in: key.workspace, at: now) }
            case .isUnknown: removed.lookUp([key], for: nil, peer, &orders)
            }
        case .deltas(let delta):
            let key = SessionKey(workspace: host.identity.workspace, session: delta.session)
            // Live only, and only for clients that are up to date with the log: others get the whole message with its event.
            guard sessions.takesDelta(of: key, by: host.key, delta.text.utf8.count, at: now, &orders) else { return }
            orders.send(.deltas(delta), to: subscriptions.live(of: key))
        case .output(let output):
            let key = SessionKey(workspace: host.identity.workspace, session: output.session)
            let count = output.text.utf8.count
            guard sessions.takesDelta(of: key, by: host.key, count, isSpare: true, at: now, &orders) else { return }
            orders.send(.output(output), to: subscriptions.live(of: key))
        case .letter(let letter, let client): send(letter, to: client, by: host, at: now)
        case .answered(let name, let answer): answered(name, answer, by: host)
        }
    }

    private mutating func hostSaidHello(_ hello: Hello, _ peer: PeerID, at now: Instant) {
        guard let (host, isFirst) = presence.hostSaidHello(hello, peer, &orders) else { return }
        letters.hostSaidHello(host.key, key: hello.key)
        if isFirst { setConnected(true, host, at: now) }
        let unknown = hello.sessions.map { SessionKey(workspace: host.identity.workspace, session: $0) }
            .filter { !isKnown($0) }
        if unknown.isEmpty { answer(hello, of: host, peer) } else { removed.lookUp(unknown, for: hello, peer, &orders) }
    }

    private mutating func answer(_ hello: Hello, of host: HostPeer, _ peer: PeerID) {
        let progress = hello.sessions.map { session in
            let key = SessionKey(workspace: host.identity.workspace, session: session)
            return SessionProgress(session: session, through: hostSeqOnDisk(of: key, by: host) ?? 0)
        }
        orders.send(.welcome(welcome(to: host.identity.workspace), host: host.identity.host, sessions: progress), toHost: peer)
        // Decisions are sent again on each reconnect until the host confirms them.
        for approval in sessions.waitingDecisions(of: host.key) { sendDecision(of: approval, toHost: peer) }
        sayHolds(to: peer)
        let isSteered = host.capabilities.contains(.steer)
        for key in sessions.inOrder(of: host.key) {
            guard let view = shown[key] else { continue }
            // Also sent to a host that no longer steers: it then ends the commands that an earlier run of it left, and withdraws
            // its offer.
            let isOffered = !isSteered && view.steering?.actions.isEmpty == false
            guard !view.openSteering.isEmpty || isOffered else { continue }
            orders.send(.outstanding(key.session, view.openSteering), toHost: peer)
        }
        guard isSteered else { return }
        takeBackSteering(of: host.key, peer)
    }

    /// Withdraws the steering of clients whose token was revoked: prompts that still wait at a host are discarded. What an agent
    /// already has is not undone.
    mutating func takeBackSteering(of host: HostKey, _ peer: PeerID) {
        guard let holders, presence.hosts[peer]?.capabilities.contains(.steer) == true else { return }
        for key in sessions.inOrder(of: host) {
            for name in shown[key]?.openSteering ?? []
            where !holders.contains(ClientKey(workspace: key.workspace, client: name.client)) {
                orders.send(.withdraw(key.session, name), toHost: peer)
            }
        }
    }

    /// Nil if the relay has had no such session of this host.
    private func hostSeqOnDisk(of key: SessionKey, by host: HostPeer) -> Int64? {
        if let seq = sessions.hostSeqOnDisk(of: key, by: host.key) { return seq }
        guard let place = removed[key], place.host == host.identity.host.id else { return nil }
        return place.hostSeq
    }

    mutating func setConnected(_ isConnected: Bool, _ host: HostPeer, at now: Instant) {
        var changed: [SessionKey] = []
        for key in sessions.inOrder(of: host.key)
        where sessions.setConnected(isConnected, host.identity.host, of: key) {
            showSummary(of: key)
            changed.append(key)
        }
        tellPlanner(changesOf: changed, at: now)
    }

    mutating func sendDecision(of approval: Approval, toHost peer: PeerID) {
        orders.send(decision(of: approval), toHost: peer)
    }

    func decision(of approval: Approval) -> MessageToHost {
        guard let decision = approval.decision else { preconditionFailure("a decided approval has its decision") }
        return .decision(approval.session, approval.id, approval.request.digest, decision)
    }

    // MARK: - Sessions that were removed

    /// True if it is certain whether the session exists: it does, its position is known, or there never was one.
    func isKnown(_ key: SessionKey) -> Bool { sessions.has(key) || removed.knows(key) }

    mutating func removedSessionsRead(_ id: ReadID, _ places: [SessionKey: RemovedSession]) {
        let open = sessions
        guard let lookUp = removed.found(places, by: id, isOpen: { open.has($0) }) else { return }
        if let host = presence.hosts[lookUp.peer] {
            if let hello = lookUp.hello {
                answer(hello, of: host, lookUp.peer)
            } else {
                removed.expect(lookUp.keys, from: lookUp.peer)
                for key in lookUp.keys {
                    let through = sessions.staged(key)?.hostSeq ?? removed[key]?.hostSeq ?? 0
                    orders.send(.resend(key.session, from: through + 1), toHost: lookUp.peer)
                }
            }
        }
        shrinkRemovedSessions()
    }

    mutating func readFailed(_ id: ReadID, _ reason: String, isLasting: Bool) {
        let hosts = presence.hosts
        if removed.lookUpFailed(id, reason, isThere: { hosts[$0] != nil }, &orders) { return }
        subscriptions.readFailed(id, reason, isLasting: isLasting, seeing: shown, &orders)
    }

    mutating func shrinkRemovedSessions() {
        let open = sessions
        removed.shrink(to: configuration.removedSessionsMax) { open.has($0) }
    }
}

extension Notice {
    /// The notice on which the host keeps the session's events, sends them again later, and continues with its other sessions.
    fileprivate static func isBeingRemoved(_ session: SessionID) -> Notice {
        Notice(
            code: ErrorCode.tooMany.rawValue, message: "this session is being removed: send its events again",
            path: "$.session",
            session: session)
    }
}

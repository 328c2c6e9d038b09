import PushPlanner
import RelayModel
import RelayProtocol

/// Regular removals, and their effects on the other parts.
extension Relay {
    mutating func keepHouse(at now: Instant) {
        sessions.forgetResolved(at: now.wall)
        subscriptions.forgetSnapshots()
        letters.keepHouse(at: now)
        screens.keepHouse(at: now)
        fullness.keepHouse(at: now)
        sessions.expireOverdue(at: now, aged: ages.time(at: now), &staging, &orders)
        ages.advance(to: now)
        staging.clock = ages.record
        let commandsKeptSince = ages.time(at: now) - Limits.commandsAge
        if commands.forget(before: commandsKeptSince) { staging.commandsForgottenBefore = commandsKeptSince }
        sweep.fallsDue()
        turnDay(at: now)
        armDayEnd(at: now)
        orders.add(.armTimer(.housekeeping, after: Limits.housekeepingInterval))
    }

    /// Removes a session; answered when it is gone from the disk. Until then its host's events are refused, and wait at the host:
    /// otherwise a session that never pauses could never be removed.
    mutating func remove(_ session: SessionID, _ id: CommandID, of client: ClientPeer, _ peer: PeerID) {
        let key = SessionKey(workspace: client.workspace, session: session)
        guard let view = shown[key], let staged = sessions.staged(key) else {
            return orders.reply(.noSuchSession, to: id, of: peer)
        }
        guard view.openApprovalCount == 0, staged.openApprovalCount == 0 else {
            return orders.reply(
                .failed(.unavailable, "an approval waits in this session: decide it first"), to: id, of: peer)
        }
        guard commands.hasRoom(for: peer) else {
            return orders.reply(.failed(.tooMany, "too many commands wait for an answer"), to: id, of: peer)
        }
        commands.began(peer)
        sweep.request(key, for: .init(peer: peer, command: id))
    }

    /// True while the session is being removed: its host must send this again.
    func isLeaving(_ key: SessionKey) -> Bool { !sweep.requests.isEmpty && sweep.requests.has(key) }

    /// Adds the removals of retention to the batch that is about to be cut.
    mutating func planTrims(at now: Instant) {
        guard sweep.isDue else { return }
        let step = sweep.step(
            aged: ages.time(at: now), of: sessions, isFollowed: subscriptions.isFollowed, isStaged: staging.has, &orders)
        staging.trims += step.trims
        staging.removals.add(step.removals)
    }

    mutating func show(_ trims: [SessionTrim]) {
        for trim in trims where sessions.has(trim.key) {
            if let state = trim.state {
                sessions.trimmed(trim.key, to: state)
                showSummary(of: trim.key)
            } else if let host = sessions.host(of: trim.key) {
                let hostSeq = shown[trim.key]?.hostSeq ?? 0
                removed.add(
                    trim.key, RemovedSession(host: host.host, seq: trim.through, hostSeq: hostSeq, usage: trim.usage))
                sendToWatchers(.removed(trim.key.session), of: trim.key)
                subscriptions.ended(trim.key)
                sessions.removed(trim, isStaged: staging.has(trim.key))
                for waiter in sweep.removed(trim.key) {
                    commands.answered(waiter.peer)
                    orders.reply(.done, to: waiter.command, of: waiter.peer)
                }
            }
        }
        shrinkRemovedSessions()
    }
}

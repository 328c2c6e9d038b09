import RelayModel
import RelayProtocol

/// What is forgotten, and when: by age, by bytes, ended sessions first. Positions stay honest: the numbering of a session goes
/// on, and a position whose events are gone gets a reset.
extension Relay {
    mutating func keepHouse(at now: Instant) {
        for key in sessions.keys {
            updateViews(of: key) { $0.forgetResolved(at: now.wall) }
        }
        expireOverdue(at: now)
        ages.advance(to: now)
        staging.clock = ages.record
        forgetCommands(at: now)
        isTrimDue = true
        orders.add(.armTimer(.housekeeping, after: Limits.housekeepingInterval))
    }

    private mutating func forgetCommands(at now: Instant) {
        let before = ages.time(at: now) - Limits.commandsAge
        if commands.forget(before: before) { staging.commandsForgottenBefore = before }
    }

    /// Adds to the batch that is about to be cut what retention lets go of, a bounded step at a time.
    mutating func planTrims(at now: Instant) {
        guard isTrimDue else { return }
        isTrimDue = false
        var budget = Limits.trimmedEventsMax
        for (key, reason) in keysToRemove(at: now) {
            guard budget > 0 else { break }
            budget -= remove(key, atMost: budget, because: reason)
        }
        if budget > 0 { trimFull(&budget) }
        // Another step, unless this one found less than it was allowed.
        guard budget > 0 else { return orders.add(.armTimer(.trim, after: Limits.trimInterval)) }
        if staging.trims.isEmpty { tellRemovals() } else { isRemovalToldNext = true }
    }

    /// All steps together: a long history goes in hundreds.
    private mutating func tellRemovals() {
        if !removals.isEmpty { orders.add(.historyRemoved(removals.take())) }
    }

    /// The batch is on disk.
    mutating func removed(in batch: Staging) {
        guard !batch.trims.isEmpty else { return }
        removals.add(batch.removals)
        guard isRemovalToldNext else { return }
        isRemovalToldNext = false
        tellRemovals()
    }

    // MARK: - Whole sessions

    /// What choosing looks at: a whole session is large, and thousands are compared.
    private struct Candidate {
        let key: SessionKey
        let host: HostKey
        let touchedAt: Int64
        let hasEnded: Bool
        let eventBytes: Int64
    }

    /// Those that are too old, then those that are too many; longest untouched first.
    private func keysToRemove(at now: Instant) -> [(key: SessionKey, reason: Removal.Reason)] {
        let crowded = crowdedHosts()
        let untouchedSince = configuration.retention.ageMax.map { ages.time(at: now) - $0 }
        var excess = excessOfWorkspaces()
        let idle = candidates(untouchedSince: untouchedSince, on: crowded, in: excess)
        var chosen: [(key: SessionKey, reason: Removal.Reason)] = []
        if let untouchedSince { chosen = idle.filter { $0.touchedAt < untouchedSince }.map { ($0.key, .age) } }
        chosen += keysToMakeRoom(on: crowded, among: idle, beside: Set(chosen.map(\.key))).map { ($0, .room) }
        let gone = Set(chosen.map(\.key))
        for session in idle where gone.contains(session.key) { excess[session.key.workspace]? -= session.eventBytes }
        for session in idle where session.hasEnded && !gone.contains(session.key) {
            guard let left = excess[session.key.workspace], left > 0 else { continue }
            excess[session.key.workspace] = left - session.eventBytes
            chosen.append((session.key, .bytes))
        }
        return chosen
    }

    /// The sessions that may go and that there is a reason for, longest untouched first: nearly always none of thousands.
    private func candidates(
        untouchedSince: Int64?, on crowded: [HostKey: Int], in overfull: [WorkspaceID: Int64]
    ) -> [Candidate] {
        guard untouchedSince != nil || !crowded.isEmpty || !overfull.isEmpty else { return [] }
        var found: [Candidate] = []
        for place in sessions.indices {
            let key = sessions.keys[place]
            let host = HostKey(workspace: key.workspace, host: sessions.values[place].staged.hostID)
            let touchedAt = sessions.values[place].staged.touchedAt
            let hasEnded = sessions.values[place].staged.endedAt != nil
            let isOld = untouchedSince.map { touchedAt < $0 } ?? false
            guard isOld || hasEnded && (crowded[host] != nil || overfull[key.workspace] != nil) else { continue }
            guard isRemovable(sessions.values[place]) else { continue }
            found.append(
                Candidate(
                    key: key, host: host, touchedAt: touchedAt, hasEnded: hasEnded,
                    eventBytes: sessions.values[place].staged.eventBytes))
        }
        return found.sorted { ($0.touchedAt, $0.key.session.rawValue) < ($1.touchedAt, $1.key.session.rawValue) }
    }

    /// Those with no room for another session, with how many of theirs have to go.
    private func crowdedHosts() -> [HostKey: Int] {
        var excess: [HostKey: Int] = [:]
        for (host, keys) in sessionsOfHosts where quotaReached(byAnotherSessionOf: host) != nil {
            excess[host] = max(1, keys.count / Limits.roomShare)
        }
        return excess
    }

    private func keysToMakeRoom(
        on hosts: [HostKey: Int], among idle: [Candidate], beside chosen: Set<SessionKey>
    ) -> [SessionKey] {
        guard !hosts.isEmpty else { return [] }
        var excess = hosts
        var keys: [SessionKey] = []
        for session in idle where session.hasEnded && !chosen.contains(session.key) {
            guard let left = excess[session.host], left > 0 else { continue }
            excess[session.host] = left - 1
            keys.append(session.key)
        }
        return keys
    }

    private func isRemovable(_ session: Session) -> Bool {
        isAtRest(session) && !subscriptions.isFollowed(session.key) && session.staged.openApprovalCount == 0
            && (session.staged.endedAt != nil || !session.staged.hostIsConnected)
    }

    /// Nothing of it is on its way to the disk.
    private func isAtRest(_ session: Session) -> Bool {
        shown[session.key] != nil && session.cut == nil && staging[session.key] == nil
    }

    /// The bytes by which workspaces hold more than they may; of those only that do.
    private func excessOfWorkspaces() -> [WorkspaceID: Int64] {
        guard let bytesMax = configuration.retention.bytesMax else { return [:] }
        var bytes: [WorkspaceID: Int64] = [:]
        for place in sessions.indices {
            bytes[sessions.keys[place].workspace, default: 0] += sessions.values[place].staged.eventBytes
        }
        return bytes.compactMapValues { $0 > bytesMax ? $0 - bytesMax : nil }
    }

    /// Returns how many events go. A long session goes in steps, its last one with its end.
    private mutating func remove(_ key: SessionKey, atMost budget: Int64, because reason: Removal.Reason) -> Int64 {
        guard let state = sessions[key]?.staged.state else { return 0 }
        let held = state.seq - state.summary.first + 1
        guard held <= budget else {
            trim(key, count: budget, because: reason)
            return budget
        }
        staging.removals.add(reason, events: held, endingSessionTouchedAt: state.touchedAt)
        staging.trims.append(SessionTrim(key: key, through: state.seq, state: nil, usage: state.usage))
        return max(held, 1)
    }

    // MARK: - The oldest events

    private mutating func trimFull(_ budget: inout Int64) {
        var excess = excessOfWorkspaces()
        for trim in staging.trims where trim.state == nil {
            excess[trim.key.workspace]? -= sessions[trim.key]?.staged.eventBytes ?? 0
        }
        excess = excess.filter { $0.value > 0 }
        guard !excess.isEmpty else { return }
        let planned = Set(staging.trims.map(\.key))
        var large: [(key: SessionKey, eventBytes: Int64)] = []
        for place in sessions.indices {
            let key = sessions.keys[place]
            guard excess[key.workspace] != nil, !planned.contains(key), isAtRest(sessions.values[place]) else { continue }
            large.append((key, sessions.values[place].staged.eventBytes))
        }
        large.sort { ($1.eventBytes, $1.key.session.rawValue) < ($0.eventBytes, $0.key.session.rawValue) }
        for (key, eventBytes) in large {
            guard budget > 0 else { return }
            guard let view = sessions[key]?.staged else { continue }
            let left = excess[key.workspace, default: 0]
            let held = view.seq - view.summary.first + 1
            guard left > 0, held > Limits.keptEventsMin, eventBytes > 0 else { continue }
            let share = (Double(left) / Double(eventBytes) * Double(held)).rounded(.up)
            let count = min(Int64(min(share, Double(held))), held - Limits.keptEventsMin, budget)
            excess[key.workspace] = left - trim(key, count: count, because: .bytes)
            budget -= count
        }
    }

    /// Returns the bytes that go, in proportion: what each event weighs is not remembered.
    @discardableResult
    private mutating func trim(_ key: SessionKey, count: Int64, because reason: Removal.Reason) -> Int64 {
        guard var state = sessions[key]?.staged.state, count > 0 else { return 0 }
        staging.removals.add(reason, events: count)
        let held = state.seq - state.summary.first + 1
        let freed = Int64(Double(state.eventBytes) * Double(count) / Double(max(held, 1)))
        state.summary.first += count
        state.eventBytes -= freed
        staging.trims.append(SessionTrim(key: key, through: state.summary.first - 1, state: state))
        return freed
    }

    // MARK: - On disk

    mutating func show(_ trims: [SessionTrim]) {
        for trim in trims {
            guard let session = sessions[trim.key] else { continue }
            if let state = trim.state {
                let freed = (shown[session.key]?.eventBytes ?? 0) - state.eventBytes
                updateViews(of: trim.key) {
                    $0.state.summary.first = state.summary.first
                    $0.state.eventBytes -= freed
                }
                if let summary = shown[trim.key]?.summary {
                    sendToWatchers(.summary(summary), of: trim.key)
                }
            } else {
                let host = session.staged.hostID
                let place = shown[session.key]?.state
                removed.add(
                    trim.key,
                    RemovedSession(host: host, seq: trim.through, hostSeq: place?.hostSeq ?? 0, usage: trim.usage))
                sendToWatchers(.removed(trim.key.session), of: trim.key)
                subscriptions.ended(trim.key)
                shown.remove(trim.key)
                revive(trim, session, eventBytes: place?.eventBytes ?? 0)
            }
        }
        shrinkRemovedSessions()
    }

    /// Its host went on with a session while it was being removed: what is staged begins it anew, where it was.
    private mutating func revive(_ trim: SessionTrim, _ session: Session, eventBytes: Int64) {
        guard staging[trim.key] != nil else {
            sessions[trim.key] = nil
            sessionsOfHosts[HostKey(workspace: trim.key.workspace, host: session.staged.hostID)]?.remove(
                trim.key)
            return
        }
        sessions[trim.key]?.staged.state.summary.first = trim.through + 1
        sessions[trim.key]?.staged.state.eventBytes -= eventBytes
    }
}

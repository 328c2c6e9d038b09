import RelayModel
import RelayProtocol

/// Chooses what retention removes, and when: by age, by bytes, ended sessions first. Long histories are removed in steps, so that
/// live commits are not delayed.
///
/// Positions stay valid: the numbering of a session continues, and a position whose events are removed gets a reset.
struct RetentionSweep {
    private var allowances: Allowances
    /// True if the next batch should contain removals.
    private(set) var isDue = false
    /// Removals that were not reported yet.
    private var removals = RemovalTally()
    /// True if the last step is in the batch being committed: then the removals are reported.
    private var isToldNext = false
    /// Earliest time of the next search for room for a refused session, by `Instant.uptime`.
    private var roomSoughtAgainAt = Int64.min
    private var quietUntil = Int64.min
    private(set) var requests = RemovalRequests()

    /// Removals of one batch.
    struct Step {
        var trims: [SessionTrim] = []
        /// The removed events and sessions, with the reasons.
        var removals = RemovalTally()
        /// Number of events that this step may still remove.
        fileprivate var budget = Limits.trimmedEventsMax
    }

    /// The fields needed for choosing: a whole session is large, and thousands are compared.
    private struct Candidate {
        let key: SessionKey
        let host: HostKey
        let touchedAt: Int64
        let hasEnded: Bool
        let eventBytes: Int64
    }

    init(_ allowances: Allowances) { self.allowances = allowances }

    mutating func allow(_ allowances: Allowances) { self.allowances = allowances }

    /// Delays the first step, as clients that reconnect may follow sessions that it would remove.
    mutating func started(at now: Instant) { quietUntil = now.uptime + Limits.trimAfterStart }

    mutating func fallsDue() { isDue = true }

    /// Called when a workspace has more events than its limit.
    mutating func eventsAreTooMany(at now: Instant) { if now.uptime >= quietUntil { roomIsSought(at: now) } }

    /// Called when a session was refused for lack of room.
    mutating func roomIsSought(at now: Instant) {
        // Limited in rate, as a search looks at all sessions, and a host may name thousands at once.
        guard now.uptime >= roomSoughtAgainAt else { return }
        roomSoughtAgainAt = now.uptime + Limits.trimInterval
        isDue = true
    }

    /// A client wants the session removed, whether it has ended or not. The command is answered by `removed`.
    mutating func request(_ key: SessionKey, for waiter: RemovalRequests.Waiter) {
        requests.add(key, for: waiter)
        isDue = true
    }

    /// The session is removed from the disk, for whatever reason. Returns the commands that wait for that.
    mutating func removed(_ key: SessionKey) -> [RemovalRequests.Waiter] { requests.removed(key) }

    mutating func left(_ peer: PeerID) { if !requests.isEmpty { requests.left(peer) } }

    mutating func forget(_ workspace: WorkspaceID) { requests.forget(workspace) }

    /// Removals for the batch that is about to be cut. `isStaged`: true for sessions that the batch adds to.
    mutating func step(
        aged time: Int64, of sessions: Sessions, isFollowed: (SessionKey) -> Bool, isStaged: (SessionKey) -> Bool,
        _ orders: inout Orders
    ) -> Step {
        var step = Step()
        isDue = false
        for key in requests.inOrder where step.budget > 0 && sessions.isCommitted(key) && !isStaged(key) {
            // An open approval is first left to be decided.
            if sessions.staged(key)?.openApprovalCount == 0 { step.remove(key, of: sessions, because: .request) }
        }
        let bytes = bytesOfHosts(sessions)
        for (key, reason) in keysToRemove(
            aged: time, of: sessions, holding: bytes, isFollowed: isFollowed, isStaged: isStaged)
        {
            guard step.budget > 0 else { break }
            step.remove(key, of: sessions, because: reason)
        }
        if step.budget > 0 { trimFull(&step, of: sessions, holding: bytes, isStaged: isStaged) }
        // Schedules another step, unless this one found less than it was allowed to remove.
        if step.budget <= 0 || !requests.isEmpty {
            orders.add(.armTimer(.trim, after: Limits.trimInterval))
        } else if step.trims.isEmpty {
            tell(&orders)
        } else {
            isToldNext = true
        }
        return step
    }

    /// The batch with these removals is on disk.
    mutating func committed(_ removals: RemovalTally, _ orders: inout Orders) {
        self.removals.add(removals)
        guard isToldNext else { return }
        isToldNext = false
        tell(&orders)
    }

    mutating func lost() {
        isToldNext = false
        isDue = isDue || !requests.isEmpty
    }

    /// Reports all steps together, as a long history takes hundreds.
    private mutating func tell(_ orders: inout Orders) {
        if !removals.isEmpty { orders.add(.historyRemoved(removals.take())) }
    }

    // MARK: - Whole sessions

    /// Sessions to remove, those without activity for longest first: by age, then by number.
    private func keysToRemove(
        aged time: Int64, of sessions: Sessions, holding bytes: [HostKey: Int64], isFollowed: (SessionKey) -> Bool,
        isStaged: (SessionKey) -> Bool
    ) -> [(key: SessionKey, reason: Removal.Reason)] {
        let crowded = sessions.excessOfHosts
        let allowances = allowances
        func isOld(_ touchedAt: Int64, in workspace: WorkspaceID) -> Bool {
            allowances.ageMax(in: workspace).map { touchedAt < time - $0 } ?? false
        }
        let full = excessOfHosts(holding: bytes)
        guard allowances.limitsAge || !crowded.isEmpty || !full.isEmpty else { return [] }
        // Nearly always empty, out of thousands of sessions.
        var idle: [Candidate] = []
        sessions.forEach { key, staged, isCommitted in
            let host = HostKey(workspace: key.workspace, host: staged.hostID)
            let (touchedAt, hasEnded) = (staged.touchedAt, staged.endedAt != nil)
            guard isOld(touchedAt, in: key.workspace) || hasEnded && (crowded[host] != nil || full[host] != nil) else { return }
            guard isCommitted, !requests.has(key), hasEnded || !staged.hostIsConnected, staged.openApprovalCount == 0,
                !isStaged(key),
                !isFollowed(key)
            else { return }
            idle.append(
                Candidate(key: key, host: host, touchedAt: touchedAt, hasEnded: hasEnded, eventBytes: staged.eventBytes))
        }
        idle.sort { ($0.touchedAt, $0.key.session.rawValue) < ($1.touchedAt, $1.key.session.rawValue) }
        var chosen: [(key: SessionKey, reason: Removal.Reason)] = []
        chosen = idle.filter { isOld($0.touchedAt, in: $0.key.workspace) }.map { ($0.key, .age) }
        chosen += keysToMakeRoom(on: crowded, among: idle, beside: Set(chosen.map(\.key))).map { ($0, .room) }
        let gone = Set(chosen.map(\.key))
        var left = bytes
        for session in idle where gone.contains(session.key) { left[session.host]? -= session.eventBytes }
        var excess = excessOfHosts(holding: left)
        for session in idle where session.hasEnded && !gone.contains(session.key) {
            guard let left = excess[session.host], left > 0 else { continue }
            excess[session.host] = left - session.eventBytes
            chosen.append((session.key, .bytes))
        }
        return chosen
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

    private func bytesOfHosts(_ sessions: Sessions) -> [HostKey: Int64] {
        guard allowances.limitsBytes else { return [:] }
        var bytes: [HostKey: Int64] = [:]
        sessions.forEach { key, staged, _ in
            bytes[HostKey(workspace: key.workspace, host: staged.hostID), default: 0] += staged.eventBytes
        }
        return bytes
    }

    /// Bytes that hosts have beyond their fair share of the workspace's limit; hosts without an excess are left out.
    private func excessOfHosts(holding bytes: [HostKey: Int64]) -> [HostKey: Int64] {
        var excess: [HostKey: Int64] = [:]
        for (workspace, hosts) in Dictionary(grouping: bytes, by: \.key.workspace) {
            guard let bytesMax = allowances.bytesMax(in: workspace) else { continue }
            let used = Dictionary(uniqueKeysWithValues: hosts.map { ($0.key, $0.value) })
            excess.merge(FairShare.excess(of: used, above: bytesMax)) { $1 }
        }
        return excess
    }

    // MARK: - The oldest events

    private func trimFull(
        _ step: inout Step, of sessions: Sessions, holding bytes: [HostKey: Int64], isStaged: (SessionKey) -> Bool
    ) {
        var bytes = bytes
        for trim in step.trims where trim.state == nil {
            guard let view = sessions.staged(trim.key) else { continue }
            bytes[HostKey(workspace: trim.key.workspace, host: view.hostID)]? -= view.eventBytes
        }
        var excess = excessOfHosts(holding: bytes)
        guard !excess.isEmpty else { return }
        let planned = Set(step.trims.map(\.key))
        var large: [(key: SessionKey, host: HostKey, eventBytes: Int64)] = []
        sessions.forEach { key, staged, isCommitted in
            let host = HostKey(workspace: key.workspace, host: staged.hostID)
            guard excess[host] != nil, isCommitted, !planned.contains(key), !isStaged(key) else { return }
            large.append((key, host, staged.eventBytes))
        }
        large.sort { ($1.eventBytes, $1.key.session.rawValue) < ($0.eventBytes, $0.key.session.rawValue) }
        for (key, host, eventBytes) in large {
            guard step.budget > 0 else { return }
            guard let view = sessions.staged(key) else { continue }
            let left = excess[host, default: 0]
            let kept = view.seq - view.summary.first + 1
            guard left > 0, kept > Limits.keptEventsMin, eventBytes > 0 else { continue }
            let share = (Double(left) / Double(eventBytes) * Double(kept)).rounded(.up)
            let count = min(Int64(min(share, Double(kept))), kept - Limits.keptEventsMin, step.budget)
            excess[host] = left - step.trim(key, view.state, count: count, because: .bytes)
            step.budget -= count
        }
    }
}

extension RetentionSweep.Step {
    /// Removes a session; a long one in steps, of which the last removes the session itself.
    fileprivate mutating func remove(_ key: SessionKey, of sessions: Sessions, because reason: Removal.Reason) {
        guard let state = sessions.staged(key)?.state else { return }
        let kept = state.seq - state.summary.first + 1
        guard kept <= budget else {
            trim(key, state, count: budget, because: reason)
            budget = 0
            return
        }
        removals.add(reason, events: kept, endingSessionTouchedAt: state.touchedAt)
        trims.append(SessionTrim(key: key, through: state.seq, state: nil, usage: state.usage))
        budget -= max(kept, 1)
    }

    /// Returns the bytes that are removed, estimated in proportion: the size of single events is not known here.
    @discardableResult
    fileprivate mutating func trim(
        _ key: SessionKey, _ state: SessionState, count: Int64, because reason: Removal.Reason
    ) -> Int64 {
        guard count > 0 else { return 0 }
        removals.add(reason, events: count)
        let kept = state.seq - state.summary.first + 1
        let freed = Int64(Double(state.eventBytes) * Double(count) / Double(max(kept, 1)))
        var rest = state
        rest.summary.first += count
        rest.eventBytes -= freed
        trims.append(SessionTrim(key: key, through: rest.summary.first - 1, state: rest))
        return freed
    }
}

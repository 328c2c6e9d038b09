import RelayModel
import RelayProtocol

/// Positions from which removed sessions would continue, as far as they are in memory. If some are not, the log is asked for them
/// when a host names one: no position may be used twice, and no repeated event may take effect twice.
struct RemovedSessions {
    private var kept: [SessionKey: Entry] = [:]
    /// Number of lookups under way for each session: entries learnt meanwhile must not be replaced by an older answer.
    private var reading: [SessionKey: Int] = [:]
    private var lastAge = 0
    private var lookUps: [ReadID: LookUp] = [:]
    /// Sessions that were looked up because hosts will send their events again: kept until those arrive, as otherwise they would be
    /// looked up again and again. Limited to the latest of each host.
    private var awaited: [PeerID: [SessionKey]] = [:]
    /// True if every removed session is in memory.
    private(set) var isComplete: Bool

    private struct Entry {
        /// Nil: the log has no such session.
        let place: RemovedSession?
        let age: Int
    }

    /// A query of the log for positions that are not in memory.
    struct LookUp {
        let peer: PeerID
        let keys: [SessionKey]
        /// The `hello` to answer once the positions are known; nil if the look-up was for events, which their host will send again.
        let hello: Hello?
    }

    init(_ places: [(key: SessionKey, place: RemovedSession)] = [], isComplete: Bool = true) {
        self.isComplete = isComplete
        for (key, place) in places { add(key, place) }
    }

    subscript(key: SessionKey) -> RemovedSession? { kept[key]?.place }

    /// True if the entry is known: nil from the subscript then means that there is none.
    func knows(_ key: SessionKey) -> Bool { isComplete || kept[key] != nil }

    mutating func add(_ key: SessionKey, _ place: RemovedSession?) {
        lastAge += 1
        kept[key] = Entry(place: place, age: lastAge)
    }

    /// Removes the entry of a session that exists again.
    mutating func remove(_ key: SessionKey) { kept[key] = nil }

    mutating func forget(_ workspace: WorkspaceID) { kept = kept.filter { $0.key.workspace != workspace } }

    // MARK: - Looking up

    /// Starts a look-up. Events are not kept until it ends: their host sends them again, from the position at which the session
    /// continues.
    mutating func lookUp(_ keys: [SessionKey], for hello: Hello?, _ peer: PeerID, _ orders: inout Orders) {
        // Of several messages about the same sessions, only the first starts a look-up.
        if hello == nil, lookUps.values.contains(where: { $0.peer == peer && $0.hello == nil && $0.keys == keys }) { return }
        guard lookUps.values.count(where: { $0.peer == peer }) < Limits.removedSessionsReadsMax else {
            orders.send(.notice(.init(.unavailable, "too many sessions are being looked up; try again")), toHost: peer)
            return
        }
        for key in keys { reading[key, default: 0] += 1 }
        let id = orders.nextReadID()
        lookUps[id] = LookUp(peer: peer, keys: keys, hello: hello)
        orders.add(.readRemovedSessions(id, keys))
    }

    /// Stores the result of a look-up. `isOpen`: true for sessions that exist again by now, whose state is newer.
    mutating func found(
        _ places: [SessionKey: RemovedSession], by id: ReadID, isOpen: (SessionKey) -> Bool
    ) -> LookUp? {
        guard let lookUp = end(id) else { return nil }
        for key in lookUp.keys where !isOpen(key) && !knows(key) { add(key, places[key]) }
        return lookUp
    }

    /// Ends a failed look-up: a host that waits for `welcome` must reconnect; events are sent again. False if the read was no
    /// look-up.
    mutating func lookUpFailed(
        _ id: ReadID, _ reason: String, isThere: (PeerID) -> Bool, _ orders: inout Orders
    ) -> Bool {
        guard let lookUp = end(id) else { return false }
        guard isThere(lookUp.peer) else { return true }
        if lookUp.hello == nil {
            orders.send(.notice(.init(.unavailable, reason)), toHost: lookUp.peer)
        } else {
            orders.add(.close(lookUp.peer, .restarting))
        }
        return true
    }

    private mutating func end(_ id: ReadID) -> LookUp? {
        guard let lookUp = lookUps.removeValue(forKey: id) else { return nil }
        for key in lookUp.keys {
            let others = (reading[key] ?? 1) - 1
            reading[key] = others > 0 ? others : nil
        }
        return lookUp
    }

    /// Notes that a host will send the events of these sessions again.
    mutating func expect(_ keys: [SessionKey], from peer: PeerID) {
        let all = (awaited[peer] ?? []).filter { !keys.contains($0) } + keys
        awaited[peer] = all.suffix(Limits.removedSessionsReadsMax)
    }

    /// Notes that events of this session have arrived again.
    mutating func came(_ key: SessionKey, from peer: PeerID) {
        guard !awaited.isEmpty, let place = awaited[peer]?.firstIndex(of: key) else { return }
        awaited[peer]?.remove(at: place)
        if awaited[peer]?.isEmpty == true { left(peer) }
    }

    mutating func left(_ peer: PeerID) { awaited[peer] = nil }

    // MARK: - Bounds

    /// Entries that may be dropped: no look-up is under way, no host will send their events again, and the session does not exist
    /// again, as its first commit needs the entry.
    private func free(isOpen: (SessionKey) -> Bool) -> [SessionKey: Entry] {
        let awaited = Set(awaited.values.joined())
        return kept.filter { reading[$0.key] == nil && !awaited.contains($0.key) && !isOpen($0.key) }
    }

    /// Drops the oldest entries, somewhat more than necessary.
    mutating func shrink(to countMax: Int, isOpen: (SessionKey) -> Bool) {
        guard kept.count > countMax else { return }
        let free = free(isOpen: isOpen).sorted { $0.value.age < $1.value.age }
        for (key, entry) in free.prefix(kept.count - countMax * 9 / 10) {
            kept[key] = nil
            if entry.place != nil { isComplete = false }
        }
    }

    func count(into census: inout RelayCensus, atMost countMax: Int, isOpen: (SessionKey) -> Bool) {
        census.places = kept.count
        census.reads += lookUps.count
        if free(isOpen: isOpen).count > countMax {
            census.breach = "too many places of removed sessions are at hand"
        }
        let ofHosts = Dictionary(grouping: lookUps.values, by: \.peer)
        if ofHosts.values.contains(where: { $0.count > Limits.removedSessionsReadsMax }) {
            census.breach = "too many places are looked up for a host"
        }
    }
}

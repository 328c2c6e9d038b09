import RelayModel
import RelayProtocol

/// Positions at which removed sessions would continue: those in memory. If that is not all of them, the log is asked for the others when
/// a host names one: no position may mean two things, and nothing that is sent again may take effect twice.
struct RemovedSessions {
    private var kept: [SessionKey: Entry] = [:]
    /// Asked for just now, so often: what is learnt of one meanwhile must not be lost to an older answer.
    private var reading: [SessionKey: Int] = [:]
    private var lastAge = 0
    private var lookUps: [ReadID: LookUp] = [:]
    /// Looked up for events that their hosts are to send again: kept until those arrive, because one that is dropped sooner is looked up
    /// again and again. If there are too many, the latest.
    private var awaited: [PeerID: [SessionKey]] = [:]
    /// True if every removed session is in memory.
    private(set) var isComplete: Bool

    private struct Entry {
        /// Nil: the log has no such session.
        let place: RemovedSession?
        let age: Int
    }

    /// A look into the log for places that are not at hand.
    struct LookUp {
        let peer: PeerID
        let keys: [SessionKey]
        /// Answered when they are known; nil if events wait for it, at their host.
        let hello: Hello?
    }

    init(_ places: [(key: SessionKey, place: RemovedSession)] = [], isComplete: Bool = true) {
        self.isComplete = isComplete
        for (key, place) in places { add(key, place) }
    }

    subscript(key: SessionKey) -> RemovedSession? { kept[key]?.place }

    /// True if nil from the subscript means that there is none.
    func knows(_ key: SessionKey) -> Bool { isComplete || kept[key] != nil }

    mutating func add(_ key: SessionKey, _ place: RemovedSession?) {
        lastAge += 1
        kept[key] = Entry(place: place, age: lastAge)
    }

    /// The session is there again.
    mutating func remove(_ key: SessionKey) { kept[key] = nil }

    mutating func forget(_ workspace: WorkspaceID) { kept = kept.filter { $0.key.workspace != workspace } }

    // MARK: - Looking up

    /// Events are not kept until then: their host is asked for them again, from where the session continues.
    mutating func lookUp(_ keys: [SessionKey], for hello: Hello?, _ peer: PeerID, _ orders: inout Orders) {
        // In a run of messages, the first asks for all.
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

    /// Result of a look-up. `isOpen`: the session became known meanwhile, and is newer.
    mutating func found(
        _ places: [SessionKey: RemovedSession], by id: ReadID, isOpen: (SessionKey) -> Bool
    ) -> LookUp? {
        guard let lookUp = end(id) else { return nil }
        for key in lookUp.keys where !isOpen(key) && !knows(key) { add(key, places[key]) }
        return lookUp
    }

    /// A host that waits for `welcome` comes back; events are sent again. False if the read was for something else.
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

    /// A host is told from where to send the events of these again.
    mutating func expect(_ keys: [SessionKey], from peer: PeerID) {
        let all = (awaited[peer] ?? []).filter { !keys.contains($0) } + keys
        awaited[peer] = all.suffix(Limits.removedSessionsReadsMax)
    }

    /// Events of this session have been accepted again.
    mutating func came(_ key: SessionKey, from peer: PeerID) {
        guard !awaited.isEmpty, let place = awaited[peer]?.firstIndex(of: key) else { return }
        awaited[peer]?.remove(at: place)
        if awaited[peer]?.isEmpty == true { left(peer) }
    }

    mutating func left(_ peer: PeerID) { awaited[peer] = nil }

    // MARK: - Bounds

    /// Those that nobody asks for and no host is to come back to; nor is it open, for then its first commit needs its place.
    private func free(isOpen: (SessionKey) -> Bool) -> [SessionKey: Entry] {
        let awaited = Set(awaited.values.joined())
        return kept.filter { reading[$0.key] == nil && !awaited.contains($0.key) && !isOpen($0.key) }
    }

    /// Lets go of those that came longest ago, some more than it must.
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

import RelayModel
import RelayProtocol

/// Where the sessions that retention removed would go on: those at hand. Where that is not all of them, the log is asked for the others
/// when a host names one: no position may mean two things, and nothing that is sent again may take effect twice.
struct RemovedSessions {
    private var held: [SessionKey: Entry] = [:]
    /// Asked for just now, so often: what is learnt of one meanwhile must not be lost to an older answer.
    private var reading: [SessionKey: Int] = [:]
    private var lastAge = 0
    /// Those at hand are all there are.
    private(set) var isComplete: Bool

    private struct Entry {
        /// Nil: the log has no such session.
        let place: RemovedSession?
        let age: Int
    }

    init(_ places: [(key: SessionKey, place: RemovedSession)] = [], isComplete: Bool = true) {
        self.isComplete = isComplete
        for (key, place) in places { add(key, place) }
    }

    var count: Int { held.count }

    subscript(key: SessionKey) -> RemovedSession? { held[key]?.place }

    /// Whether a nil from the subscript says that there is none.
    func knows(_ key: SessionKey) -> Bool { isComplete || held[key] != nil }

    mutating func add(_ key: SessionKey, _ place: RemovedSession?) {
        lastAge += 1
        held[key] = Entry(place: place, age: lastAge)
    }

    /// The session is there again.
    mutating func remove(_ key: SessionKey) { held[key] = nil }

    mutating func readBegan(_ keys: [SessionKey]) {
        for key in keys { reading[key, default: 0] += 1 }
    }

    mutating func readEnded(_ keys: [SessionKey]) {
        for key in keys {
            let others = (reading[key] ?? 1) - 1
            reading[key] = others > 0 ? others : nil
        }
    }

    /// Lets go of those that came longest ago, some more than it must, unless `isOpen`: then its first commit needs it.
    mutating func shrink(to countMax: Int, isOpen: (SessionKey) -> Bool) {
        guard held.count > countMax else { return }
        let free = held.filter { reading[$0.key] == nil && !isOpen($0.key) }.sorted { $0.value.age < $1.value.age }
        for (key, entry) in free.prefix(held.count - countMax * 9 / 10) {
            held[key] = nil
            if entry.place != nil { isComplete = false }
        }
    }

    /// How many of them nothing needs just now.
    func idleCount(isOpen: (SessionKey) -> Bool) -> Int {
        held.keys.count { reading[$0] == nil && !isOpen($0) }
    }
}

/// A look into the log for places that are not at hand.
struct RemovedSessionsRead {
    let peer: PeerID
    let keys: [SessionKey]
    /// Answered when they are known; nil where it is events that wait, at their host.
    let hello: Hello?
}

package import RelayProtocol

/// The spool's content and its places: all but the bytes. Pure; the same records in the same order give the same index.
package struct SpoolIndex: Sendable {
    /// One event's place, and its number.
    package struct Entry: Sendable, Equatable {
        package var seq: Int64
        package var segment: Int
        package var offset: Int
        package var count: Int
        package var isKept: Bool
        /// Set if a later event with the same state supersedes this one.
        var state: State?
    }

    /// A state of which only the newest event counts: that of a session, or all that one run has used.
    struct State: Sendable, Equatable {
        var kind: EventKind
        var run: String?
    }

    package struct Session: Sendable {
        package var next: Int64 = 1
        package var acknowledged: Int64 = 0
        /// First number that was given without asking the relay how far it has the session; events from it on are not sent. Nil
        /// once the relay was asked.
        package var provisionalFrom: Int64?
        /// Events that wait for the relay, by number.
        package var entries: [Entry] = []
        /// Rank of the last use: sessions that were used least recently are forgotten first.
        package var lastUse = 0
    }

    package struct Segment: Sendable, Equatable {
        package var number: Int
        package var bytes: Int
        /// Entries that are still needed.
        package var live = 0
    }

    /// A run of events that goes out as one message.
    package struct Batch: Sendable, Equatable {
        package var session: SessionID
        package var isAfterGap: Bool
        package var entries: [Entry]
        package var first: Int64 { entries[0].seq }
        package var last: Int64 { entries[entries.count - 1].seq }
        package var bytes: Int { entries.reduce(0) { $0 + $1.count } }
    }

    package private(set) var sessions: [SessionID: Session] = [:]
    package private(set) var notes: [String: [UInt8]] = [:]
    /// The files in the order in which they were begun; the last is written to.
    package private(set) var segments: [Segment] = []
    private var uses = 0

    package var bytes: Int { segments.reduce(0) { $0 + $1.bytes } }
    package var pendingCount: Int { sessions.values.reduce(0) { $0 + $1.entries.count } }

    package func nextSeq(of session: SessionID) -> Int64 { sessions[session]?.next ?? 1 }

    // MARK: Records

    /// The beginning of a file: everything known besides events, so that older files are needed for their events only.
    var snapshot: [SpoolRecord] {
        sessions.sorted { $0.value.lastUse < $1.value.lastUse }
            .compactMap { record($0.key) }
            + notes.sorted { $0.key < $1.key }.map { .note($0.key, $0.value) }
    }

    func record(_ id: SessionID) -> SpoolRecord? {
        sessions[id].map {
            .session(id, next: $0.next, acknowledged: $0.acknowledged, provisionalFrom: $0.provisionalFrom)
        }
    }

    /// Begins a new file, which repeats all notes.
    mutating func beginSegment(_ number: Int, bytes: Int) {
        precondition(number > segments.last?.number ?? 0, "files are begun in the order of their numbers")
        segments.append(Segment(number: number, bytes: bytes))
        notes = [:]
    }

    /// Adds a record of the last segment. `size`: its framed length; `start`: its place.
    mutating func add(_ record: SpoolRecord, at start: Int, size: Int) {
        let current = segments.count - 1
        segments[current].bytes = max(segments[current].bytes, start + size)
        switch record {
        case .event(let id, let seq, let isKept, let bytes):
            sessions[id, default: Session()].next = max(sessions[id]?.next ?? 1, seq + 1)
            use(id)
            guard seq > sessions[id]?.acknowledged ?? 0 else { return }
            let offset = start + SpoolRecord.eventOffset(id)
            var entry = Entry(
                seq: seq, segment: segments[current].number, offset: offset, count: bytes.count, isKept: isKept)
            entry.state = State(of: bytes)
            insert(entry, into: id)
            if let state = entry.state { keepNewest(state, of: id) }
            segments[current].live += 1
        case .session(let id, let next, let acknowledged, let provisionalFrom):
            sessions[id, default: Session()].next = max(next, sessions[id]?.next ?? 1)
            sessions[id]?.provisionalFrom = provisionalFrom
            use(id)
            acknowledge(id, through: acknowledged)
        case .agreed(let id, let from, let through, let next):
            agree(id, from: from, through: through, next: next)
            use(id)
        case .note(let key, let bytes): notes[key] = bytes
        }
    }

    private mutating func use(_ id: SessionID) {
        uses += 1
        sessions[id]?.lastUse = uses
    }

    /// Keeps the newest event of a state: without it a session that does nothing more would be shown for ever as it was before.
    private mutating func keepNewest(_ state: State, of id: SessionID) {
        guard let entries = sessions[id]?.entries, let newest = entries.lastIndex(where: { $0.state == state }) else { return }
        sessions[id]?.entries[newest].isKept = true
        if let before = entries[..<newest].lastIndex(where: { $0.state == state }) {
            sessions[id]?.entries[before].isKept = false
        }
    }

    /// Inserts an entry by its number, mostly at the end. The same number again is the same event, written again because its first
    /// place is in doubt.
    private mutating func insert(_ entry: Entry, into id: SessionID) {
        guard let entries = sessions[id]?.entries, let last = entries.last, last.seq >= entry.seq else {
            sessions[id]?.entries.append(entry)
            return
        }
        let position = entries.firstIndex { $0.seq >= entry.seq } ?? entries.count
        if entries[position].seq == entry.seq {
            release(entries[position])
            sessions[id]?.entries[position] = entry
        } else {
            sessions[id]?.entries.insert(entry, at: position)
        }
    }

    // MARK: The relay's word

    /// True once the relay was asked for its position in the session, so that numbered events can be sent.
    package func isAgreed(_ id: SessionID) -> Bool { sessions[id]?.provisionalFrom == nil }

    /// Takes over the relay's position. Entries numbered beyond what it knew are removed; they follow in records of their own.
    private mutating func agree(_ id: SessionID, from: Int64, through: Int64, next: Int64) {
        var session = sessions[id] ?? Session()
        if through >= from {
            for entry in session.entries where entry.seq >= from { release(entry) }
            session.entries.removeAll { $0.seq >= from }
        }
        session.next = max(session.next, next)
        session.provisionalFrom = nil
        sessions[id] = session
        acknowledge(id, through: through)
    }

    /// Forgets the entries that the relay has on disk.
    mutating func acknowledge(_ id: SessionID, through: Int64) {
        guard var session = sessions[id], through > session.acknowledged else { return }
        session.acknowledged = min(through, session.next - 1)
        let done = session.entries.prefix { $0.seq <= through }
        for entry in done { release(entry) }
        session.entries.removeFirst(done.count)
        sessions[id] = session
    }

    /// Called after loading. If nothing of a session waits, all of it counts as acknowledged; if events were dropped instead, the
    /// relay asks for them and then gets the gap. The relay is asked about every session once more, because our files could be an
    /// old copy, or damaged at their end.
    mutating func settle() {
        for (id, session) in sessions {
            if session.entries.isEmpty { sessions[id]?.acknowledged = session.next - 1 }
            sessions[id]?.provisionalFrom = session.provisionalFrom ?? session.next
        }
    }

    /// Forgets one event for good; the relay will get a gap.
    mutating func drop(_ id: SessionID, seq: Int64) {
        guard let position = sessions[id]?.entries.firstIndex(where: { $0.seq == seq }),
            let entry = sessions[id]?.entries.remove(at: position)
        else { return }
        release(entry)
    }

    /// Skips a number, which was given to an event that could not be written: a gap.
    mutating func skipNumber(of id: SessionID) {
        var session = sessions[id] ?? Session(provisionalFrom: 1)
        session.next += 1
        sessions[id] = session
    }

    private mutating func release(_ entry: Entry) {
        guard let position = segments.firstIndex(where: { $0.number == entry.segment }) else { return }
        segments[position].live -= 1
    }

    // MARK: Room

    /// Removes and returns the files before the last of which nothing is needed any more.
    mutating func takeDeadSegments() -> [Int] {
        let dead = segments.dropLast().filter { $0.live == 0 }.map(\.number)
        segments.removeAll { dead.contains($0.number) }
        return dead
    }

    /// The oldest file before the last with an event that may be dropped.
    var oldestDroppableSegment: Int? {
        let droppable = Set(sessions.values.flatMap { $0.entries.lazy.filter { !$0.isKept }.map(\.segment) })
        return segments.dropLast().first { droppable.contains($0.number) }?.number
    }

    /// Droppable bytes in the file that is written to.
    var droppableBytesInLastSegment: Int {
        guard let last = segments.last?.number else { return 0 }
        return sessions.values.reduce(0) { sum, session in
            // The newest entries are at the end.
            let recent = session.entries.reversed().prefix { $0.segment == last }
            return sum + recent.reduce(0) { $1.isKept ? $0 : $0 + $1.count }
        }
    }

    /// Lets this event be dropped for room.
    mutating func release(_ id: SessionID, seq: Int64) {
        guard let position = sessions[id]?.entries.firstIndex(where: { $0.seq == seq }) else { return }
        sessions[id]?.entries[position].isKept = false
    }

    func entries(inSegment number: Int) -> [(session: SessionID, entry: Entry)] {
        sessions.flatMap { id, session in session.entries.filter { $0.segment == number }.map { (id, $0) } }
            .sorted { $0.1.offset < $1.1.offset }
    }

    /// Updates the index after a file was written again with only these entries in it, at these places.
    mutating func replaceSegment(_ number: Int, bytes: Int, with kept: [(session: SessionID, entry: Entry)]) {
        for (id, session) in sessions where session.entries.contains(where: { $0.segment == number }) {
            let moved = kept.filter { $0.session == id }.map(\.entry)
            sessions[id]?.entries = (session.entries.filter { $0.segment != number } + moved).sorted { $0.seq < $1.seq }
        }
        guard let position = segments.firstIndex(where: { $0.number == number }) else { return }
        segments[position].bytes = bytes
        segments[position].live = kept.count
    }

    /// Forgets the numbering of the least recently used sessions with nothing waiting, and the note that each has under its own
    /// name. Returns them.
    mutating func forgetSessions(beyond count: Int, except isNeeded: (SessionID) -> Bool) -> [SessionID] {
        guard sessions.count > count else { return [] }
        let idle = sessions.filter { $0.value.entries.isEmpty && !isNeeded($0.key) }
            .sorted { $0.value.lastUse < $1.value.lastUse }.prefix(sessions.count - count).map(\.key)
        for id in idle {
            sessions[id] = nil
            notes[id.rawValue] = nil
        }
        return idle
    }

    // MARK: Sending

    /// The next events after `seq`, in number and size as one message may hold.
    package func batch(_ id: SessionID, after seq: Int64, countMax: Int, bytesMax: Int) -> Batch? {
        guard let entries = sessions[id]?.entries, let start = entries.firstIndex(where: { $0.seq > seq }) else { return nil }
        var batch = Batch(session: id, isAfterGap: entries[start].seq != seq + 1, entries: [])
        var bytes = 0
        for entry in entries[start...] {
            if let last = batch.entries.last, last.seq + 1 != entry.seq { break }
            // The comma between two events counts too.
            bytes += entry.count + 1
            if batch.entries.count == countMax || (bytes > bytesMax && !batch.entries.isEmpty) { break }
            batch.entries.append(entry)
        }
        return batch
    }
}

extension SpoolIndex.State {
    /// Kinds of events of which a newer one may supersede an older one, with their beginnings as we write them.
    private static let beginnings: [(kind: EventKind, bytes: [UInt8])] =
        [EventKind.statusChanged, .todoChanged, .steeringOffered, .usage].map {
            ($0, Array(#"{"kind":"\#($0.rawValue)""#.utf8))
        }

    /// The state that an event reports; nil if none. Usage without a run, or as a difference, is a part of a sum that no later
    /// event repeats.
    fileprivate init?(of event: [UInt8]) {
        guard let kind = Self.beginnings.first(where: { event.starts(with: $0.bytes) })?.kind else { return nil }
        self.kind = kind
        guard kind == .usage else { return }
        guard case .usage(let usage) = (try? Event(stored: event))?.head, let run = usage.run, usage.costDeltaMicroUSD == nil
        else {
            return nil
        }
        self.run = run
    }
}

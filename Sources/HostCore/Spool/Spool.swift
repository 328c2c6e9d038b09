package import RelayProtocol

/// The events that the relay does not have yet, on this machine's disk, in order.
///
/// A directory of files that are only appended to. Each begins with all that is known besides events, so a file whose events are
/// acknowledged is simply deleted. Records that are damaged, or were torn by a power cut, are skipped at opening.
///
/// An event is numbered when it is written. The number is final once the relay has reported its position in the session since this
/// opening (`acknowledge`). Until then nothing is sent, and events whose numbers the relay already has are renumbered. So no number
/// ever means two events, whatever happened to our files.
///
/// Failures of the disk:
///
/// | failure at | consequence |
/// |---|---|
/// | a start without room | the reserve is given up for it; without one, nothing is written or sent until there is room |
/// | a write | the part that was written is cut off; events become a gap in the numbers, and items that must not be lost wait in
/// memory |
/// | cutting that off, or a sync | nothing after the last sync counts as written: it is written again, to a new file, before
/// anything else |
///
/// A sync is never tried twice on the same file: the kernel reports lost pages once, and then calls them clean.
package final class Spool {
    package enum Item: Sendable, Equatable {
        case event(SessionID, [UInt8], isKept: Bool)
        /// An event that is kept, and waits in memory while the disk fails: the end of something that others wait for.
        case owed(SessionID, [UInt8])
        case note(String, [UInt8]?)
    }

    package private(set) var index = SpoolIndex()
    /// Events that were dropped: for lack of room, because the disk failed, or because the relay refused them.
    package private(set) var droppedCount = 0
    /// True if the disk did not take something; call `retry` from time to time.
    package private(set) var isFailing = false
    /// Number of files that were begun only to make room.
    private(set) var rotationCount = 0

    private let disk: any SpoolDisk
    private let files: SpoolFiles
    private let limits: SpoolLimits
    private let log: (SpoolLog) -> Void
    /// The file that is written to; empty if there has been no room for one since the start.
    private var current = ""
    private var currentBytes = 0
    /// Files are numbered in the order in which they are begun.
    private var lastNumber: Int
    private var hasReserve: Bool
    /// Events and agreements that were written and not synchronized; at most a file's worth.
    private var unsynchronized: [SpoolRecord] = []
    /// True if something was written but not synchronized.
    private(set) var isDirty = false
    /// True if the content of `current` is not known.
    private var isSuspect = false
    private var owed: OwedItems
    /// Sessions in which unwritten events got numbers that no record mentions yet.
    private var skipped: Set<SessionID> = []

    // MARK: Opening

    package init(
        disk: any SpoolDisk, limits: SpoolLimits = SpoolLimits(), log: @escaping (SpoolLog) -> Void
    ) throws(SpoolError) {
        let files = SpoolFiles(on: disk, log: log)
        self.disk = disk
        self.files = files
        self.limits = limits
        owed = OwedItems(bytesMax: limits.owedBytesMax)
        self.log = log
        var index = SpoolIndex()
        lastNumber = try files.load(into: &index)
        index.settle()
        self.index = index
        hasReserve = try disk.names().contains(Self.reserveName)
        let events = eventsThatMayNotLast()
        do throws(SpoolError) {
            try beginNext(with: events)
        } catch {
            guard error.code == .full else { throw error }
            try beginWithoutRoom(with: events)
        }
        makeReserve()
    }

    /// Brings the last file to disk, which a life that crashed may not have done: the next file keeps for good the notes that were
    /// written with its events. Returns the events if it cannot.
    private func eventsThatMayNotLast() -> [SpoolRecord] {
        guard lastNumber > 0 else { return [] }
        do throws(SpoolError) {
            try disk.synchronize(SpoolFiles.name(lastNumber))
            return []
        } catch {
            log(.notSynchronized(error))
            return index.entries(inSegment: lastNumber).compactMap { session, entry in
                read(entry, of: session).map { .event(session, seq: entry.seq, isKept: entry.isKept, bytes: $0) }
            }
        }
    }

    /// Starts although nothing can be written: the host still receives facts, and sends the waiting events as soon as it can.
    private func beginWithoutRoom(with events: [SpoolRecord]) throws(SpoolError) {
        deleteDeadSegments()
        giveUpReserve()
        do throws(SpoolError) {
            try beginNext(with: events)
        } catch {
            guard error.code == .full else { throw error }
            unsynchronized = events
            isSuspect = true
            isFailing = true
            log(.noRoom(error))
        }
    }

    // MARK: Writing

    /// Appends all items, and those still to be written before them, with one write; after it, no crash of this process undoes any
    /// of it. Returns the numbers of the events.
    ///
    /// An event that cannot be written still takes its number, so that the relay learns of a gap, unless it is one that is kept in
    /// memory. The numbering and notes of needed sessions are not forgotten for others.
    @discardableResult
    package func append(
        _ items: [Item], isNeeded: (SessionID) -> Bool = { _ in false }
    ) throws(SpoolError) -> [Int64] {
        guard !items.isEmpty || !owed.items.isEmpty else { return [] }
        do throws(SpoolError) {
            for item in items { try Self.check(item) }
            try renewIfSuspect()
            try rotateIfFull(isNeeded)
            let (records, numbers) = number(owed.items + items)
            try write(records)
            log(.took(owed.items + items, numbers: numbers))
            // The caller does not get the numbers of events from earlier calls.
            let owedEvents = owed.eventCount
            owed.removeAll()
            skipped = []
            isFailing = false
            makeRoom(isNeeded)
            return Array(numbers.dropFirst(owedEvents))
        } catch {
            if error.code != .tooLong { isFailing = true }
            log(.refused(items, error))
            for item in items {
                if let session = owed.takeIn(item, because: error) { skip(session) }
            }
            throw error
        }
    }

    /// Tries the disk again. Throws while it still fails.
    package func retry(isNeeded: (SessionID) -> Bool = { _ in false }) throws(SpoolError) {
        guard isFailing else { return }
        isSuspect = true
        try renewIfSuspect()
        isFailing = false
        try append([], isNeeded: isNeeded)
    }

    private func number(_ items: [Item]) -> (records: [SpoolRecord], numbers: [Int64]) {
        // A gap at the end of the numbers is known only from a record.
        var records = skipped.sorted { $0.rawValue < $1.rawValue }.compactMap(index.record)
        var next: [SessionID: Int64] = [:]
        var numbers: [Int64] = []
        func add(_ session: SessionID, _ event: [UInt8], isKept: Bool) {
            if index.sessions[session] == nil, next[session] == nil {
                records.append(.session(session, next: 1, acknowledged: 0, provisionalFrom: 1))
            }
            let seq = next[session] ?? index.nextSeq(of: session)
            next[session] = seq + 1
            numbers.append(seq)
            records.append(.event(session, seq: seq, isKept: isKept, bytes: event))
        }
        for item in items {
            switch item {
            case .event(let session, let event, let isKept): add(session, event, isKept: isKept)
            case .owed(let session, let event): add(session, event, isKept: true)
            case .note(let key, let content): records.append(.note(key, content))
            }
        }
        return (records, numbers)
    }

    /// Writes the records in one write, then updates the index.
    private func write(_ records: [SpoolRecord]) throws(SpoolError) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for record in records {
            bytes += try record.framed()
            ends.append(bytes.count)
        }
        do throws(SpoolError) {
            try disk.append(bytes, to: current)
        } catch {
            // A partly written record is cut off, so that the next record is where the index says.
            do throws(SpoolError) { try disk.truncate(current, to: currentBytes) } catch { isSuspect = true }
            throw error
        }
        isDirty = true
        for (record, (start, end)) in zip(records, zip([0] + ends, ends)) {
            index.add(record, at: currentBytes + start, size: end - start)
            switch record {
            case .event, .agreed: unsynchronized.append(record)
            case .session, .note: break
            }
        }
        currentBytes += bytes.count
    }

    /// Lets an event that was kept for a decision be dropped for room like any other, because the decision was made.
    package func release(_ session: SessionID, seq: Int64) { index.release(session, seq: seq) }

    /// Brings everything to disk. Nothing is sent before, or a power cut could make us use a number twice.
    package func synchronize() throws(SpoolError) {
        guard isDirty || isSuspect else { return }
        if !isSuspect {
            do throws(SpoolError) {
                try disk.synchronize(current)
                unsynchronized = []
                isDirty = false
                return
            } catch {
                log(.notSynchronized(error))
                isSuspect = true
            }
        }
        do throws(SpoolError) {
            try renewIfSuspect()
        } catch {
            isFailing = true
            throw error
        }
    }

    // MARK: A disk that fails

    /// Begins a new file with all that the suspect one may not hold.
    private func renewIfSuspect() throws(SpoolError) {
        guard isSuspect else { return }
        let old = current
        try beginNext(with: unsynchronized)
        log(.renewed(after: old))
    }

    private func beginNext(with records: [SpoolRecord]) throws(SpoolError) {
        current = try files.begin(lastNumber + 1, &index, with: records)
        lastNumber += 1
        currentBytes = index.segments.last?.bytes ?? 0
        unsynchronized = []
        skipped = []
        isDirty = false
        isSuspect = false
        deleteDeadSegments()
    }

    private static func check(_ item: Item) throws(SpoolError) {
        let (name, count) =
            switch item {
            case .event(let session, let event, _), .owed(let session, let event): (session.rawValue, event.count + 8)
            case .note(let key, let content): (key, content?.count ?? 0)
            }
        guard name.utf8.count + count + 2 <= SpoolRecord.payloadBytesMax else {
            throw SpoolError(.tooLong, "a record of \(count) bytes does not fit into the spool")
        }
    }

    private func skip(_ session: SessionID) {
        index.skipNumber(of: session)
        skipped.insert(session)
        droppedCount += 1
    }

    // MARK: Reading

    /// Reads a batch's events. If one is damaged, it is dropped, which is a gap, and this throws: ask for a batch again.
    package func read(_ batch: SpoolIndex.Batch) throws(SpoolError) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for entry in batch.entries {
            do throws(SpoolError) {
                events.append(try files.read(entry, of: batch.session))
            } catch {
                if error.code == .damaged { drop(batch.session, seq: entry.seq) }
                throw error
            }
        }
        return events
    }

    /// The event; nil if the disk does not hold it, which changes nothing.
    func read(_ entry: SpoolIndex.Entry, of session: SessionID) -> [UInt8]? { try? files.read(entry, of: session) }

    // MARK: The relay's word

    /// Handles the relay's report that it has the session on disk through that number, 0 for not at all: its answer to `hello`, or
    /// an acknowledgement.
    package func acknowledge(_ session: SessionID, through: Int64) {
        guard let known = index.sessions[session] else { return }
        if known.provisionalFrom != nil || through >= known.next {
            agree(session, from: known.provisionalFrom ?? known.next, through: through)
        } else {
            index.acknowledge(session, through: through)
        }
        deleteDeadSegments()
    }

    /// Makes numbers final. If the relay has more than we can have sent, our state was lost or is an old copy: events numbered
    /// since then get numbers that are new to the relay, with the same gaps, or they would be taken for repeats.
    private func agree(_ session: SessionID, from: Int64, through: Int64) {
        guard let known = index.sessions[session] else { return }
        let shift = max(0, through + 1 - from)
        let moved = shift > 0 ? known.entries.filter { $0.seq >= from } : []
        if shift > 0 { log(.renumbered(session, events: moved.count)) }
        do throws(SpoolError) {
            try renewIfSuspect()
            let agreement = SpoolRecord.agreed(session, from: from, through: through, next: known.next + shift)
            // Written twice, because the loss of this record would make events that are sent from now on look unsent.
            var records = [agreement, agreement]
            for entry in moved {
                guard let event = try readIfWhole(entry, of: session) else { continue }
                records.append(.event(session, seq: entry.seq + shift, isKept: entry.isKept, bytes: event))
            }
            do throws(SpoolError) {
                try write(records)
            } catch {
                // Waiting events use room until they are sent, and they are not sent before this is written.
                guard error.code == .full, hasReserve else { throw error }
                giveUpReserve()
                try renewIfSuspect()
                try write(records)
            }
            droppedCount += moved.count - (records.count - 2)
        } catch {
            // The session stays as it was, unsent; the relay is asked again when the disk works again.
            isFailing = true
            log(.notAgreed(session, error))
        }
    }

    /// The event; nil, which leaves a gap, if the disk does not hold it any more.
    private func readIfWhole(_ entry: SpoolIndex.Entry, of session: SessionID) throws(SpoolError) -> [UInt8]? {
        do throws(SpoolError) {
            return try files.read(entry, of: session)
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// Drops an event that the relay refuses for what it is and will never accept.
    package func drop(_ session: SessionID, seq: Int64) {
        index.drop(session, seq: seq)
        droppedCount += 1
        deleteDeadSegments()
    }

    // MARK: Room

    private func rotateIfFull(_ isNeeded: (SessionID) -> Bool) throws(SpoolError) {
        // When nothing waits, a file is begun early: then all old files can be deleted.
        let isIdle = index.pendingCount == 0 && currentBytes > limits.segmentBytesMax / 4
        guard currentBytes > limits.segmentBytesMax || isIdle else { return }
        try rotate(isNeeded)
    }

    private func rotate(_ isNeeded: (SessionID) -> Bool) throws(SpoolError) {
        try synchronize()
        let forgotten = index.forgetSessions(beyond: limits.sessionsMax, except: isNeeded)
        if !forgotten.isEmpty { log(.forgotSessions(count: forgotten.count)) }
        // If the new file cannot be begun, nothing is appended to the old one: after a crash both could be there to be read.
        isSuspect = true
        try beginNext(with: [])
    }

    private func deleteDeadSegments() {
        let dead = index.takeDeadSegments()
        for number in dead {
            do throws(SpoolError) {
                try disk.remove(SpoolFiles.name(number))
            } catch {
                // The next opening removes the file: everything in it is acknowledged.
                log(.notRemoved(file: SpoolFiles.name(number), error))
            }
        }
        if !dead.isEmpty, !isFailing { makeReserve() }
    }

    private static let reserveName = "reserve"

    /// Makes the reserve. If there is no room for it, it is tried again when a file was deleted.
    private func makeReserve() {
        guard !hasReserve, !isFailing else { return }
        hasReserve = (try? disk.replace(Self.reserveName, with: [UInt8](repeating: 0, count: limits.reserveBytes))) != nil
    }

    private func giveUpReserve() {
        guard hasReserve else { return }
        do throws(SpoolError) {
            try disk.remove(Self.reserveName)
            hasReserve = false
        } catch {
            log(.notRemoved(file: Self.reserveName, error))
        }
    }

    /// Drops the oldest events that may be dropped, a file at a time, until the spool is within its bound.
    private func makeRoom(_ isNeeded: (SessionID) -> Bool) {
        guard index.bytes > limits.bytesMax else { return }
        do throws(SpoolError) {
            // A new file is begun only if that lets enough be dropped: it is a write that is waited for.
            if index.oldestDroppableSegment == nil, index.droppableBytesInLastSegment > limits.segmentBytesMax / 4 {
                rotationCount += 1
                try rotate(isNeeded)
            }
            while index.bytes > limits.bytesMax, let number = index.oldestDroppableSegment { try thin(number) }
        } catch {
            log(.notThinned(error))
        }
        deleteDeadSegments()
    }

    private func thin(_ number: Int) throws(SpoolError) {
        let all = index.entries(inSegment: number)
        var bytes = SpoolFiles.magic
        var kept: [(session: SessionID, entry: SpoolIndex.Entry)] = []
        for (session, entry) in all where entry.isKept {
            guard let event = try readIfWhole(entry, of: session) else { continue }
            var moved = entry
            moved.offset = bytes.count + SpoolRecord.eventOffset(session)
            bytes += try SpoolRecord.event(session, seq: entry.seq, isKept: true, bytes: event).framed()
            kept.append((session, moved))
        }
        // If no event is kept, the file is only deleted, which works on a full disk too.
        if !kept.isEmpty { try disk.replace(SpoolFiles.name(number), with: bytes) }
        index.replaceSegment(number, bytes: bytes.count, with: kept)
        let dropped = all.count - kept.count
        droppedCount += dropped
        log(.thinned(events: dropped))
        if kept.isEmpty { deleteDeadSegments() }
    }
}

package import RelayProtocol

/// What the agents did and the relay does not have yet, on this machine's disk, in order.
///
/// A directory of files that are only appended to. Each begins with all that is known besides events, so a file whose
/// events are acknowledged is simply deleted. A torn end (the machine lost power while writing) is cut off at opening.
package final class Spool {
    package enum Item {
        case event(SessionID, [UInt8], isKept: Bool)
        case note(String, [UInt8]?)
    }

    private static let magic = Array("HELSPL1\n".utf8)

    package private(set) var index = SpoolIndex()
    /// Sessions whose numbering and notes must not be forgotten.
    package var isNeeded: (SessionID) -> Bool = { _ in false }
    /// Events that were dropped because the spool is full, or refused by the relay.
    package private(set) var droppedCount = 0
    /// How often a file was begun for room alone.
    private(set) var rotationCount = 0

    private let disk: any SpoolDisk
    private let limits: SpoolLimits
    private let log: (SpoolLog) -> Void
    /// The file that is written to.
    private var current: String
    private var currentBytes: Int
    private var isDirty = false
    /// The current file ends in a part of a record that could not be taken away: nothing behind it could be found again.
    private var isTorn = false

    // MARK: Opening

    package init(
        disk: any SpoolDisk, limits: SpoolLimits = SpoolLimits(), log: @escaping (SpoolLog) -> Void
    ) throws(SpoolError) {
        self.disk = disk
        self.limits = limits
        self.log = log
        var index = SpoolIndex()
        let numbers = try disk.names().compactMap(Self.number).sorted()
        for number in numbers { try Self.load(number, of: disk, isLast: number == numbers.last, into: &index, log) }
        index.settle()
        current = try Self.begin((numbers.last ?? 0) + 1, on: disk, &index)
        currentBytes = index.segments.last?.bytes ?? 0
        self.index = index
        deleteDeadSegments()
    }

    private static func name(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ".spool"
    }

    private static func number(_ name: String) -> Int? {
        guard name.hasSuffix(".spool"), name.utf8.count == 22 else { return nil }
        return Int(name.prefix(16), radix: 16)
    }

    private static func load(
        _ number: Int, of disk: any SpoolDisk, isLast: Bool, into index: inout SpoolIndex, _ log: (SpoolLog) -> Void
    ) throws(SpoolError) {
        let name = name(number)
        let bytes = try disk.contents(of: name)
        guard bytes.starts(with: magic) else {
            log(.foreign(file: name))
            return
        }
        index.beginSegment(number, bytes: magic.count)
        var start = magic.count
        while let (record, end) = SpoolRecord.read(bytes, at: start) {
            index.add(record, at: start, size: end - start)
            start = end
        }
        // In an older file it is damage and not a torn end: what follows cannot be found, and becomes a gap.
        if start < bytes.count { log(.torn(file: name, bytes: bytes.count - start, isLast: isLast)) }
    }

    /// Writes a file that says all that is known: it is there whole or not at all.
    private static func begin(
        _ number: Int, on disk: any SpoolDisk, _ index: inout SpoolIndex
    ) throws(SpoolError) -> String {
        let records = index.snapshot
        let name = name(number)
        var frames: [[UInt8]] = []
        for record in records { frames.append(try record.framed()) }
        try disk.replace(name, with: magic + frames.joined())
        index.beginSegment(number, bytes: magic.count)
        var start = magic.count
        for (record, frame) in zip(records, frames) {
            index.add(record, at: start, size: frame.count)
            start += frame.count
        }
        return name
    }

    // MARK: Writing

    /// Appends all of it with one write(2): after it, no crash of this process takes any of it back. Returns the numbers of
    /// the events.
    ///
    /// An event that cannot be written still takes its number, so that the relay learns of a gap.
    @discardableResult
    package func append(_ items: [Item]) throws(SpoolError) -> [Int64] {
        guard !items.isEmpty else { return [] }
        rotateIfFull()
        var bytes: [UInt8] = []
        var added: [(record: SpoolRecord, start: Int, size: Int)] = []
        var next: [SessionID: Int64] = [:]
        var numbers: [Int64] = []
        do throws(SpoolError) {
            if isTorn { try rotate() }
            for item in items {
                let record: SpoolRecord
                switch item {
                case .event(let session, let event, let isKept):
                    let seq = next[session] ?? index.nextSeq(of: session)
                    next[session] = seq + 1
                    numbers.append(seq)
                    record = .event(session, seq: seq, isKept: isKept, bytes: event)
                case .note(let key, let content): record = .note(key, content)
                }
                let frame = try record.framed()
                added.append((record, currentBytes + bytes.count, frame.count))
                bytes += frame
            }
            try disk.append(bytes, to: current)
        } catch {
            cutOffPart()
            for case .event(let session, _, _) in items { index.skipNumber(of: session) }
            throw error
        }
        isDirty = true
        currentBytes += bytes.count
        for (record, start, size) in added { index.add(record, at: start, size: size) }
        makeRoom()
        return numbers
    }

    /// Whatever part of a record was written goes, so that the next one stands where it can be found; or in another file.
    private func cutOffPart() {
        do throws(SpoolError) {
            try disk.truncate(current, to: currentBytes)
            isTorn = false
        } catch {
            isTorn = true
        }
    }

    /// What was kept for somebody to decide about is settled: it may go for room like any other event.
    package func release(_ session: SessionID, seq: Int64) { index.release(session, seq: seq) }

    /// On disk when this returns: nothing is sent before, or a power cut could make us give a number twice.
    package func synchronize() throws(SpoolError) {
        guard isDirty else { return }
        try disk.synchronize(current)
        isDirty = false
    }

    // MARK: Reading

    package func read(_ batch: SpoolIndex.Batch) throws(SpoolError) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for entry in batch.entries {
            let bytes = try disk.read(Self.name(entry.segment), at: entry.offset, count: entry.count)
            guard bytes.count == entry.count else {
                throw SpoolError(.failed, "\(Self.name(entry.segment)) is shorter than it was")
            }
            events.append(bytes)
        }
        return events
    }

    // MARK: The relay's word

    package func acknowledge(_ session: SessionID, through: Int64) {
        if let known = index.sessions[session], through >= known.next {
            renumber(session, after: through)
        } else {
            index.acknowledge(session, through: through)
        }
        deleteDeadSegments()
    }

    /// The relay has more of this session than we ever numbered: our state was lost or is an old copy. What waits gets
    /// numbers that are new to the relay, or it would be taken for repeats.
    private func renumber(_ session: SessionID, after through: Int64) {
        let waiting = index.sessions[session]?.entries ?? []
        log(.renumbered(session, events: waiting.count))
        do throws(SpoolError) {
            let batch = SpoolIndex.Batch(session: session, isAfterGap: false, entries: waiting)
            let events = waiting.isEmpty ? [] : try read(batch)
            var records: [SpoolRecord] = [.session(session, next: through + 1, acknowledged: through)]
            for (position, (entry, event)) in zip(waiting, events).enumerated() {
                records.append(.event(session, seq: through + 1 + Int64(position), isKept: entry.isKept, bytes: event))
            }
            var frames: [[UInt8]] = []
            for record in records { frames.append(try record.framed()) }
            if isTorn { try rotate() }
            try disk.append(Array(frames.joined()), to: current)
            isDirty = true
            for (record, frame) in zip(records, frames) {
                index.add(record, at: currentBytes, size: frame.count)
                currentBytes += frame.count
            }
        } catch {
            log(.notRenumbered(session, error))
            cutOffPart()
        }
    }

    /// The relay refuses this event for what it is: it will never take it.
    package func drop(_ session: SessionID, seq: Int64) {
        index.drop(session, seq: seq)
        droppedCount += 1
        deleteDeadSegments()
    }

    // MARK: Room

    /// Where no new file can be begun, the old one goes on: what matters is that the event is written.
    private func rotateIfFull() {
        // Begun anew early when nothing waits: then all that is old can go.
        let isIdle = index.pendingCount == 0 && currentBytes > limits.segmentBytesMax / 4
        guard currentBytes > limits.segmentBytesMax || isIdle else { return }
        do throws(SpoolError) { try rotate() } catch { log(.notRotated(error)) }
    }

    private func rotate() throws(SpoolError) {
        guard let last = index.segments.last else { preconditionFailure("a spool always has a file that it writes to") }
        try synchronize()
        let forgotten = index.forgetSessions(beyond: limits.sessionsMax, except: isNeeded)
        if !forgotten.isEmpty { log(.forgotSessions(count: forgotten.count)) }
        current = try Self.begin(last.number + 1, on: disk, &index)
        currentBytes = index.segments.last?.bytes ?? 0
        isTorn = false
        deleteDeadSegments()
    }

    private func deleteDeadSegments() {
        for number in index.takeDeadSegments() {
            do throws(SpoolError) {
                try disk.remove(Self.name(number))
            } catch {
                // It goes at the next opening: all in it is known to be acknowledged.
                log(.notRemoved(file: Self.name(number), error))
            }
        }
    }

    /// Drops the oldest events that may be dropped, a file at a time, until the spool is within its bound.
    private func makeRoom() {
        guard index.bytes > limits.bytesMax else { return }
        do throws(SpoolError) {
            // Only for what can be dropped then, and for enough of it: a new file is a write that is waited for.
            if index.oldestDroppableSegment == nil, index.droppableBytesInLastSegment > limits.segmentBytesMax / 4 {
                rotationCount += 1
                try rotate()
            }
            while index.bytes > limits.bytesMax, let number = index.oldestDroppableSegment { try thin(number) }
        } catch {
            log(.notThinned(error))
        }
        deleteDeadSegments()
    }

    private func thin(_ number: Int) throws(SpoolError) {
        let all = index.entries(inSegment: number)
        var bytes = Self.magic
        var kept: [(session: SessionID, entry: SpoolIndex.Entry)] = []
        for (session, entry) in all where entry.isKept {
            let batch = SpoolIndex.Batch(session: session, isAfterGap: false, entries: [entry])
            let event = try read(batch)[0]
            var moved = entry
            moved.offset = bytes.count + SpoolRecord.eventOffset(session)
            bytes += try SpoolRecord.event(session, seq: entry.seq, isKept: true, bytes: event).framed()
            kept.append((session, moved))
        }
        try disk.replace(Self.name(number), with: bytes)
        index.replaceSegment(number, bytes: bytes.count, with: kept)
        let dropped = all.count - kept.count
        droppedCount += dropped
        log(.thinned(events: dropped))
    }
}

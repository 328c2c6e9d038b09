internal import Glibc
internal import Logging
internal import RelayProtocol

/// What the agents did and the relay does not have yet, on this machine's disk, in order.
///
/// A directory of files that are only appended to. Each begins with all that is known besides events, so a file whose
/// events are acknowledged is simply deleted. A torn end (the machine lost power while writing) is cut off at opening.
final class Spool {
    enum Item {
        case event(SessionID, [UInt8], isKept: Bool)
        case note(String, [UInt8]?)
    }

    private static let magic = Array("HELSPL1\n".utf8)

    private(set) var index = SpoolIndex()
    /// Sessions whose numbering and notes must not be forgotten.
    var isNeeded: (SessionID) -> Bool = { _ in false }
    /// Called with what was dropped because the spool is full.
    private(set) var droppedCount = 0
    /// How often a file was begun for room alone.
    private(set) var rotationCount = 0

    private let directory: String
    private let limits: SpoolLimits
    private let logger: Logger
    private var current: File
    private var currentBytes: Int
    private var isDirty = false

    // MARK: Opening

    init(directory: String, limits: SpoolLimits = SpoolLimits(), logger: Logger) throws(HostError) {
        self.directory = directory
        self.limits = limits
        self.logger = logger
        try Files.makePrivateDirectory(directory)
        var index = SpoolIndex()
        let numbers = Files.names(in: directory).compactMap(Self.number).sorted()
        for number in numbers {
            try Self.load(number, of: directory, isLast: number == numbers.last, into: &index, logger)
        }
        index.settle()
        current = try Self.begin((numbers.last ?? 0) + 1, of: directory, &index)
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
        _ number: Int, of directory: String, isLast: Bool, into index: inout SpoolIndex, _ logger: Logger
    ) throws(HostError) {
        let path = directory + "/" + name(number)
        guard let bytes = try Files.read(path, bytesMax: 1 << 30), bytes.starts(with: magic) else {
            logger.error("a spool file is not one of ours and was left alone", metadata: ["file": "\(name(number))"])
            return
        }
        index.beginSegment(number, bytes: magic.count)
        var start = magic.count
        while let (record, end) = SpoolRecord.read(bytes, at: start) {
            index.add(record, at: start, size: end - start)
            start = end
        }
        guard start < bytes.count else { return }
        // In an older file it is damage and not a torn end: what follows cannot be found, and becomes a gap.
        logger.warning(
            "the end of a spool file was torn",
            metadata: ["file": "\(name(number))", "bytes": "\(bytes.count - start)", "last": "\(isLast)"])
    }

    /// Writes a file that says all that is known, under a temporary name first: it is there whole or not at all.
    private static func begin(
        _ number: Int, of directory: String, _ index: inout SpoolIndex
    ) throws(HostError) -> File {
        let records = index.snapshot
        let path = directory + "/" + name(number)
        var frames: [[UInt8]] = []
        for record in records { frames.append(try record.framed()) }
        try Files.replace(path, with: magic + frames.joined())
        let file = try File(path, O_RDWR | O_APPEND)
        index.beginSegment(number, bytes: magic.count)
        var start = magic.count
        for (record, frame) in zip(records, frames) {
            index.add(record, at: start, size: frame.count)
            start += frame.count
        }
        return file
    }

    // MARK: Writing

    /// Appends all of it with one write(2): after it, no crash of this process takes any of it back. Returns the numbers of
    /// the events.
    ///
    /// An event that cannot be written still takes its number, so that the relay learns of a gap.
    @discardableResult
    func append(_ items: [Item]) throws(HostError) -> [Int64] {
        guard !items.isEmpty else { return [] }
        try rotateIfFull()
        var bytes: [UInt8] = []
        var added: [(record: SpoolRecord, start: Int, size: Int)] = []
        var next: [SessionID: Int64] = [:]
        var numbers: [Int64] = []
        do {
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
            try current.write(bytes)
        } catch {
            // Whatever part of it was written goes, so that the next record stands where it can be found.
            try? current.truncate(to: currentBytes)
            for case .event(let session, _, _) in items { index.skipNumber(of: session) }
            throw error
        }
        isDirty = true
        currentBytes += bytes.count
        for (record, start, size) in added { index.add(record, at: start, size: size) }
        makeRoom()
        return numbers
    }

    /// What was kept for somebody to decide about is settled: it may go for room like any other event.
    func release(_ session: SessionID, seq: Int64) { index.release(session, seq: seq) }

    /// On disk when this returns: nothing is sent before, or a power cut could make us give a number twice.
    func synchronize() throws(HostError) {
        guard isDirty else { return }
        try current.synchronize()
        isDirty = false
    }

    // MARK: Reading

    func read(_ batch: SpoolIndex.Batch) throws(HostError) -> [[UInt8]] {
        var events: [[UInt8]] = []
        var older: [Int: [SpoolIndex.Entry]] = [:]
        for entry in batch.entries { older[entry.segment, default: []].append(entry) }
        for (segment, entries) in older.sorted(by: { $0.key < $1.key }) {
            let isCurrent = segment == index.segments.last?.number
            events += isCurrent ? try Self.read(entries, of: current) : try Self.read(entries, of: open(segment))
        }
        return events
    }

    private func open(_ segment: Int) throws(HostError) -> File { try File(directory + "/" + Self.name(segment), O_RDONLY) }

    private static func read(_ entries: [SpoolIndex.Entry], of file: borrowing File) throws(HostError) -> [[UInt8]] {
        var events: [[UInt8]] = []
        for entry in entries {
            let bytes = try file.read(at: entry.offset, count: entry.count)
            guard bytes.count == entry.count else { throw HostError(.file, "\(file.path) is shorter than it was") }
            events.append(bytes)
        }
        return events
    }

    // MARK: The relay's word

    func acknowledge(_ session: SessionID, through: Int64) {
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
        logger.warning(
            "the relay knows later events of a session than this host does: numbering anew",
            metadata: ["session.id": "\(session)", "events": "\(waiting.count)"])
        do {
            let batch = SpoolIndex.Batch(session: session, isAfterGap: false, entries: waiting)
            let events = waiting.isEmpty ? [] : try read(batch)
            var records: [SpoolRecord] = [.session(session, next: through + 1, acknowledged: through)]
            for (position, (entry, event)) in zip(waiting, events).enumerated() {
                records.append(.event(session, seq: through + 1 + Int64(position), isKept: entry.isKept, bytes: event))
            }
            var frames: [[UInt8]] = []
            for record in records { frames.append(try record.framed()) }
            try current.write(Array(frames.joined()))
            isDirty = true
            for (record, frame) in zip(records, frames) {
                index.add(record, at: currentBytes, size: frame.count)
                currentBytes += frame.count
            }
        } catch {
            logger.error("a session could not be numbered anew", metadata: ["session.id": "\(session)", "error": "\(error)"])
            try? current.truncate(to: currentBytes)
        }
    }

    /// The relay refuses this event for what it is: it will never take it.
    func drop(_ session: SessionID, seq: Int64) {
        index.drop(session, seq: seq)
        droppedCount += 1
        deleteDeadSegments()
    }

    // MARK: Room

    private func rotateIfFull() throws(HostError) {
        // Begun anew early when nothing waits: then all that is old can go.
        let isIdle = index.pendingCount == 0 && currentBytes > limits.segmentBytesMax / 4
        guard currentBytes > limits.segmentBytesMax || isIdle else { return }
        try rotate()
    }

    private func rotate() throws(HostError) {
        guard let last = index.segments.last else { preconditionFailure("a spool always has a file that it writes to") }
        try synchronize()
        let forgotten = index.forgetSessions(beyond: limits.sessionsMax, except: isNeeded)
        if !forgotten.isEmpty { logger.debug("forgot sessions of long ago", metadata: ["count": "\(forgotten.count)"]) }
        current = try Self.begin(last.number + 1, of: directory, &index)
        currentBytes = index.segments.last?.bytes ?? 0
        deleteDeadSegments()
    }

    private func deleteDeadSegments() {
        for number in index.takeDeadSegments() { unsafe unlink(directory + "/" + Self.name(number)) }
    }

    /// Drops the oldest events that may be dropped, a file at a time, until the spool is within its bound.
    private func makeRoom() {
        guard index.bytes > limits.bytesMax else { return }
        do {
            // Only for what can be dropped then, and for enough of it: a new file is a write that is waited for.
            if index.oldestDroppableSegment == nil, index.droppableBytesInLastSegment > limits.segmentBytesMax / 4 {
                rotationCount += 1
                try rotate()
            }
            while index.bytes > limits.bytesMax, let number = index.oldestDroppableSegment { try thin(number) }
        } catch {
            logger.error("the full spool could not be thinned", metadata: ["error": "\(error)"])
        }
        deleteDeadSegments()
    }

    private func thin(_ number: Int) throws(HostError) {
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
        try Files.replace(directory + "/" + Self.name(number), with: bytes)
        index.replaceSegment(number, bytes: bytes.count, with: kept)
        let dropped = all.count - kept.count
        droppedCount += dropped
        logger.warning("the spool is full: dropped the oldest events", metadata: ["events": "\(dropped)"])
    }
}

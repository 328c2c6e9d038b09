internal import RelayProtocol

/// The files of a spool: their names, their beginnings, and how they are read.
struct SpoolFiles {
    static let magic = Array("HELSPL1\n".utf8)

    private let disk: any SpoolDisk
    private let log: (SpoolLog) -> Void

    init(on disk: any SpoolDisk, log: @escaping (SpoolLog) -> Void) {
        self.disk = disk
        self.log = log
    }

    static func name(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits + ".spool"
    }

    private static func number(_ name: String) -> Int? {
        guard name.hasSuffix(".spool"), name.utf8.count == 22 else { return nil }
        return Int(name.prefix(16), radix: 16)
    }

    /// Loads all records of earlier lives. Returns the number of the last file, 0 if there is none.
    func load(into index: inout SpoolIndex) throws(SpoolError) -> Int {
        let numbers = try disk.names().compactMap(Self.number).sorted()
        for number in numbers { try load(number, isLast: number == numbers.last, into: &index) }
        return numbers.last ?? 0
    }

    private func load(_ number: Int, isLast: Bool, into index: inout SpoolIndex) throws(SpoolError) {
        let name = Self.name(number)
        let bytes: [UInt8]
        do throws(SpoolError) {
            bytes = try disk.contents(of: name)
        } catch {
            // A bad sector in an old file must not stop the host.
            guard error.code == .damaged else { throw error }
            log(.unreadable(file: name, error))
            return
        }
        guard bytes.starts(with: Self.magic) else {
            log(.foreign(file: name))
            return
        }
        index.beginSegment(number, bytes: Self.magic.count)
        var end = Self.magic.count
        var lost = 0
        while let found = SpoolRecord.find(bytes, from: end) {
            lost += found.start - end
            index.add(found.record, at: found.start, size: found.end - found.start)
            end = found.end
        }
        lost += bytes.count - end
        if lost > 0 { log(.damaged(file: name, bytes: lost, isLast: isLast)) }
    }

    /// Writes a file that begins with all that is known, followed by `records`. It exists whole or not at all. Returns its name.
    func begin(
        _ number: Int, _ index: inout SpoolIndex, with records: [SpoolRecord] = []
    ) throws(SpoolError) -> String {
        let records = index.snapshot + records
        let name = Self.name(number)
        var frames: [[UInt8]] = []
        for record in records { frames.append(try record.framed()) }
        do throws(SpoolError) {
            try disk.replace(name, with: Self.magic + frames.joined())
        } catch {
            // The file may exist even so, and would be read after later ones.
            try? disk.remove(name)
            throw error
        }
        index.beginSegment(number, bytes: Self.magic.count)
        var start = Self.magic.count
        for (record, frame) in zip(records, frames) {
            index.add(record, at: start, size: frame.count)
            start += frame.count
        }
        return name
    }

    /// Reads an event. Throws if the disk does not hold what was written.
    func read(_ entry: SpoolIndex.Entry, of session: SessionID) throws(SpoolError) -> [UInt8] {
        let name = Self.name(entry.segment)
        let head = SpoolRecord.eventOffset(session)
        let bytes = try disk.read(name, at: entry.offset - head, count: head + entry.count)
        guard case .event(session, entry.seq, _, let event)? = SpoolRecord.read(bytes, at: 0)?.record else {
            throw SpoolError(.damaged, "\(name) does not hold what was written to it")
        }
        return event
    }
}

internal import RelayProtocol

/// One entry of a spool file: its length and CRC-32 in four little-endian bytes each, then its content.
enum SpoolRecord: Equatable {
    /// An event. It is never dropped for room if `isKept`.
    case event(SessionID, seq: Int64, isKept: Bool, bytes: [UInt8])
    /// The session's next number, and the last one that the relay has; older events are not needed. Events from `provisionalFrom`
    /// on were numbered without asking the relay, and none of them was sent.
    case session(SessionID, next: Int64, acknowledged: Int64, provisionalFrom: Int64?)
    /// The relay's position in the session: it has it through that number. If that is beyond `from`, all events numbered from there
    /// on are void and follow again.
    case agreed(SessionID, from: Int64, through: Int64, next: Int64)
    /// A note that survives a restart; nil deletes it.
    case note(String, [UInt8]?)

    static let headerBytes = 8
    /// Longest content: an event and its frame. A longer one can only be damage.
    static let payloadBytesMax = WireLimits.shownEventBytesMax + 1024

    /// Largest number of an event: far beyond what the wire can carry (`JSONValue.integerMax`), and far from where sums overflow.
    private static let numberMax: Int64 = 1 << 60

    private enum Kind: UInt8 { case event = 1, keptEvent, session, agreed, note, forgottenNote }

    /// Offset of an event's bytes in its record.
    static func eventOffset(_ session: SessionID) -> Int { headerBytes + 2 + session.rawValue.utf8.count + 8 }

    /// Throws if the record is longer than `read` accepts.
    func framed() throws(SpoolError) -> [UInt8] {
        let payload = payload
        guard payload.count <= Self.payloadBytesMax else {
            throw SpoolError(.tooLong, "a record of \(payload.count) bytes does not fit into the spool")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + Self.headerBytes)
        Self.append(UInt32(payload.count), to: &bytes)
        Self.append(CRC32.checksum(payload), to: &bytes)
        return bytes + payload
    }

    private var payload: [UInt8] {
        var bytes: [UInt8] = []
        switch self {
        case .event(let session, let seq, let isKept, let event):
            bytes.append((isKept ? Kind.keptEvent : .event).rawValue)
            Self.append(session.rawValue, to: &bytes)
            Self.append(UInt64(bitPattern: seq), to: &bytes)
            bytes += event
        case .session(let session, let next, let acknowledged, let provisionalFrom):
            bytes.append(Kind.session.rawValue)
            Self.append(session.rawValue, to: &bytes)
            // Numbers begin at 1; 0 stands for none.
            for number in [next, acknowledged, provisionalFrom ?? 0] { Self.append(UInt64(bitPattern: number), to: &bytes) }
        case .agreed(let session, let from, let through, let next):
            bytes.append(Kind.agreed.rawValue)
            Self.append(session.rawValue, to: &bytes)
            for number in [from, through, next] { Self.append(UInt64(bitPattern: number), to: &bytes) }
        case .note(let key, let content):
            bytes.append((content == nil ? Kind.forgottenNote : .note).rawValue)
            Self.append(key, to: &bytes)
            bytes += content ?? []
        }
        return bytes
    }

    /// Finds the first whole record at or after `start`. Nothing within an event can look like one: a record begins with control
    /// characters, which JSON does not contain.
    static func find(_ bytes: [UInt8], from start: Int) -> (record: SpoolRecord, start: Int, end: Int)? {
        for start in start..<max(start, bytes.count - headerBytes) {
            if let (record, end) = read(bytes, at: start) { return (record, start, end) }
        }
        return nil
    }

    /// Reads the record at `start`. Nil if there is none, or only a part of one, or a damaged one.
    static func read(_ bytes: [UInt8], at start: Int) -> (record: SpoolRecord, end: Int)? {
        guard bytes.count - start >= headerBytes else { return nil }
        let count = Int(integer(bytes, at: start, UInt32.self))
        let begin = start + headerBytes
        guard (2...payloadBytesMax).contains(count), bytes.count - begin >= count else { return nil }
        // Tested before the checksum is computed, because most places have no record.
        guard Kind(rawValue: bytes[begin]) != nil else { return nil }
        let payload = bytes[begin..<begin + count]
        guard CRC32.checksum(payload) == integer(bytes, at: start + 4, UInt32.self) else { return nil }
        guard let record = SpoolRecord(payload: Array(payload)) else { return nil }
        return (record, begin + count)
    }

    private init?(payload: [UInt8]) {
        guard payload.count >= 2, let kind = Kind(rawValue: payload[0]) else { return nil }
        let body = 2 + Int(payload[1])
        guard payload.count >= body else { return nil }
        let name = String(decoding: payload[2..<body], as: UTF8.self)
        func number(_ position: Int) -> Int64 {
            Int64(bitPattern: Self.integer(payload, at: body + 8 * position, UInt64.self))
        }
        /// The number; nil if no event can have it. Damage with a correct checksum must not end the process, now or when two
        /// numbers are added.
        func number(_ position: Int, from least: Int64) -> Int64? {
            let value = number(position)
            return (least...Self.numberMax).contains(value) ? value : nil
        }
        switch kind {
        case .event, .keptEvent:
            guard let session = SessionID(name), payload.count >= body + 8, let seq = number(0, from: 1) else { return nil }
            self = .event(session, seq: seq, isKept: kind == .keptEvent, bytes: Array(payload[(body + 8)...]))
        case .session:
            guard let session = SessionID(name), payload.count == body + 24, let next = number(0, from: 1),
                let acknowledged = number(1, from: 0), let provisionalFrom = number(2, from: 0)
            else { return nil }
            self = .session(
                session, next: next, acknowledged: acknowledged, provisionalFrom: provisionalFrom == 0 ? nil : provisionalFrom)
        case .agreed:
            guard let session = SessionID(name), payload.count == body + 24, let from = number(0, from: 1),
                let through = number(1, from: 0), let next = number(2, from: 1)
            else { return nil }
            self = .agreed(session, from: from, through: through, next: next)
        case .note: self = .note(name, Array(payload[body...]))
        case .forgottenNote: self = .note(name, nil)
        }
    }

    private static func append(_ name: String, to bytes: inout [UInt8]) {
        precondition(name.utf8.count <= 255, "names in the spool are identifiers of ours")
        bytes.append(UInt8(name.utf8.count))
        bytes += name.utf8
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func integer<Number: FixedWidthInteger>(_ bytes: [UInt8], at start: Int, _: Number.Type) -> Number {
        (0..<Number.bitWidth / 8).reduce(0) { $0 | Number(truncatingIfNeeded: bytes[start + $1]) << ($1 * 8) }
    }
}

import RelayProtocol

@testable import HostCore

/// Files of the spool as a crash, a faulty disk or another version may leave them.
///
/// Whatever their content, the spool opens, everything that it reports can be read, and later writes are there after the next
/// opening.
enum SpoolTarget {
    private static let magic = Array("HELSPL1\n".utf8)
    private static let filesMax = 4

    static func run(_ input: [UInt8]) {
        var reader = InputReader(input)
        let disk = FuzzedDisk()
        for number in 1...(1 + Int(reader.byte()) % filesMax) {
            disk.files[String(repeating: "0", count: 15) + "\(number).spool"] = file(from: &reader)
        }
        do throws(SpoolError) {
            try goOn(disk)
        } catch { fatalError("finding: a spool on a good disk fails: \(error)") }
    }

    /// Whole records, garbage, and the remains of a torn record.
    private static func file(from reader: inout InputReader) -> [UInt8] {
        var bytes = magic
        for _ in 0..<Int(reader.byte()) {
            guard !reader.isAtEnd else { break }
            let shape = reader.byte()
            switch shape % 8 {
            case 0: bytes += reader.bytes(Int(reader.byte()))
            case 1: bytes = Array(bytes.dropLast(Int(reader.byte())))
            case 2: bytes += framed(reader.bytes(Int(reader.byte())))
            default: bytes += (try? record(shape, from: &reader).framed()) ?? []
            }
        }
        return bytes
    }

    private static func record(_ shape: UInt8, from reader: inout InputReader) -> SpoolRecord {
        let id = session(&reader)
        switch shape % 8 {
        case 3: return .note("n", reader.bytes(Int(reader.byte())))
        case 4:
            return .session(
                id, next: reader.integer(), acknowledged: reader.integer(), provisionalFrom: reader.integer())
        case 5: return .agreed(id, from: reader.integer(), through: reader.integer(), next: reader.integer())
        default:
            let seq = shape & 64 == 0 ? Int64(reader.byte()) : reader.integer()
            return .event(id, seq: seq, isKept: shape & 128 > 0, bytes: reader.bytes(Int(reader.byte() % 16)))
        }
    }

    /// A payload of any form with its right length and sum.
    private static func framed(_ payload: [UInt8]) -> [UInt8] {
        func bytes(_ number: UInt32) -> [UInt8] {
            stride(from: 0, to: 32, by: 8).map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
        }
        return bytes(UInt32(payload.count)) + bytes(CRC32.checksum(payload)) + payload
    }

    private static func session(_ reader: inout InputReader) -> SessionID {
        guard let id = SessionID("s\(reader.byte() % 4)") else { preconditionFailure("this is an identifier") }
        return id
    }

    private static func goOn(_ disk: FuzzedDisk) throws(SpoolError) {
        let spool = try Spool(disk: disk) { _ in }
        try checkReadable(spool)
        // No host reaches such numbers; records from there on are refused when they are read.
        guard spool.index.sessions.values.allSatisfy({ $0.next < 1 << 59 }) else { return }
        for (id, session) in spool.index.sessions {
            // The relay has some of it, all of it, or more than we know of.
            for through in [session.acknowledged, session.next - 1, session.next] where through >= 0 {
                spool.acknowledge(id, through: min(through, JSONValue.integerMax))
            }
        }
        guard let id = SessionID("s0") else { preconditionFailure("this is an identifier") }
        let numbers = try spool.append([.event(id, Array("{}".utf8), isKept: true)])
        try spool.synchronize()
        try checkReadable(spool)
        let next = try Spool(disk: disk) { _ in }
        try checkReadable(next)
        require(next.index.nextSeq(of: id) > numbers[0], "a number is given twice")
        require(
            next.index.sessions[id]?.entries.contains { $0.seq == numbers[0] } == true, "what was written is lost: \(numbers)")
    }

    private static func checkReadable(_ spool: Spool) throws(SpoolError) {
        for (id, session) in spool.index.sessions {
            var after = Int64(-1)
            while let batch = spool.index.batch(id, after: after, countMax: 256, bytesMax: 1 << 20) {
                require(try spool.read(batch).count == batch.entries.count, "a batch with holes")
                require(batch.last > after, "a batch that does not go on")
                after = batch.last
            }
            require(session.acknowledged < session.next, "acknowledged is what was not given a number")
        }
    }
}

/// A disk that never fails.
private final class FuzzedDisk: SpoolDisk {
    var files: [String: [UInt8]] = [:]

    func names() -> [String] { Array(files.keys) }
    func contents(of name: String) throws(SpoolError) -> [UInt8] { try file(name) }

    func read(_ name: String, at offset: Int, count: Int) throws(SpoolError) -> [UInt8] {
        Array(try file(name).dropFirst(offset).prefix(count))
    }

    func replace(_ name: String, with bytes: [UInt8]) { files[name] = bytes }
    func append(_ bytes: [UInt8], to name: String) throws(SpoolError) { files[name] = try file(name) + bytes }
    func synchronize(_ name: String) throws(SpoolError) { _ = try file(name) }
    func truncate(_ name: String, to size: Int) throws(SpoolError) { files[name] = Array(try file(name).prefix(size)) }
    func remove(_ name: String) { files[name] = nil }

    private func file(_ name: String) throws(SpoolError) -> [UInt8] {
        guard let bytes = files[name] else { throw SpoolError(.damaged, "there is no \(name)") }
        return bytes
    }
}

import HostCore
import RelayProtocol
import Testing

@Suite("A spool on a disk that fails")
struct SpoolFaultTests {
    private let session = SessionID("one")!

    private var small: SpoolLimits {
        var limits = SpoolLimits()
        limits.segmentBytesMax = 100
        return limits
    }

    @Test("where no new file can be begun, the full one goes on and nothing is lost")
    func noNewFile() throws {
        let disk = FailingDisk()
        var entries: [SpoolLog] = []
        let spool = try Spool(disk: disk, limits: small) { entries.append($0) }
        disk.failsToReplace = true
        for text in ["a", "b", "c", "d", "e", "f", "g"] { try spool.append(session, text) }
        #expect(try spool.pending(session) == ["1 a", "2 b", "3 c", "4 d", "5 e", "6 f", "7 g"])
        #expect(entries.contains(.notRotated(disk.error)))
        disk.failsToReplace = false
        try spool.append(session, "h")
        #expect(try Spool(disk: disk, limits: small) { _ in }.pending(session).count == 8)
    }

    @Test("a part of a record that cannot be taken away stays alone in its file: what follows is found, also after a restart")
    func tornForGood() throws {
        let disk = FailingDisk()
        let spool = try Spool(disk: disk) { _ in }
        try spool.append(session, "a")
        disk.failsToAppend = true
        disk.failsToTruncate = true
        #expect(throws: disk.error) { try spool.append(session, "lost") }
        disk.failsToAppend = false
        try spool.append(session, "c", "d")
        #expect(try spool.pending(session) == ["1 a", "3! c", "4 d"])
        #expect(try Spool(disk: disk) { _ in }.pending(session) == ["1 a", "3! c", "4 d"])
    }

    @Test("while neither the part can be taken away nor a file be begun, events become gaps, and then all goes on")
    func tornAndStuck() throws {
        let disk = FailingDisk()
        let spool = try Spool(disk: disk) { _ in }
        disk.failsToAppend = true
        disk.failsToTruncate = true
        #expect(throws: disk.error) { try spool.append(session, "lost") }
        disk.failsToAppend = false
        disk.failsToReplace = true
        #expect(throws: disk.error) { try spool.append(session, "lost too") }
        disk.failsToTruncate = false
        disk.failsToReplace = false
        try spool.append(session, "c")
        #expect(try spool.pending(session) == ["3! c"])
    }
}

/// Files in memory, which fail as they are told to.
private final class FailingDisk: SpoolDisk {
    let error = SpoolError(.failed, "the disk fails")
    var failsToReplace = false
    /// After half of it is written.
    var failsToAppend = false
    var failsToTruncate = false
    private var files: [String: [UInt8]] = [:]

    func names() throws(SpoolError) -> [String] { Array(files.keys) }

    func contents(of name: String) throws(SpoolError) -> [UInt8] {
        guard let bytes = files[name] else { throw error }
        return bytes
    }

    func read(_ name: String, at offset: Int, count: Int) throws(SpoolError) -> [UInt8] {
        Array(try contents(of: name).dropFirst(offset).prefix(count))
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(SpoolError) {
        if failsToReplace { throw error }
        files[name] = bytes
    }

    func append(_ bytes: [UInt8], to name: String) throws(SpoolError) {
        files[name] = try contents(of: name) + (failsToAppend ? bytes.prefix(bytes.count / 2) : bytes[...])
        if failsToAppend { throw error }
    }

    func synchronize(_ name: String) throws(SpoolError) { _ = try contents(of: name) }

    func truncate(_ name: String, to size: Int) throws(SpoolError) {
        if failsToTruncate { throw error }
        files[name] = Array(try contents(of: name).prefix(size))
    }

    func remove(_ name: String) throws(SpoolError) { files[name] = nil }
}

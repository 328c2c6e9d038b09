import Foundation
import GRDB
import RelayCore
import StoreTestSupport
import Testing

@testable import StoreSQLite

/// The write-ahead log and the file, as a relay's commits leave them.
@Suite(.scratch, .serialized) struct CheckpointerTests {
    private let scratch = Scratch.current
    /// Bytes of an event; a batch has `events` of them, like a busy relay's.
    private static let eventBytes = 12_000
    private static let events = 100

    private var logBytes: Int {
        (try? FileManager.default.attributesOfItem(atPath: scratch.databasePath + "-wal")[.size] as? Int) ?? 0
    }

    /// Handed to the system by this thread.
    private static func bytesWritten() throws -> Int {
        let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("wchar: ") })
        return try #require(Int(line.dropFirst("wchar: ".count)))
    }

    @Test func `a commit writes what it commits, and does not copy what others have committed`() throws {
        try scratch.fill(0)
        let store = try scratch.open()
        var writer = Writer(.crash)
        for _ in 0..<60 {
            let before = try Self.bytesWritten()
            try store.log.commit(writer.batch(Self.events, bytes: Self.eventBytes))
            // The batch in its pages, and a megabyte at most that is left of a copy beside it.
            #expect(try Self.bytesWritten() - before < 3 * Self.events * Self.eventBytes)
        }
        #expect(try store.log.all(.crash).count == 60 * Self.events)
        try store.close()
    }

    @Test func `the log begins anew however much is written without a pause`() throws {
        try scratch.fill(0)
        let store = try scratch.open()
        var writer = Writer(.crash)
        for _ in 0..<110 {
            try store.log.commit(writer.batch(Self.events, bytes: Self.eventBytes))
            #expect(logBytes < 90 << 20)
        }
        #expect(try store.log.all(.crash).count == 110 * Self.events)
        try store.close()
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(files.sorted() == ["heliograph.sqlite", "relay.lock", "relay.reserve", "relay.revocations", "relay.run"])
        #expect(try scratch.open().log.all(.crash).count == 110 * Self.events)
    }

    @Test func `a long read keeps the log, and no commit waits for it`() throws {
        try scratch.fill(0)
        let store = try scratch.open()
        var writer = Writer(.crash)
        try store.log.commit(writer.batch(Self.events, bytes: Self.eventBytes))
        let reader = try LongRead(of: scratch.databasePath)
        for _ in 0..<30 { try store.log.commit(writer.batch(Self.events, bytes: Self.eventBytes)) }
        #expect(logBytes > 30 * Self.events * Self.eventBytes, "what somebody reads from is not written over")
        reader.end()
        let before = logBytes
        for _ in 0..<40 { try store.log.commit(writer.batch(Self.events, bytes: Self.eventBytes)) }
        #expect(logBytes < before + 30 * Self.events * Self.eventBytes, "the log began anew")
        try store.close()
    }

    @Test func `what a reader kept from being copied is not left to a commit once the reader has gone`() throws {
        try scratch.fill(1)
        let pool = try Connections.open(scratch.databasePath)
        let checkpointer = Checkpointer(scratch.databasePath)
        try checkpointer.takeOver(from: pool)
        try pool.write { try $0.execute(sql: "CREATE TABLE ballast (bytes BLOB)") }
        func commit(pages: Int) throws {
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "INSERT INTO ballast VALUES (zeroblob(?))", arguments: [pages * 4_096])
                checkpointer.committed(db)
            }
        }
        let reader = try LongRead(of: scratch.databasePath)
        try commit(pages: CheckpointPlan.pagesMax)
        // Waits for the copy, which the reader keeps from being whole.
        checkpointer.close()
        reader.end()
        let before = try Self.bytesWritten()
        try commit(pages: 1)
        #expect(try Self.bytesWritten() - before < 1 << 20, "the copy is tried again beside the commits")
        try pool.close()
    }
}

import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// The check that the data file is the one that the last relay left.
@Suite(.scratch) struct RunRecordTests {
    private let scratch = Scratch.current
    private let key = SessionKey(workspace: id("default"), session: id("s1"))

    private var database: URL { URL(fileURLWithPath: scratch.databasePath) }
    private var record: URL { URL(fileURLWithPath: scratch.path + "/relay.run") }

    /// A start of the relay, with so many events more; the epoch that it shows.
    private func run(_ count: Int = 0) throws -> Epoch {
        let store = try scratch.open()
        var writer = Writer(key, seq: try store.log.seq(key) ?? 0)
        for _ in 0..<count { try store.log.commit(writer.batch(1)) }
        try store.close()
        return store.log.epoch
    }

    @Test func `ordinary starts keep the epoch, whether anything is committed or not`() throws {
        try scratch.fill(1)
        let epoch = try run(2)
        for count in [0, 3, 0, 0, 1] { #expect(try run(count) == epoch) }
        #expect(try scratch.openAsCommandLine().log.epoch == epoch)
    }

    /// The data file has fewer events than the last relay had: only a person may decide to continue with it.
    private func accept() throws {
        #expect(throws: SQLiteStoreError.self) { try run() }
        try DataDirectory(path: scratch.path).acceptDataFile()
    }

    @Test func `an older copy that was written over the file in place begins another epoch, once`() throws {
        try scratch.fill(3)
        let (epoch, copy) = (try run(), try Data(contentsOf: database))
        #expect(try run(2) == epoch)
        try copy.write(to: database)
        try accept()
        let other = try run()
        #expect(other != epoch)
        for count in [0, 0, 5, 1] { #expect(try run(count) == other) }
        #expect(try Data(contentsOf: record).count == 42)
    }

    @Test func `a copy of the same run that lacks its newest events begins another epoch, once`() throws {
        try scratch.fill(3)
        let store = try scratch.open()
        var writer = Writer(key, seq: 3)
        try store.log.commit(writer.batch(1))
        let copy = scratch.path + "/copy"
        try Tool.run("sqlite3", scratch.databasePath, "VACUUM INTO '\(copy)'")
        try store.log.commit(writer.batch(1))
        try store.close()
        try Data(contentsOf: URL(fileURLWithPath: copy)).write(to: database)
        try accept()
        let other = try run()
        #expect(other != store.log.epoch)
        for count in [0, 2] { #expect(try run(count) == other) }
    }

    @Test func `who waits for a commit is told once, when it is on disk, and of the first with the name of the run`() throws {
        try scratch.fill(1)
        let store = try scratch.open()
        var writer = Writer(key, seq: 1)
        var told: [(record: String, events: Int?)] = []
        for number in 1...3 {
            try store.log.commit(writer.batch(1)) { _ in
                let text = (try? Data(contentsOf: record)).map { String(decoding: $0, as: UTF8.self) } ?? ""
                told.append((text, try? store.log.all(key).count))
            }
            #expect(told.count == number)
            #expect(try String(decoding: Data(contentsOf: record), as: UTF8.self).hasSuffix("0\(number + 1)\n"))
        }
        #expect(told.map(\.events) == [2, 3, 4])
        #expect(told.allSatisfy { !$0.record.hasPrefix("-") })
        try store.close()
    }

    @Test func `a crash after the first commit of a run keeps the epoch, however often`() throws {
        try scratch.fill(1)
        let epoch = try run(1)
        let before = try Data(contentsOf: record)
        for _ in 0..<3 {
            #expect(try run(1) == epoch)
            // The commit is on disk, and the run's name is not.
            try before.write(to: record)
        }
        #expect(try run() == epoch)
    }

    @Test func `a crash after the first commit of all keeps the epoch, however often`() throws {
        try scratch.fill(0)
        let epoch = try run()
        for _ in 0..<3 {
            #expect(try run(1) == epoch)
            try Data().write(to: record)
        }
        #expect(try run() == epoch)
    }

    @Test func `a file of an older version keeps its epoch, and one whose record is gone does not`() throws {
        try scratch.fill(3)
        let epoch = try run(1)
        try scratch.sql("DELETE FROM meta WHERE name IN ('run', 'run_before')")
        try FileManager.default.removeItem(at: record)
        #expect(try run() == epoch)
        #expect(try run(1) == epoch)
        #expect(try run(1) == epoch)
        try FileManager.default.removeItem(at: record)
        #expect(try run() != epoch)
    }

    @Test func `a record that says something else than ours says nothing`() throws {
        try scratch.fill(3)
        _ = try run(1)
        let epoch = try run(1)
        try Data("what is this?\n".utf8).write(to: record)
        let other = try run(1)
        #expect(other != epoch)
        #expect(try run(1) == other)
    }
}

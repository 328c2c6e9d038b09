import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// A valid file in which a row differs from what was written.
@Suite(.scratch) struct RowChecksumTests {
    private let scratch = Scratch.current
    private let key = SessionKey(workspace: id("default"), session: id("s1"))

    /// `sqlite3` knows nothing of checksums, as little as a disk that rots.
    private func sql(_ text: String) throws { try scratch.sql(text) }

    private func codeOf(_ body: () throws -> some Any) -> LogError.Code? {
        #expect(throws: LogError.self) { _ = try body() }?.code
    }

    @Test func `of a batch with an event whose number is taken, nothing is stored`() throws {
        try scratch.fill(9)
        // A row that no relay has written, amid those of one statement.
        try sql("INSERT INTO events SELECT id + 5, kind, at, bytes, checksum FROM events WHERE id & 0xffffffff = 9")
        let store = try scratch.open()
        var writer = Writer(key, seq: 9)
        let batch = writer.batch(10)
        #expect(throws: LogError.self) { try store.log.commit(batch) }
        #expect(try scratch.query("SELECT count(*), max(id) & 0xffffffff FROM events") == "10|14")
        #expect(try store.log.load(resolvedSince: 0).sessions.first?.state.seq == 9)
    }

    @Test(arguments: [
        "bytes = CAST(replace(bytes, 's1/5', 's1/4') AS BLOB)", "kind = 'massage'", "at = at + 1", "checksum = checksum + 1",
    ])
    func `an event that was changed is named and never shown, and everything else is`(change: String) throws {
        try scratch.fill(9)
        try sql("UPDATE events SET \(change) WHERE id & 0xffffffff = 5")
        let store = try scratch.open()
        let right = (1...9).map { Writer.bytes(key, seq: $0, bytes: 1_000) }

        #expect(
            try store.log.events(of: key, after: 0, limit: 9, bytesMax: .max) == LogPage(first: 1, events: Array(right[..<4])))
        #expect(
            try store.log.events(of: key, after: 5, limit: 9, bytesMax: .max) == LogPage(first: 6, events: Array(right[5...])))
        #expect(
            try store.log.events(of: key, before: 10, limit: 9, bytesMax: .max) == LogPage(first: 6, events: Array(right[5...]))
        )
        #expect(
            try store.log.events(of: key, before: 5, limit: 9, bytesMax: .max) == LogPage(first: 1, events: Array(right[..<4])))
        for read in [
            { try store.log.events(of: key, after: 4, limit: 9, bytesMax: .max) },
            { try store.log.events(of: key, before: 6, limit: 1, bytesMax: .max) },
        ] {
            let error = #expect(throws: LogError.self) { try read() }
            #expect(error?.code == .damaged(.record))
            #expect(error?.message == "Event 5 of session s1 is not as it was written.")
        }

        #expect(try store.log.load(resolvedSince: 0).sessions.count == 1)
        let damaged = try #require(try store.upkeep.checkEverything())
        #expect(damaged.map(\.what) == ["event 5 is not as it was written"])
        #expect(damaged.map(\.session) == ["s1"])
        let found = try DataFile.examine(DataDirectory(existing: scratch.path))
        #expect(found.damagedRecords == damaged)
        #expect(found.isChecked)

        var writer = Writer(key, seq: 9)
        try store.log.commit(writer.batch(1))
        #expect(store.upkeep.takesWrites)
        _ = try store.log.load(resolvedSince: 0)
        #expect(store.upkeep.damagedRecords == damaged, "what was found is not forgotten with what is read anew")
        try store.log.commit(LogBatch(trims: [SessionTrim(key: key, through: 5, state: writer.state(seq: 10))]))
        #expect(store.upkeep.damagedRecords.isEmpty)
        #expect(try store.upkeep.checkEverything() == [])
    }

    @Test(arguments: [
        "DELETE FROM events WHERE id & 0xffffffff = 5", "UPDATE events SET id = id + 5 WHERE id & 0xffffffff = 5",
    ])
    func `an event that is no longer in its place is missed`(change: String) throws {
        try scratch.fill(9)
        try sql(change)
        let store = try scratch.open()
        #expect(try store.log.events(of: key, after: 0, limit: 20, bytesMax: .max).events.count == 4)
        #expect(try store.log.events(of: key, before: 10, limit: 20, bytesMax: .max).first == 6)
        #expect(try store.upkeep.checkEverything()?.map(\.what).first == "event 5 is missing")
    }

    @Test(arguments: [
        "state = CAST(replace(state, 'Laptop', 'Lapdog') AS BLOB)", "host_seq = host_seq + 1", "host = 'host2'",
        "checksum = 0", "is_removed = 1",
    ])
    func `a session's row that was changed is named, kept, and keeps nobody else out`(change: String) throws {
        var writer = Writer(key)
        do {
            let store = try scratch.open()
            _ = try store.credentials.bootstrap(workspaceName: "Home")
            var second = Writer(.crash)
            try store.log.commit(LogBatch(appends: [writer.append(3), second.append(1)]))
            try store.close()
        }
        try sql("UPDATE sessions SET \(change) WHERE session = 's1'")
        let store = try scratch.open()
        let state = try store.log.load(resolvedSince: 0)
        #expect(state.sessions.map(\.key) == [.crash])
        #expect(state.removed.map(\.key) == [key])
        #expect(store.upkeep.damagedRecords.map(\.what) == ["the session's row is not as it was written"])
        // The session's host continues.
        if change.hasPrefix("host =") { writer.host = "host2" }
        try store.log.commit(writer.batch(1))
        #expect(store.upkeep.damagedRecords.isEmpty)
        #expect(try store.log.load(resolvedSince: 0).sessions.count == 2)
        #expect(try scratch.query("SELECT count(*) FROM damaged_states") == "1")
    }

    @Test(arguments: [
        "record = CAST(replace(record, 'rm -rf build', 'rm -rf /home') AS BLOB)", "stage = 'expired'", "seq = 1",
        "resolved_at = 7",
        "approval = 'a9'",
    ])
    func `an approval that was changed is named and left out`(change: String) throws {
        var writer = Writer(key)
        do {
            let store = try scratch.open()
            _ = try store.credentials.bootstrap(workspaceName: "Home")
            try store.log.commit(writer.batch(2, approvals: [writer.approval("a1", seq: 2), writer.approval("a2", seq: 2)]))
            try store.close()
        }
        try sql("UPDATE approvals SET \(change) WHERE approval = 'a1'")
        let store = try scratch.open()
        #expect(try store.log.load(resolvedSince: 0).approvals.map(\.approval.id) == [id("a2")])
        let name = change.hasPrefix("approval") ? "a9" : "a1"
        #expect(store.upkeep.damagedRecords.map(\.what) == ["approval \(name) is not as it was written"])
        #expect(codeOf { try store.log.approval(id(name), of: key) } == .damaged(.record))
        #expect(try store.log.approval(id("a2"), of: key) != nil)
    }

    @Test func `a file of before has no checksums, and gets them for what is new`() throws {
        try scratch.fill(5)
        try sql(OlderFile.version3)
        do {
            let store = try scratch.open()
            #expect(try store.log.all(key).count == 5)
            #expect(try store.log.load(resolvedSince: 0).sessions.count == 1)
            #expect(try store.upkeep.checkEverything() == [])
            var writer = Writer(key, seq: 5)
            try store.log.commit(writer.batch(1, approvals: [writer.approval("a1", seq: 6)]))
            try store.close()
        }
        #expect(try scratch.query("SELECT group_concat(id & 0xffffffff) FROM events WHERE checksum IS NOT NULL") == "6")
        try sql("UPDATE events SET at = 0")
        #expect(try scratch.open().upkeep.checkEverything()?.map(\.what) == ["event 6 is not as it was written"])
    }

    @Test func `a backup takes the checksums with it`() throws {
        try scratch.fill(3)
        let backup = scratch.path + "/backup"
        let store = try scratch.open()
        _ = try store.upkeep.backUp(to: backup, replacing: false)
        try store.close()
        let other = Scratch(path: scratch.path + "/other")
        _ = try DataDirectory(path: other.path).restore(backup, replacing: false)
        try other.sql("UPDATE events SET at = 0 WHERE id & 0xffffffff = 2")
        #expect(try other.open().upkeep.checkEverything()?.map(\.what) == ["event 2 is not as it was written"])
    }
}

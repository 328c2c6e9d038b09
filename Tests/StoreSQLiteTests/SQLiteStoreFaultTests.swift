import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// Faults of the file or its disk.
@Suite(.scratch) struct SQLiteStoreFaultTests {
    private let scratch = Scratch.current

    private func codeOfOpening() throws -> SQLiteStoreError.Code? {
        #expect(throws: SQLiteStoreError.self) { try scratch.open() }?.code
    }

    private func contents() throws -> Data { try Data(contentsOf: URL(fileURLWithPath: scratch.databasePath)) }

    private func overwrite(at offset: Int, with bytes: [UInt8]) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: scratch.databasePath))
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: bytes)
        try file.close()
    }

    @Test func `a file of a newer version is left as it is`() throws {
        try scratch.fill(10)
        try sql("INSERT INTO grdb_migrations VALUES ('v99')")
        let before = try contents()
        for attempt in [scratch.open, scratch.openAsCommandLine] {
            let error = #expect(throws: SQLiteStoreError.self) { try attempt() }
            #expect(error?.code == .newerSchema)
            #expect(error?.message.contains(scratch.databasePath) == true)
        }
        #expect(try contents() == before)
    }

    @Test func `a damaged page is noticed at the start, and nothing is overwritten`() throws {
        try scratch.fill(300)
        let pageBytes = 4_096
        let pages = try contents().count / pageBytes
        #expect(pages > 50)
        for page in stride(from: 1, to: pages, by: 7) {
            let whole = try contents()
            // The header of a page, from which the tree is read.
            try overwrite(at: page * pageBytes, with: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
            let damaged = try contents()
            let error = #expect(throws: SQLiteStoreError.self, "page \(page)") { try scratch.open() }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains(scratch.databasePath) == true)
            #expect(try contents() == damaged)
            try whole.write(to: URL(fileURLWithPath: scratch.databasePath))
        }
        _ = try scratch.open()
    }

    @Test(arguments: ["host_seq INTEGER NOT NULL", "expires_at INTEGER", "bytes BLOB NOT NULL"])
    func `a name that the disk changed is noticed at the start, and nothing is overwritten`(_ definition: String) throws {
        try scratch.fill(10)
        let place = try #require(contents().range(of: Data(definition.utf8)))
        // Another name of the same length, so that all pages still fit together.
        try overwrite(at: place.lowerBound, with: [UInt8(ascii: "z")])
        let damaged = try contents()
        let error = #expect(throws: SQLiteStoreError.self) { try scratch.open() }
        #expect(error?.code == .corrupt && error?.message.contains("is missing") == true, "\(error?.message ?? "")")
        #expect(try contents() == damaged)
    }

    @Test func `what is no database is left as it is`() throws {
        for text in ["These are somebody's notes.\n", String(repeating: "notes\n", count: 10_000)] {
            let notes = Data(text.utf8)
            try notes.write(to: URL(fileURLWithPath: scratch.databasePath))
            #expect(try codeOfOpening() == .corrupt)
            #expect(try contents() == notes)
        }
    }

    @Test func `a file cut short is noticed`() throws {
        try scratch.fill(300)
        let file = try #require(FileHandle(forUpdatingAtPath: scratch.databasePath))
        try file.truncate(atOffset: UInt64(contents().count / 2))
        try file.close()
        #expect(try codeOfOpening() == .corrupt)
    }

    @Test func `a session whose state does not decode keeps its place, and keeps nobody else out`() throws {
        let (home, other) = (SessionKey(workspace: id("default"), session: id("s1")), SessionKey.crash)
        var (writer, second) = (Writer(home), Writer(other))
        do {
            let store = try scratch.open()
            _ = try store.credentials.bootstrap(workspaceName: "Home")
            try store.log.commit(
                LogBatch(appends: [writer.append(3, approvals: [writer.approval("a1", seq: 1)]), second.append(1)]))
            try store.close()
        }
        try sql("UPDATE sessions SET state = x'7b', checksum = NULL WHERE session = 's1'")
        let store = try scratch.open()
        let loaded = try store.log.load(resolvedSince: 0)
        #expect(loaded.sessions.map(\.key) == [other])
        #expect(loaded.removed.map(\.key) == [home])
        #expect(loaded.removed.map(\.place) == [RemovedSession(host: id("host1"), seq: 3, hostSeq: 30)])
        #expect(loaded.approvals.isEmpty, "an approval stands in its session")
        #expect(store.upkeep.damagedRecords.map(\.session) == ["s1"])
        #expect(store.upkeep.damagedRecords.first?.what.contains("does not decode") == true)
        #expect(try query("SELECT hex(state) FROM sessions WHERE session = 's1'") == "7B", "the row is as it was")

        // The session continues from its last position; the event in the way is kept.
        try store.log.commit(writer.batch(1))
        try store.log.commit(writer.batch(1))
        #expect(try store.log.all(home) == expected(home, 1...5))
        #expect(try store.log.load(resolvedSince: 0).sessions.count == 2)
        #expect(store.upkeep.damagedRecords.isEmpty)
        #expect(try query("SELECT seq || ' ' || hex(state) FROM damaged_states") == "3 7B")
    }

    @Test func `an approval that does not decode is named and left out`() throws {
        let store = try scratch.open()
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        var writer = Writer(.first)
        try store.log.commit(writer.batch(2, approvals: [writer.approval("a1", seq: 1), writer.approval("a2", seq: 2)]))
        try sql("UPDATE approvals SET record = x'7b', checksum = NULL WHERE approval = 'a1'")
        let loaded = try store.log.load(resolvedSince: 0)
        #expect(loaded.sessions.count == 1)
        #expect(loaded.approvals.map(\.approval.id) == [id("a2")])
        #expect(store.upkeep.damagedRecords.map(\.session) == ["s1"])
        let error = #expect(throws: LogError.self) { try store.log.approval(id("a1"), of: .first) }
        #expect(error?.code == .damaged(.store))
        // A bad record does not make the page bad: writing still works.
        try store.log.commit(writer.batch(1))
    }

    @Test func `a record of pushes that does not decode is named and left out until another takes its place`() throws {
        let records = ["1", "2"].map { PushRecord(workspace: .home, kind: .push, name: $0, bytes: Array("{}".utf8)) }
        do {
            let store = try scratch.open()
            try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
            try store.log.commit(LogBatch(records: records))
            #expect(try store.log.load(resolvedSince: 0).records == records)
            try store.close()
        }
        try sql(
            "UPDATE push_records SET bytes = x'7b' WHERE name = '1'; INSERT INTO push_records VALUES ('home', 'x', '', x'7b7d', NULL)"
        )
        let store = try scratch.open()
        #expect(try store.log.load(resolvedSince: 0).records == [records[1]])
        #expect(store.upkeep.damagedRecords.map(\.workspace) == ["home", "home"])
        #expect(store.upkeep.damagedRecords.first?.what.hasPrefix("push 1 is not as it was written") == true)
        #expect(try query("SELECT hex(bytes) FROM push_records WHERE name = '1'") == "7B", "the row is as it was")

        try store.log.commit(LogBatch(records: [records[0]]))
        #expect(store.upkeep.damagedRecords.count == 1)
        #expect(try store.log.load(resolvedSince: 0).records == records)
    }

    @Test func `a directory in place of the file cannot be opened`() throws {
        try FileManager.default.createDirectory(atPath: scratch.databasePath, withIntermediateDirectories: false)
        #expect(try codeOfOpening() == .cannotOpen)
    }

    @Test(.enabled(if: Tool.canMount, "only root can mount a small disk"))
    func `a read-only disk is named, and read from no further`() throws {
        try scratch.onDisk(kilobytes: 2_048) { disk in
            try disk.fill(10)
            try Tool.run("mount", "-o", "remount,ro", disk.path)
            let error = #expect(throws: SQLiteStoreError.self) { try disk.open() }
            #expect(error?.code == .cannotOpen || error?.code == .readOnly)
        }
    }

    @Test(.enabled(if: Tool.canMount, "only root can mount a small disk"))
    func `on a full disk commits are refused, reads go on, and room mends it`() throws {
        try scratch.onDisk(kilobytes: 1_024) { disk in
            let ballast = URL(fileURLWithPath: disk.path + "/ballast")
            let store = try disk.open()
            try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
            try Data(count: 300 << 10).write(to: ballast)
            var writer = Writer(.first)
            var failure: LogError?
            while failure == nil {
                let seq = writer.seq
                do throws(LogError) {
                    try store.log.commit(asking(&writer))
                } catch {
                    failure = error
                    writer.seq = seq
                }
            }
            #expect(failure?.code == .full)
            #expect(writer.seq > 0)
            #expect(try store.log.all(.first) == expected(.first, 1...writer.seq))
            let again = #expect(throws: LogError.self) {
                var copy = writer
                try store.log.commit(asking(&copy))
            }
            #expect(again?.code == .full)

            try FileManager.default.removeItem(at: ballast)
            for _ in 0..<5 { try store.log.commit(asking(&writer)) }
            #expect(try store.log.all(.first) == expected(.first, 1...writer.seq))
            try store.close()
            let reopened = try disk.open()
            #expect(try reopened.log.all(.first) == expected(.first, 1...writer.seq))
            #expect(try reopened.log.load(resolvedSince: 0).approvals.count == Int(writer.seq / 3))
            let report = try reopened.audit.verify(against: nil, heads: [])
            #expect(report.recordCount == Int(writer.seq / 3), "a record for each approval that is there, and for no other")
            #expect(report.faults.isEmpty)
        }
    }

    /// Three events, and an approval that the last of them asks for.
    private func asking(_ writer: inout Writer) -> LogBatch {
        writer.batch(3, approvals: [writer.approval("a\(writer.seq + 3)", seq: writer.seq + 3)])
    }

    @Test func `a large file starts without its history being read, and damage there is found beside the work`() throws {
        try scratch.fill(300)
        let whole = try contents()
        func open() throws -> SQLiteStore {
            let directory = try DataDirectory(path: scratch.path)
            return try SQLiteStore(directory, for: .relay(directory.lock()), checkedBytesMax: 0)
        }
        func damage(_ table: String) throws {
            let page = try #require(
                Int(scratch.query("SELECT pageno FROM dbstat WHERE name = '\(table)' ORDER BY path DESC LIMIT 1")))
            try overwrite(at: (page - 1) * 4_096, with: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
        }
        for table in ["sessions", "tokens", "approvals", "audit", "sqlite_autoindex_tokens_1"] {
            try damage(table)
            let error = #expect(throws: SQLiteStoreError.self, "\(table)") { try open() }
            #expect(error?.code == .corrupt)
            try whole.write(to: URL(fileURLWithPath: scratch.databasePath))
        }
        do {
            let store = try open()
            #expect(!store.upkeep.isChecked)
            #expect(try store.upkeep.checkEverything() == [])
        }
        // The newest page of the history: the next event would go there.
        try damage("events")
        let damaged = try contents()
        let store = try open()
        let found = #expect(throws: LogError.self) { try store.upkeep.checkEverything() }
        #expect(found?.code == .damaged(.store))
        #expect(found?.message.contains("heliograph restore") == true)
        let key = SessionKey(workspace: id("default"), session: id("s1"))
        let refused = #expect(throws: LogError.self) { try store.log.commit(Writer(key, seq: 300).batchAhead(1)) }
        #expect(refused?.code == .damaged(.store))
        #expect(try store.log.load(resolvedSince: 0).sessions.count == 1, "what can be read is read")
        try store.close()
        #expect(try contents()[4_096..<damaged.count] == damaged[4_096...])
    }

    @Test func `damage that a commit meets ends all writing`() throws {
        try scratch.fill(300)
        let page = try #require(
            Int(scratch.query("SELECT max(pageno) FROM dbstat WHERE name = 'events' AND pagetype = 'leaf'")))
        try overwrite(at: (page - 1) * 4_096, with: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
        let directory = try DataDirectory(path: scratch.path)
        let store = try SQLiteStore(directory, for: .relay(directory.lock()), checkedBytesMax: 0)
        let damaged = try contents()
        let events = Writer(SessionKey(workspace: id("default"), session: id("s1")), seq: 300).batchAhead(1)
        let elsewhere = Writer(.crash).batchAhead(1)
        for batch in [events, events, elsewhere] {
            let error = #expect(throws: LogError.self) { try store.log.commit(batch) }
            #expect(error?.code == .damaged(.store))
        }
        try store.close()
        // Every opening writes pages of the schema (GRDB makes a table and drops it), and the first one adds an empty page at the end.
        let schema = try Set(
            scratch.query("SELECT group_concat(pageno) FROM dbstat WHERE name = 'sqlite_schema'").split(separator: ",").map {
                Int($0)
            })
        let now = try contents()
        for page in 1...damaged.count / 4_096 where !schema.contains(page) {
            let range = (page - 1) * 4_096..<page * 4_096
            #expect(now[range] == damaged[range], "page \(page)")
        }
    }

    private func sql(_ text: String) throws { try scratch.sql(text) }

    private func query(_ text: String) throws -> String { try scratch.query(text) }
}

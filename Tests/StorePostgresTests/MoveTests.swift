import HeliographPostgreSQL
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StorePostgres
import StoreSQLite
import StoreTestSupport
import Testing

/// A move from a data file to a database and back preserves everything, or changes nothing.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct MoveTests {
    private let scratch = Scratch.current
    private let later = SessionKey(workspace: .other, session: id("s1"))

    @discardableResult private func sql(_ text: String) throws -> PostgresRows {
        try PostgresConnection(to: scratch.postgresAddress(), as: "operator").run(.once(text), within: .seconds(30))
    }

    /// Something in every table but that of damaged states.
    private func fill(
        _ log: some SessionLog, _ credentials: some CredentialStore & WorkspaceStore, _ pictures: some PictureStore
    )
        throws
    {
        for (workspace, name) in [(WorkspaceID.home, "Home"), (.other, "Other")] {
            try credentials.addWorkspace(Named(id: workspace, name: name))
        }
        let phone = Token(
            id: "t1", digest: [UInt8](repeating: 7, count: 32), role: .client, subject: "phone", name: "Ada's phone",
            workspace: .home, createdAt: 1_000)
        try credentials.addToken(phone)
        for key in [SessionKey.first, .second, later] {
            var writer = Writer(key)
            let decision = Decision(.deny(message: nil), client: id("phone"), clientName: "Ada", at: 1_001, command: id("c1"))
            let approvals = [writer.approval("a1", seq: 1), writer.approval("a2", seq: 2, stage: .decided, decision: decision)]
            try log.commit(writer.batch(700, approvals: approvals))
            // Bytes that are no text, a state that is written over, and a session whose oldest events are gone.
            try log.commit(writer.batch(1, bytes: 200_000))
            if key == .second {
                try log.commit(LogBatch(trims: [SessionTrim(key: key, through: 5, state: writer.state(seq: 701))]))
            }
        }
        try log.commit(
            LogBatch(
                commands: [CommandRecord(workspace: .other, client: id("phone"), command: id("c1"), at: 5)],
                records: [PushRecord(workspace: .other, kind: .device, name: "d1", bytes: Array("{}".utf8))],
                clock: AgeClockRecord(text: "1 2 3 - boot")))
        let content = [UInt8]("\u{89}PNG".utf8)
        let digest = try #require(PictureDigest(String(repeating: "0a", count: 32)))
        #expect(
            try pictures.keep(KeptPicture(Picture(digest: digest, type: .png, bytes: content.count), content), of: later, at: 9)
        )
    }

    /// Moves the data, like `heliograph migrate`.
    @discardableResult private func moveToDatabase() throws -> [StoreMove.ComparedTable] {
        var outcomes: [StoreMove.ComparedTable] = []
        let database = try MovedDatabase(scratch.postgresAddress())
        try database.refuseData()
        _ = try DataDirectory(path: scratch.path).move { source in
            outcomes = try StoreMove.copy(from: source.file, to: database) { _ in }
            try source.giveUpEpoch()
            try database.commit(epoch: source.epoch)
        }
        return outcomes
    }

    private func moveToFile() throws -> [StoreMove.ComparedTable] {
        try DataDirectory(path: scratch.path).receive { file in
            let database = try MovedDatabase(scratch.postgresAddress())
            let outcomes = try StoreMove.copy(from: database, to: file) { _ in }
            let epoch = try database.epoch()
            try database.commit(epoch: nil)
            return (outcomes, epoch)
        }
    }

    private func fillFile() throws -> Epoch {
        let store = try scratch.open()
        try fill(store.log, store.credentials, store.pictures)
        defer { try? store.close() }
        return store.log.epoch
    }

    @Test func `there and back everything is the same, in the same epoch, and work goes on at each place`() throws {
        let epoch = try fillFile()
        let there = try moveToDatabase()
        #expect(there.allSatisfy { $0.isSame && $0.source.damaged == 0 })
        #expect(there.filter { $0.source.rows == 0 }.map(\.table) == [.pairingCodes, .damagedStates])
        #expect(throws: SQLiteStoreError.self) { try DataDirectory(existing: scratch.path) }
        let back = try moveToFile()
        #expect(back.map(\.source) == there.map(\.source))
        #expect(back.allSatisfy { $0.isSame })
        let file = try scratch.open()
        #expect(file.log.epoch == epoch)
        #expect(try file.upkeep.checkEverything()?.isEmpty == true)
        #expect(try file.audit.verify(against: nil, heads: []).faults.isEmpty)
        #expect(try file.log.all(later).count == 701)
        var (writer, fresh) = (Writer(.first, seq: 701), Writer(SessionKey(workspace: .home, session: id("s9"))))
        try file.log.commit(writer.batch(2, approvals: [writer.approval("a9", seq: 702)]))
        try file.log.commit(fresh.batch(3))
        try file.close()
        // The database still has its data, in case it is needed.
        let error = #expect(throws: LogError.self) { try moveToDatabase() }
        #expect(error?.code == .conflict && error?.message.contains("not empty") == true)
        #expect(try scratch.open().log.seq(.first) == 703)
    }

    @Test func `a file goes on with the furthest of the clocks that nodes have kept`() throws {
        let node = try scratch.openPostgresNode()
        for (workspace, time) in [(WorkspaceID.home, 5), (.other, 9)] as [(WorkspaceID, Int64)] {
            try node.credentials.addWorkspace(Named(id: workspace, name: workspace.rawValue))
            let record = AgeClockRecord(time: time, wall: time, uptime: 1, boot: "b", steadyFor: nil)
            try #require(try node.claim(workspace)).log.commit(LogBatch(clock: record))
        }
        try node.close()
        #expect(try moveToFile().allSatisfy { $0.isSame })
        #expect(try scratch.open().log.load(resolvedSince: 0).clock?.time == 9)
    }

    @Test func `a relay on the database goes on where the file ended, with numbers that nobody has`() throws {
        let epoch = try fillFile()
        try moveToDatabase()
        let store = try scratch.openPostgres()
        #expect(store.log.epoch == epoch)
        #expect(try store.upkeep.checkEverything()?.isEmpty == true)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
        var (writer, fresh) = (Writer(later, seq: 701), Writer(SessionKey(workspace: .other, session: id("s9"))))
        try store.log.commit(writer.batch(2, approvals: [writer.approval("a9", seq: 702)]))
        try store.log.commit(fresh.batch(3))
        try store.credentials.addWorkspace(Named(id: id("third"), name: "Third"))
        #expect(try store.log.all(later).count == 703)
        #expect(try store.log.all(fresh.key).count == 3)
    }

    @Test func `sessions that have one number in two workspaces get numbers of their own, and damage stays what it is`() throws
    {
        let store = try scratch.openPostgres()
        try fill(store.log, store.credentials, store.pictures)
        try store.close()
        #expect(try sql("SELECT FROM sessions WHERE number = 1").count == 2)
        try sql("UPDATE events SET bytes = '\\x00' WHERE seq = 3")
        try sql("UPDATE events SET checksum = NULL WHERE seq = 4")
        try sql("UPDATE approvals SET stage = 'applied' WHERE approval = 'a1'")
        try sql("INSERT INTO damaged_states VALUES (2, 1, 5, '\\x7b')")
        let outcomes = try moveToFile()
        #expect(outcomes.allSatisfy { $0.isSame })
        let damaged = Dictionary(uniqueKeysWithValues: outcomes.map { ($0.table, $0.target.damaged) }).filter { $0.value > 0 }
        // The first events of the second session had been removed.
        #expect(damaged == [.events: 2, .approvals: 3], "\(damaged)")
        let file = try scratch.open()
        #expect(
            try file.upkeep.checkEverything()?.map(\.what) == Array(repeating: "event 3 \(DamagedRecord.changed)", count: 2))
        #expect(try file.log.events(of: later, after: 3, limit: 1_000, bytesMax: .max).events.count == 698)
    }

    @Test func `a store that is in use is refused, and nothing is changed`() throws {
        let epoch = try fillFile()
        let relay = try scratch.open()
        #expect(throws: SQLiteStoreError.self) { try moveToDatabase() }
        #expect(relay.log.epoch == epoch)
        try relay.close()
        let other = try scratch.openPostgres()
        let error = #expect(throws: LogError.self) { try moveToDatabase() }
        #expect(error?.message.contains("in use") == true, "\(error?.message ?? "")")
        try other.close()
        #expect(try sql("SELECT FROM workspaces").count == 0)
        try moveToDatabase()
        #expect(throws: SQLiteStoreError.self) { try moveIntoUsedFolder() }
    }

    private func moveIntoUsedFolder() throws {
        try scratch.open().close()
        _ = try moveToFile()
    }

    private struct Stop: Error {}

    @Test func `a move that ends in the middle leaves the source as it was, and nothing at the target`() throws {
        let epoch = try fillFile()
        #expect(throws: Stop.self) {
            let database = try MovedDatabase(scratch.postgresAddress())
            _ = try DataDirectory(path: scratch.path).move { source in
                _ = try StoreMove.copy(from: source.file, to: database) { _ in }
                throw Stop()
            }
        }
        #expect(try sql("SELECT FROM events").count == 0)
        let store = try scratch.open()
        #expect(store.log.epoch == epoch)
        try store.close()
        #expect(try moveToDatabase().allSatisfy { $0.isSame })
        #expect(throws: Stop.self) {
            try DataDirectory(path: scratch.path).receive { file -> (Void, Epoch?) in
                _ = try StoreMove.copy(from: MovedDatabase(scratch.postgresAddress()), to: file) { _ in }
                throw Stop()
            }
        }
        #expect(!DataDirectory.hasRemains(at: scratch.path))
        #expect(try moveToFile().allSatisfy { $0.isSame })
    }

    /// Columns that are not moved have a reason, given here.
    @Test func `every column of a database is moved, or is about the database itself`() throws {
        try scratch.openPostgres().close()
        // Apps report their addresses again, and until then there is one core that has them all.
        let about: Set<String> = ["owners", "nodes", "versions", "entrants", "secrets", "push_addresses"]
        let rows = try sql(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()")
        let columns = rows.map { ($0.text(0), $0.text(1)) }.filter { !about.contains($0.0) }
        let moved = Set(MovedTable.allCases.flatMap { table in table.columns.map { "\(table.rawValue).\($0.name)" } })
        // A key that nothing refers to: rows get others there.
        let keys: Set<String> = ["damaged_states.number"]
        #expect(Set(columns.map { "\($0.0).\($0.1)" }).subtracting(keys) == moved)
    }
}

import HeliographPostgreSQL
import RelayCore
import RelayModel
import RelayProtocol
import StorePostgres
import StoreTestSupport
import Testing

/// Rows that differ from what was written: each is reported, and does not affect the others.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct DamageTests {
    @discardableResult private func sql(_ text: String) throws -> PostgresRows {
        try PostgresConnection(to: Scratch.current.postgresAddress(), as: "operator").run(.once(text), within: .seconds(30))
    }

    private func open() throws -> PostgresStore {
        let store = try Scratch.current.openPostgres()
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        return store
    }

    @Test func `a page ends before an event that was changed or is gone, and the check of everything names both`() throws {
        let store = try open()
        var writer = Writer(.first)
        try store.log.commit(writer.batch(200))
        #expect(try store.upkeep.checkEverything()?.isEmpty == true)
        try sql("UPDATE events SET bytes = '\\x00' WHERE seq = 3")
        try sql("DELETE FROM events WHERE seq = 150")
        #expect(try store.log.all(.first) == expected(.first, 1...2))
        #expect(try store.log.events(of: .first, after: 3, limit: 1_000, bytesMax: .max).events == expected(.first, 4...149))
        let error = #expect(throws: LogError.self) { try store.log.events(of: .first, after: 2, limit: 9, bytesMax: .max) }
        #expect(error?.code == .damaged(.record))
        let found = try #require(try store.upkeep.checkEverything())
        #expect(found.map(\.what) == ["event 3 \(DamagedRecord.changed)", "event 150 is missing"])
        #expect(found.allSatisfy { $0.workspace == "home" && $0.session == "s1" })
        try store.log.commit(LogBatch(trims: [SessionTrim(key: .first, through: 150, state: writer.state(seq: 200))]))
        #expect(store.upkeep.damagedRecords.isEmpty)
    }

    @Test func `what retention takes while everything is checked is not missing`() throws {
        let store = try open()
        var writer = Writer(.first)
        try store.log.commit(writer.batch(200))
        // The check reads 64 at a time: with the last of the first ones, those before the 101st go.
        for statement in [
            "ALTER TABLE events RENAME TO kept_events",
            """
            CREATE FUNCTION take(seq bigint) RETURNS boolean LANGUAGE plpgsql AS $$
            BEGIN
                IF seq = 64 THEN DELETE FROM kept_events WHERE kept_events.seq <= 100; END IF;
                RETURN true;
            END $$
            """,
            "CREATE VIEW events AS SELECT * FROM kept_events WHERE take(seq)",
        ] { try sql(statement) }
        #expect(try store.upkeep.checkEverything()?.isEmpty == true)
        #expect(try sql("SELECT min(seq) FROM kept_events")[0].integer(0) == 101)
        try sql("DELETE FROM kept_events WHERE seq = 150")
        #expect(try store.upkeep.checkEverything()?.map(\.what) == ["event 150 is missing"])
    }

    @Test func `a session whose state was changed keeps its place, and what was in the way is put aside`() throws {
        let store = try open()
        var (writer, other) = (Writer(.first), Writer(.second))
        try store.log.commit(
            LogBatch(appends: [writer.append(3, approvals: [writer.approval("a1", seq: 1)]), other.append(1)]))
        try sql("UPDATE sessions SET state = '\\x7b' WHERE session = 's1'")
        try sql("UPDATE approvals SET stage = 'applied'")
        let loaded = try store.log.load(resolvedSince: 0)
        #expect(loaded.sessions.map(\.key) == [.second] && loaded.removed.map(\.key) == [.first])
        #expect(store.upkeep.damagedRecords.map(\.session) == ["s1"])
        #expect(throws: LogError.self) { try store.log.approval(id("a1"), of: .first) }
        try store.log.commit(writer.batch(1))
        #expect(store.upkeep.damagedRecords.isEmpty)
        #expect(
            try sql("SELECT seq, state FROM damaged_states").map { [$0.integer(0), Int64($0.bytes(1).count)] } == [[3, 1]])
        #expect(try store.log.seq(.first) == 4)
    }

    @Test func `an audit log that was touched is not believed, nor one whose end was cut off`() throws {
        let store = try open()
        var writer = Writer(.first)
        let decision = Decision(.deny(message: nil), client: id("phone"), clientName: "Ada", at: 1_001, command: id("c1"))
        for count in 1...4 as ClosedRange<Int64> {
            let approval = writer.approval("a\(count)", seq: count, stage: .decided, decision: decision)
            try store.log.commit(writer.batch(1, approvals: [approval]))
        }
        var lines: [[UInt8]] = []
        try store.audit.export(of: .home) {
            lines.append($0)
            return true
        }
        #expect(lines.count == 4)
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
        #expect(throws: PostgresError.self) { try sql("DELETE FROM audit") }
        try sql("ALTER TABLE audit DISABLE TRIGGER ALL")
        try sql("UPDATE audit SET line = line || '\\x20' WHERE n = 2")
        #expect(try store.audit.verify(against: nil, heads: []).faults.contains { $0.contains("row 2 of home") })
        try sql("DELETE FROM audit WHERE n = 4")
        let faults = try store.audit.verify(against: nil, heads: []).faults
        #expect(faults.contains { $0.contains("the end was cut off") } && faults.contains { $0.contains("a4") }, "\(faults)")
        // The number that was taken off is not given again.
        try store.close()
        let next = try Scratch.current.openPostgres()
        try next.log.commit(writer.batch(1, approvals: [writer.approval("a5", seq: 5)]))
        #expect(try sql("SELECT max(n) FROM audit")[0].integer(0) == 5)
    }

    @Test func `what was written over by another relay's row is a conflict, and nothing of the batch is there`() throws {
        let store = try open()
        var writer = Writer(.first)
        try store.log.commit(writer.batch(2))
        try sql("UPDATE sessions SET seq = 7")
        let error = #expect(throws: LogError.self) { try store.log.commit(writer.batch(1)) }
        #expect(error?.code == .conflict)
        #expect(try sql("SELECT FROM events").count == 2)
    }
}

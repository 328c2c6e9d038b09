import HeliographTestSupport
import RelayModel
import RelayProtocol
import Testing

@testable import RelayCore

/// Stored records, checked against their table.
@Suite("Stored records and what reads and writes them")
struct StoredRecordTests {
    private static let session = FieldCheck("session") { bytes throws(WireError) in
        let state = try SessionState(stored: bytes)
        return (state, state.bytes)
    }

    private static let budget = FieldCheck("budget") { bytes throws(WireError) in
        // A record without a scope is a day's.
        let budget = try Budget(from: JSONDocument(parsing: bytes).root)
        var book = BudgetBook()
        try book.restore(bytes)
        return (budget, book.bytes(budget.scope) ?? [])
    }

    private static let day = FieldCheck("day") { bytes throws(WireError) in
        var book = BudgetBook()
        try book.restore(bytes)
        return (book.days, book.days.keys.first.flatMap { book.bytes($0) } ?? [])
    }

    private static let cost = FieldCheck("cost") { bytes throws(WireError) in
        let row = try CostRow(stored: bytes)
        return (row, row.bytes)
    }

    /// Every record has these; if one were missing, it would be read as empty.
    private static func isUnread(_ place: String) -> Bool {
        place.hasSuffix(".host.connected") || place.hasSuffix(".context") || place == "session $.agent"
    }

    private func expect(_ check: FieldCheck, _ table: WireObject) throws {
        let faults = try check.faults(ofStored: table, isUnread: Self.isUnread)
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test("a session's state is kept with the fields of the table, and no other")
    func states() throws { try expect(Self.session, StoredTable.session) }

    @Test("budgets and what was spent are kept with the fields of the table, and no other")
    func budgets() throws {
        try expect(Self.budget, StoredTable.budget)
        try expect(Self.day, StoredTable.day)
    }

    @Test("what a session used on a day is kept with the fields of the table, and no other")
    func costs() throws { try expect(Self.cost, StoredTable.cost) }

    @Test("what outlives a removed session is kept with the fields of the table, and no other")
    func removedSessions() throws {
        for fields in WireExamples.of(StoredTable.removedSession.fields) {
            let example = JSONTree.object(fields)
            let summary = Summary(
                session: Fixtures.session, host: Named(id: HostID("h")!, name: "laptop"), hostIsConnected: true, agentName: "a",
                startedAt: 1)
            var state = SessionState(summary: summary)
            state.resume(usage: example.bytes)
            #expect(try JSONTree(parsing: state.usage) == example)
        }
    }

    @Test("lists are as long as the wire's table says")
    func lists() {
        func countMax(_ type: String, _ field: String) -> Int? {
            let fields = WireTable.messages(.relayToClient).filter { $0.type == type }.flatMap(\.fields)
            guard case .list(_, let range) = fields.first(where: { $0.name == field })?.type.shape else { return nil }
            return range.upperBound
        }
        #expect(countMax("snapshot", "events") == Limits.snapshotEventsMax)
        // One more for each scope that concerns no single session.
        #expect(countMax("reply", "budgets") == Limits.budgetsMax + Budget.ScopeName.allCases.count - 1)
    }
}

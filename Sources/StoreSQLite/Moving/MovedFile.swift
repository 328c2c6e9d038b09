internal import Foundation
internal import GRDB
internal import RelayCore
package import RelayStore

/// A data file as one side of a move, in a transaction while nobody else writes.
package final class MovedFile: MoveTarget {
    private let db: Database
    /// New numbers of sessions: they are unique in the whole file here, but only within their workspace elsewhere, so a number that
    /// is taken is replaced.
    private var numbers: [Place: Int64] = [:]
    private var taken: Set<Int64> = []
    private var lastNumber: Int64 = 0

    private struct Place: Hashable {
        let workspace: Int64
        let session: Int64
    }

    init(_ db: Database) { self.db = db }

    package func count(_ table: MovedTable) throws -> Int64 {
        let condition = table == .meta ? "WHERE \(MovedTable.metaCondition)" : ""
        return try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table.rawValue) \(condition)") ?? 0
    }

    // MARK: - Reading

    package func read(_ table: MovedTable, _ body: ([MovedRow]) throws -> Void) throws {
        let rows = try Row.fetchCursor(db, sql: Self.selection(of: table))
        var batch: [MovedRow] = []
        while let row = try rows.next() {
            batch.append(MovedRow((0..<row.count).map { Self.value(row[$0]) }))
            guard batch.count == table.rowsAtOnce else { continue }
            try body(batch)
            batch.removeAll(keepingCapacity: true)
        }
        if !batch.isEmpty { try body(batch) }
    }

    private static func value(_ value: DatabaseValue) -> MovedRow.Value {
        switch value.storage {
        case .null: .null
        case .int64(let number): .integer(number)
        case .string(let text): .text(text)
        case .blob(let data): .blob([UInt8](data))
        // Not used: none of our columns has floating-point values.
        case .double(let number): .integer(Int64(number))
        }
    }

    /// The query for a table's rows, in their stored order.
    private static func selection(of table: MovedTable) -> String {
        let names = table.columns.map { column in
            switch (table, column.name) {
            case (.audit, "workspace"): "id >> 32"
            case (.audit, "n"): "id & 0xffffffff"
            case (.events, "session"): "t.id >> 32"
            case (.events, "seq"): "t.id & 0xffffffff"
            case (.tokens, _), (.workspaces, _), (.pairingCodes, _): column.name
            case (_, "workspace"):
                "(SELECT w.number FROM workspaces AS w WHERE w.workspace = \(table.isOfSession ? "s" : "t").workspace)"
            default: "t.\(column.name)"
            }
        }
        let session = table == .events ? "t.id >> 32" : "t.session"
        let join = table.isOfSession ? "JOIN sessions AS s ON s.number = \(session)" : ""
        let condition = table == .meta ? "WHERE \(MovedTable.metaCondition)" : ""
        let order =
            switch table {
            case .events, .audit: "ORDER BY id"
            case .approvals, .damagedStates, .pictures, .tokens, .workspaces, .sessions: "ORDER BY t.number"
            case .meta, .pairingCodes, .commands, .pushRecords: ""
            }
        return "SELECT \(names.joined(separator: ", ")) FROM \(table.rawValue) AS t \(join) \(condition) \(order)"
    }

    // MARK: - Writing

    package func write(_ rows: [MovedRow], to table: MovedTable) throws {
        if table == .sessions { for row in rows { number(row) } }
        let statement = try db.cachedStatement(sql: Self.insertion(into: table))
        for row in rows {
            try statement.execute(arguments: StatementArguments(values(of: row, in: table).map(Self.argument)))
        }
    }

    private func number(_ row: MovedRow) {
        let (workspace, wanted) = (row.integer(0), row.integer(1))
        let number = taken.contains(wanted) ? lastNumber + 1 : wanted
        taken.insert(number)
        lastNumber = max(lastNumber, number)
        numbers[Place(workspace: workspace, session: wanted)] = number
    }

    /// The row's values in the file's columns, in the order of `insertion`.
    private func values(of row: MovedRow, in table: MovedTable) throws -> [MovedRow.Value] {
        guard table == .sessions || table.isOfSession else {
            guard table == .audit else { return row.values }
            return [.integer(AuditKey.id(workspace: row.integer(0), n: row.integer(1))), row.values[2]]
        }
        guard let number = numbers[Place(workspace: row.integer(0), session: row.integer(1))] else {
            throw LogError(.damaged(.store), "The table \(table.rawValue) has rows of a session that is not there.")
        }
        if table == .sessions {
            var values = row.values
            values[1] = .integer(number)
            return values
        }
        let moved = number == row.integer(1) ? row : row.renumbered(number, in: table)
        guard table == .events else { return Array(moved.values.dropFirst()) }
        return [.integer(EventKey.id(session: number, seq: row.integer(2)))] + moved.values.dropFirst(3)
    }

    private static func argument(_ value: MovedRow.Value) -> DatabaseValue {
        switch value {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .blob(let bytes): Data(bytes).databaseValue
        }
    }

    private static func insertion(into table: MovedTable) -> String {
        var names = table.columns.map(\.name)
        switch table {
        case .events: names.replaceSubrange(0..<3, with: ["id"])
        case .audit: names.replaceSubrange(0..<2, with: ["id"])
        case _ where table.isOfSession: names.removeFirst()
        default: break
        }
        let isByName = [.sessions, .commands, .pushRecords].contains(table)
        let places = names.map { $0 == "workspace" && isByName ? "(SELECT workspace FROM workspaces WHERE number = ?)" : "?" }
        // A new file has rows of its own in `meta`, which are replaced.
        let verb = table == .meta ? "INSERT OR REPLACE" : "INSERT"
        return "\(verb) INTO \(table.rawValue) (\(names.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
    }
}

internal import HeliographPostgreSQL
package import RelayCore
package import RelayProtocol
package import RelayStore

/// A database as one side of a move, in one transaction: without a commit nothing has changed.
package final class MovedDatabase: MoveTarget {
    private let use: SoleUse

    /// Throws if a relay or a command uses the database; nothing is changed then, except that the tables may have been made.
    package init(_ address: String) throws(LogError) {
        use = try SoleUse(address)
        do { try joinClocks() } catch { throw LogError(error) }
    }

    /// Joins the clocks into one: nodes keep one for each workspace, and the target has only one.
    private func joinClocks() throws {
        guard let clock = try StoredClock.load(in: .everything, on: use.connection) else { return }
        _ = try use.connection.run(StoredClock.statements(clock, in: .everything), within: SoleUse.stepMax)
    }

    /// Throws if the database has data.
    package func refuseData() throws(LogError) {
        do {
            for table in MovedTable.allCases where try count(table) > 0 {
                throw LogError(
                    .conflict,
                    "The database has a relay's data already: its table \(table.rawValue) is not empty. Nothing was changed.")
            }
        } catch {
            throw LogError(error)
        }
    }

    /// The log's epoch; nil if the next relay begins another one anyway.
    package func epoch() throws(LogError) -> Epoch? {
        do { return try use.epoch() } catch { throw LogError(error) }
    }

    /// Commits the move. `epoch`: the one that the next relay continues; nil: it begins another one.
    package func commit(epoch: Epoch?) throws(LogError) {
        do {
            // Sets the sequences, so that the next row of each table gets an unused number.
            for table in [MovedTable.workspaces, .tokens, .approvals, .pictures] {
                _ = try ask(
                    """
                    SELECT setval(pg_get_serial_sequence('\(table.rawValue)', 'number'), max(number)) FROM \(table.rawValue)
                    HAVING max(number) IS NOT NULL
                    """)
            }
        } catch {
            throw LogError(error)
        }
        try use.commit(epoch: epoch)
    }

    /// Stores a secret, in place of an existing one of that name, which is no longer needed.
    package func put(_ secret: [UInt8], as name: String) throws(LogError) {
        do {
            _ = try ask(
                """
                INSERT INTO secrets (name, value) VALUES ($1::text, $2::bytea)
                ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, .text(name), .bytea(secret))
        } catch {
            throw LogError(error)
        }
    }

    /// A secret of the store; see `SecretStore`. It stays in the database, too.
    package func secret(_ name: String) throws(LogError) -> [UInt8]? {
        do { return try ask("SELECT value FROM secrets WHERE name = $1::text", .text(name)).first?.bytes(0) } catch {
            throw LogError(error)
        }
    }

    private func ask(_ sql: String, _ values: PostgresValue...) throws -> PostgresRows {
        try use.connection.run(PostgresStatement(sql, values, isPrepared: false), within: SoleUse.stepMax)
    }

    package func count(_ table: MovedTable) throws -> Int64 {
        try ask("SELECT count(*) FROM \(table.rawValue) \(Self.condition(of: table))")[0].integer(0)
    }

    private static func condition(of table: MovedTable) -> String {
        table == .meta ? "WHERE \(MovedTable.metaCondition)" : ""
    }

    // MARK: - Reading

    package func read(_ table: MovedTable, _ body: ([MovedRow]) throws -> Void) throws {
        let names = table.columns.map(\.name).joined(separator: ", ")
        // A session whose number is free in the target keeps it, so sessions are read in their order.
        let order = table == .sessions ? "ORDER BY workspace, number" : ""
        _ = try ask(
            "DECLARE moved NO SCROLL CURSOR FOR SELECT \(names) FROM \(table.rawValue) \(Self.condition(of: table)) \(order)")
        while true {
            let rows = try ask("FETCH FORWARD \(table.rowsAtOnce) FROM moved")
            if rows.count > 0 { try body(rows.map { row in MovedRow(Self.values(of: row, in: table)) }) }
            if rows.count < table.rowsAtOnce { break }
        }
        _ = try ask("CLOSE moved")
    }

    private static func values(of row: PostgresRows.Row, in table: MovedTable) -> [MovedRow.Value] {
        table.columns.enumerated().map { place, column in
            let place = Int32(place)
            return switch column.kind {
            case .integer: .integer(row.optionalInteger(place))
            case .text: .text(row.optionalText(place))
            case .blob: .blob(row.optionalBytes(place))
            case .flag: .integer(row.bool(place) ? 1 : 0)
            }
        }
    }

    // MARK: - Writing

    package func write(_ rows: [MovedRow], to table: MovedTable) throws {
        let columns = table.columns
        var arrays: [PostgresValue] = []
        var (types, sources): ([String], [String]) = ([], [])
        for (place, column) in columns.enumerated() {
            let values = rows.map { $0.values[place] }
            sources.append(column.kind == .flag ? "n.\(column.name) <> 0" : "n.\(column.name)")
            let type: String
            switch column.kind {
            case .integer, .flag: (type, arrays) = ("bigint", arrays + [.optionalBigints(values.map(\.integer))])
            case .text: (type, arrays) = ("text", arrays + [.optionalTexts(values.map(\.text))])
            case .blob: (type, arrays) = ("bytea", arrays + [.optionalByteas(values.map(\.blob))])
            }
            types.append("$\(place + 1)::\(type)[]")
        }
        let names = columns.map(\.name).joined(separator: ", ")
        let sql = """
            INSERT INTO \(table.rawValue) (\(names)) OVERRIDING SYSTEM VALUE
            SELECT \(sources.joined(separator: ", ")) FROM unnest(\(types.joined(separator: ", "))) AS n (\(names))
            """
        _ = try use.connection.run(PostgresStatement(sql, arrays), within: SoleUse.stepMax)
    }
}

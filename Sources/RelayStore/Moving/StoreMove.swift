internal import RelayCore

/// One side of a move. Used on one thread, in one transaction, while nobody else writes.
package protocol MovedStore {
    /// The number of rows as the store counts them, independently of `read`.
    func count(_ table: MovedTable) throws -> Int64
    /// Calls `body` with all rows, some at a time.
    func read(_ table: MovedTable, _ body: ([MovedRow]) throws -> Void) throws
}

package protocol MoveTarget: MovedStore {
    /// Workspaces keep their numbers; sessions may get new ones.
    func write(_ rows: [MovedRow], to table: MovedTable) throws
}

/// Copies the whole content of a store to another kind of store, and compares the two.
package enum StoreMove {
    /// One table's contents on both sides, read back.
    package struct ComparedTable: Sendable {
        package let table: MovedTable
        package let source: TableDigest
        package let target: TableDigest

        package var isSame: Bool { source == target }
    }

    package struct Progress: Sendable {
        package let table: MovedTable
        package let rows: Int64
        package let rowsOfTable: Int64
        package let isComparing: Bool
    }

    /// Throws if the two sides differ afterwards; then the target must be discarded.
    package static func copy(
        from source: some MovedStore, to target: some MoveTarget, _ progress: (Progress) -> Void
    ) throws -> [ComparedTable] {
        for table in MovedTable.allCases {
            let count = try source.count(table)
            var done: Int64 = 0
            try source.read(table) { rows in
                try target.write(rows, to: table)
                done += Int64(rows.count)
                progress(Progress(table: table, rows: done, rowsOfTable: count, isComparing: false))
            }
        }
        let (before, after) = (try digests(of: source, progress), try digests(of: target, progress))
        let outcomes = MovedTable.allCases.map {
            ComparedTable(table: $0, source: before[$0] ?? TableDigest(), target: after[$0] ?? TableDigest())
        }
        if let wrong = outcomes.first(where: { !$0.isSame }) {
            throw LogError(
                .conflict,
                """
                The table \(wrong.table.rawValue) is not the same on both sides: \(wrong.source.rows) rows with digest \
                \(wrong.source.text.prefix(16)) became \(wrong.target.rows) with \(wrong.target.text.prefix(16)). \
                Nothing was moved.
                """)
        }
        return outcomes
    }

    /// The digests of every table, with sessions' names in place of their numbers.
    package static func digests(
        of store: some MovedStore, _ progress: (Progress) -> Void = { _ in }
    ) throws -> [MovedTable: TableDigest] {
        var names = Names()
        var digests: [MovedTable: TableDigest] = [:]
        for table in MovedTable.allCases {
            let count = try store.count(table)
            var digest = TableDigest()
            try store.read(table) { rows in
                for row in rows {
                    names.note(row, of: table)
                    try names.add(row, of: table, to: &digest)
                }
                progress(Progress(table: table, rows: digest.rows, rowsOfTable: count, isComparing: true))
            }
            guard digest.rows == count else {
                throw LogError(
                    .damaged(.store),
                    "The table \(table.rawValue) has \(count) rows, of which \(digest.rows) can be read. Nothing was moved.")
            }
            digests[table] = digest
        }
        return digests
    }

    /// Names of a side's workspaces and sessions.
    private struct Names {
        private struct Place: Hashable {
            let workspace: Int64
            let session: Int64
        }

        private var workspaces: [Int64: String] = [:]
        private var sessions: [Place: String] = [:]

        mutating func note(_ row: MovedRow, of table: MovedTable) {
            if table == .workspaces { workspaces[row.integer(0)] = row.text(1) }
            if table == .sessions { sessions[Place(workspace: row.integer(0), session: row.integer(1))] = row.text(2) }
        }

        func add(_ row: MovedRow, of table: MovedTable, to digest: inout TableDigest) throws {
            var values = row.values
            if table == .sessions { values[1] = .null }
            if table.isOfSession {
                guard let name = sessions[Place(workspace: row.integer(0), session: row.integer(1))] else {
                    throw LogError(
                        .damaged(.store),
                        "The table \(table.rawValue) has rows of a session that is not there. Nothing was moved.")
                }
                values[1] = .text(name)
            }
            let isIntact = row.isIntact(in: table, workspace: workspaces[row.integer(0)] ?? "")
            if let place = table.place(of: "checksum") { values[place] = .null }
            digest.add(values, isIntact: isIntact)
        }
    }
}

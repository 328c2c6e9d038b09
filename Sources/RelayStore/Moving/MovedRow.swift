/// One row of a moved table, with its values in the order of `MovedTable.columns`.
package struct MovedRow: Sendable {
    package enum Value: Sendable, Equatable {
        case null
        /// Also a flag: 0 or 1.
        case integer(Int64)
        case text(String)
        case blob([UInt8])
    }

    package var values: [Value]

    package init(_ values: [Value]) { self.values = values }
}

extension MovedRow.Value {
    package var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    package var text: String? { if case .text(let text) = self { text } else { nil } }
    package var blob: [UInt8]? { if case .blob(let bytes) = self { bytes } else { nil } }

    package static func integer(_ number: Int64?) -> Self { number.map { .integer($0) } ?? .null }
    package static func text(_ text: String?) -> Self { text.map { .text($0) } ?? .null }
    package static func blob(_ bytes: [UInt8]?) -> Self { bytes.map { .blob($0) } ?? .null }
}

extension MovedRow {
    package func integer(_ place: Int) -> Int64 { values[place].integer ?? 0 }
    package func text(_ place: Int) -> String { values[place].text ?? "" }
    package func blob(_ place: Int) -> [UInt8] { values[place].blob ?? [] }

    /// True if the row is unchanged since it was written; nil if it has no checksum. `workspace`: name of the row's workspace.
    func isIntact(in table: MovedTable, workspace: String) -> Bool? {
        guard let place = table.place(of: "checksum"), let column = values[place].integer else { return nil }
        return checksum(in: table, workspace: workspace).map { $0.column == column }
    }

    /// The row with its session's new number, and a checksum to match. A damaged row stays damaged.
    package func renumbered(_ number: Int64, in table: MovedTable) -> MovedRow {
        let isIntact = isIntact(in: table, workspace: "")
        var row = self
        row.values[1] = .integer(number)
        if let isIntact, let place = table.place(of: "checksum"), let checksum = row.checksum(in: table, workspace: "") {
            row.values[place] = .integer(isIntact ? checksum.column : Int64(Int32(truncatingIfNeeded: checksum.column ^ 1)))
        }
        return row
    }

    /// Nil for a table whose rows have no checksum.
    private func checksum(in table: MovedTable, workspace: String) -> RowChecksum? {
        switch table {
        case .sessions:
            RowChecksum(
                session: (workspace: workspace, session: text(2)), host: text(3), seq: integer(4), hostSeq: integer(5),
                state: blob(6), isRemoved: integer(7) != 0)
        case .events:
            RowChecksum(
                event: EventKey.id(session: integer(1), seq: integer(2)), kind: text(3), at: integer(4), bytes: blob(5))
        case .approvals:
            RowChecksum(
                approval: text(2), session: integer(1), seq: integer(4), stage: text(5), resolvedAt: values[6].integer,
                record: blob(7))
        case .pushRecords: RowChecksum(record: text(2), kind: text(1), workspace: workspace, bytes: blob(3))
        default: nil
        }
    }
}

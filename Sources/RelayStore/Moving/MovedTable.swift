/// A table that `migrate` moves, in an order in which rows only refer to earlier ones.
///
/// The columns are those of a database. In a data file some of them are combined: there an event's place is one number, and
/// sessions are numbered in the whole file.
package enum MovedTable: String, Sendable, CaseIterable {
    case meta, workspaces, tokens
    case pairingCodes = "pairing_codes"
    case sessions, events, approvals
    case damagedStates = "damaged_states"
    case commands
    case pushRecords = "push_records"
    case pictures, audit

    package struct Column: Sendable {
        package enum Kind: Sendable { case integer, text, blob, flag }

        package let name: String
        package let kind: Kind
    }

    package var columns: [Column] { Self.layout[self] ?? [] }

    package func place(of column: String) -> Int? { columns.firstIndex { $0.name == column } }

    /// Selects the rows of `meta` that are about the data; all others are about one file. `audit_follows_approval` says where an
    /// audit log begins that is younger than its relay; 0 means nothing.
    package static let metaCondition = "name = 'clock' OR name = 'audit_follows_approval' AND value <> '0'"

    /// Rows read at a time, so that the largest ones fit in memory: an event has up to 256 KiB, a picture some MiB.
    package var rowsAtOnce: Int { self == .pictures ? 4 : 256 }

    /// True if the rows belong to a session, whose number is in the column after the workspace's.
    package var isOfSession: Bool { [.events, .approvals, .damagedStates, .pictures].contains(self) }

    private static let layout: [Self: [Column]] = {
        func columns(_ kind: Column.Kind, _ names: String...) -> [Column] { names.map { Column(name: $0, kind: kind) } }
        let place = columns(.integer, "workspace", "session")
        let checksum = columns(.integer, "checksum")
        return [
            .meta: columns(.text, "name", "value"),
            .workspaces: columns(.integer, "number") + columns(.text, "workspace", "name")
                + columns(
                    .integer, "audited", "removed_at", "sessions_max", "megabytes_max", "pushes_max", "connections_max",
                    "keep_days") + columns(.flag, "is_erased")
                + columns(.text, "registered_from") + columns(.integer, "registered_at"),
            .tokens: columns(.integer, "number") + columns(.text, "token") + columns(.blob, "digest")
                + columns(.text, "role", "kind", "subject", "name", "workspace", "parent") + columns(.blob, "page_key")
                + columns(.integer, "created_at", "revoked_at", "used_at") + columns(.text, "used_from"),
            .pairingCodes: columns(.blob, "digest") + columns(.text, "role", "workspace")
                + columns(.integer, "expires_at", "used_at") + columns(.text, "parent"),
            .sessions: columns(.integer, "workspace", "number") + columns(.text, "session", "host")
                + columns(.integer, "seq", "host_seq") + columns(.blob, "state") + columns(.flag, "is_removed")
                + columns(.integer, "audited") + checksum,
            .events: place + columns(.integer, "seq") + columns(.text, "kind") + columns(.integer, "at")
                + columns(.blob, "bytes") + checksum,
            .approvals: place + columns(.text, "approval") + columns(.integer, "number", "seq") + columns(.text, "stage")
                + columns(.integer, "resolved_at") + columns(.blob, "record") + checksum,
            .damagedStates: place + columns(.integer, "seq") + columns(.blob, "state"),
            .commands: columns(.integer, "workspace") + columns(.text, "client", "command") + columns(.integer, "at"),
            .pushRecords: columns(.integer, "workspace") + columns(.text, "kind", "name") + columns(.blob, "bytes") + checksum,
            .pictures: place + columns(.integer, "number") + columns(.text, "digest", "type") + columns(.integer, "size", "at")
                + columns(.blob, "bytes"),
            .audit: columns(.integer, "workspace", "n") + columns(.blob, "line"),
        ]
    }()
}

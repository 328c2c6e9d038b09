internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// The rows of the audit log.
///
/// Retention does not remove them. A writer takes the next number without a lock; if another one has taken it meanwhile, the
/// database refuses, and the whole transaction is repeated while the others wait.
enum AuditTable {
    /// The end of a workspace's audit log.
    struct Place: Sendable {
        /// The workspace's number.
        let number: Int32
        var head: AuditHead

        /// Appends a record: returns its line, and advances the head.
        mutating func add(_ record: AuditRecord) throws(LogError) -> [UInt8] {
            guard head.n < EventKey.seqMax else {
                throw LogError(.full, "The database has no number left for a record of the audit log.")
            }
            let (line, next) = record.line(after: head)
            head = next
            return line
        }
    }

    /// Appends a record that is about no session, in the caller's transaction.
    static func add(_ record: AuditRecord, on connection: PostgresConnection) throws {
        guard var place = try places(of: record.workspace, on: connection)[record.workspace] else {
            throw LogError(.conflict, "There is no workspace \(record.workspace).")
        }
        let line = try place.add(record)
        _ = try connection.run(
            [
                PostgresStatement(
                    "INSERT INTO audit VALUES ($1::int, $2::bigint, $3::bytea)", .int(place.number), .bigint(place.head.n),
                    .bytea(line)),
                PostgresStatement(
                    "UPDATE workspaces SET audited = greatest(audited, $2::bigint) WHERE number = $1::int", .int(place.number),
                    .bigint(place.head.n)),
            ], within: PostgresDatabase.askingMax)
    }

    /// The end of a workspace's log, or of each one's. Numbers of records that were cut off at the end are not used again: the gap
    /// shows that they existed.
    static func places(of workspace: WorkspaceID?, on connection: PostgresConnection) throws -> [WorkspaceID: Place] {
        let rows = try connection.run(
            PostgresStatement(
                """
                SELECT w.number, w.workspace, greatest(w.audited, \(audited)), last.n, last.line
                FROM workspaces AS w LEFT JOIN LATERAL (
                    SELECT n, line FROM audit WHERE audit.workspace = w.number ORDER BY n DESC LIMIT 1
                ) AS last ON true
                WHERE $1::text IS NULL OR w.workspace = $1::text
                """, .text(workspace?.rawValue)), within: PostgresDatabase.askingMax)
        var places: [WorkspaceID: Place] = [:]
        for row in rows {
            let (workspace, noted): (WorkspaceID, Int64) = (try Stored.identifier(row.text(1)), row.integer(2))
            let head = row.optionalInteger(3).map {
                AuditHead(workspace: workspace, n: max(noted, $0), line: row.bytes(4))
            }
            places[workspace] = Place(
                number: Int32(row.integer(0)),
                head: head ?? AuditHead(workspace: workspace, n: noted, hash: AuditHead.start(of: workspace).hash))
        }
        return places
    }

    /// Number of records about a session of workspace `w`.
    static let audited = "(SELECT coalesce(max(s.audited), 0) FROM sessions AS s WHERE s.workspace = w.number)"
}

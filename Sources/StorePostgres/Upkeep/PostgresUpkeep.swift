internal import Dispatch
internal import HeliographPostgreSQL
package import RelayCore
internal import RelayProtocol
internal import RelayStore
internal import Synchronization

/// Upkeep of a whole database, for a relay, or of one workspace's part of it, for a node. Disk space, page checksums and backups
/// are left to the database's operator.
package final class PostgresUpkeep: StoreUpkeep {
    private let database: PostgresDatabase
    private let scope: LogScope
    private let damage: DamageRegister
    private let isStopped = Atomic(false)

    init(_ database: PostgresDatabase, _ scope: LogScope, _ damage: DamageRegister) {
        (self.database, self.scope) = (database, scope)
        self.damage = damage
    }

    /// The size when it was last measured; each access starts a new measurement, so that no caller waits for an unreachable
    /// database.
    package var byteCount: Int64 {
        let isAsked = size.withLock { size in
            defer { size.isAsked = true }
            return size.isAsked
        }
        if !isAsked { DispatchQueue.global(qos: .utility).async { [self] in measure() } }
        return size.withLock { $0.bytes }
    }

    private let size = Mutex((bytes: Int64(0), isAsked: false))

    private func measure() {
        let bytes = (try? database.ask("SELECT pg_database_size(current_database())"))?.first?.integer(0)
        size.withLock { $0 = (bytes ?? $0.bytes, false) }
    }

    package var isShortOfRoom: Bool { false }

    package func keepRoom() -> Bool { true }

    /// Tests a write that changes nothing: the database does not report how much space is left.
    package func wouldTake(bytes: Int) -> Bool {
        let write: Void? = try? database.write { connection in
            // Also fails if another process holds a lock for which a batch would wait.
            _ = try connection.run(
                [
                    PostgresStatement("LOCK TABLE events, sessions, approvals, audit IN ROW EXCLUSIVE MODE"),
                    PostgresStatement("UPDATE meta SET value = value WHERE name = ''"),
                ], within: PostgresDatabase.askingMax)
        }
        return write != nil
    }

    package var takesWrites: Bool { true }

    package var damagedRecords: [DamagedRecord] { damage.records }

    /// Events read at a time: the largest are 256 KiB.
    private static let checkedAtOnce: Int64 = 64
    /// Limit of the list: a failing disk damages more than anybody reads.
    private static let damagedMax = 100

    package func checkEverything() throws(LogError) -> [DamagedRecord]? {
        var found: [DamagedRow] = []
        var last: (workspace: Int64, session: Int64, seq: Int64) = (Int64(scope.number ?? 0), 0, 0)
        while found.count < Self.damagedMax {
            guard !isStopped.load(ordering: .relaxed) else { return nil }
            let rows = try database.ask(
                """
                SELECT e.workspace, e.session, seq, kind, at, bytes, checksum,
                    (SELECT w.workspace FROM workspaces AS w WHERE w.number = e.workspace),
                    (SELECT s.session FROM sessions AS s WHERE (s.workspace, s.number) = (e.workspace, e.session))
                FROM events AS e WHERE (e.workspace, e.session, e.seq) > ($1::int, $2::int, $3::bigint)
                AND e.workspace <= $5::int ORDER BY e.workspace, e.session, e.seq LIMIT $4::bigint
                """, .int(Int32(last.workspace)), .int(Int32(last.session)), .bigint(last.seq), .bigint(Self.checkedAtOnce),
                .int(scope.number ?? .max))
            for row in rows {
                let place = (workspace: row.integer(0), session: row.integer(1), seq: row.integer(2))
                func note(_ seq: Int64, _ what: String) {
                    let record = DamagedRecord(
                        workspace: row.optionalText(7) ?? "", session: row.optionalText(8) ?? "", what: "event \(seq) \(what)")
                    found.append(DamagedRow(record, .event(seq)))
                }
                if (place.workspace, place.session) == (last.workspace, last.session), place.seq != last.seq + 1,
                    try !isTrimmed(last.seq + 1, place)
                {
                    note(last.seq + 1, "is missing")
                }
                if !RowChecksum.matches(row, from: 3, session: place.session, seq: place.seq) {
                    note(place.seq, DamagedRecord.changed)
                }
                last = place
            }
            if rows.count < Int(Self.checkedAtOnce) { break }
        }
        damage.checked(found)
        return found.map(\.record)
    }

    /// True if retention has removed the event since the rows before it were read: it removes a session's first events.
    private func isTrimmed(
        _ seq: Int64, _ place: (workspace: Int64, session: Int64, seq: Int64)
    ) throws(LogError) -> Bool {
        let first = try database.ask(
            "SELECT min(seq) FROM events WHERE workspace = $1::int AND session = $2::int", .int(Int32(place.workspace)),
            .int(Int32(place.session)))[0].optionalInteger(0)
        return first.map { $0 > seq } ?? true
    }

    /// Ends a running check: the relay is closing.
    func stopChecking() { isStopped.store(true, ordering: .relaxed) }

    package func backUp(to file: String, replacing: Bool, with texts: [String: String]) throws(LogError) -> Int64 {
        throw LogError(
            .unreachable(isPassing: false),
            """
            A database is backed up by what runs it: archive its WAL, and take base backups (pg_basebackup). `heliograph migrate` copies \
            it into a data file, while no relay runs. See Operations.
            """)
    }
}

internal import HeliographPostgreSQL
internal import RelayCore
internal import RelayProtocol
internal import RelayStore

/// The clock that retention uses, in `meta`.
///
/// A node keeps one for each workspace that it owns, as the clocks of two owners may differ by an hour. A relay that is alone keeps
/// one for everything. It continues the one that is furthest ahead, which then replaces all.
enum StoredClock {
    private static let prefix = AgeClockRecord.name + "/"

    /// Loads the clock. For a workspace that no node has owned yet, that of the relay that was alone.
    static func load(in scope: LogScope, on connection: PostgresConnection) throws -> AgeClockRecord? {
        let rows = try connection.run(
            PostgresStatement(
                "SELECT value, name = $1::text FROM meta WHERE name IN ($1::text, $2::text) OR starts_with(name, $3::text)",
                .text(name(in: scope)), .text(AgeClockRecord.name), .text(scope == .everything ? prefix : nil)),
            within: PostgresDatabase.askingMax)
        let found = rows.compactMap { row in AgeClockRecord(text: row.text(0)).map { (record: $0, isOwn: row.bool(1)) } }
        if scope != .everything, let own = found.first(where: \.isOwn) { return own.record }
        return found.map(\.record).max { $0.time < $1.time }
    }

    static func statements(_ record: AgeClockRecord, in scope: LogScope) -> [PostgresStatement] {
        let change = PostgresStatement(
            "INSERT INTO meta VALUES ($1::text, $2::text) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            .text(name(in: scope)), .text(record.text))
        guard scope == .everything else { return [change] }
        return [change, PostgresStatement("DELETE FROM meta WHERE starts_with(name, $1::text)", .text(prefix))]
    }

    private static func name(in scope: LogScope) -> String {
        scope.workspace.map { prefix + $0.rawValue } ?? AgeClockRecord.name
    }
}

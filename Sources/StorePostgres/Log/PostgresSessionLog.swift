internal import HeliographPostgreSQL
package import RelayCore
package import RelayModel
package import RelayProtocol
internal import RelayStore
internal import Synchronization

/// The log's tables in the database, or one workspace's part of them: then nothing else is loaded, read or committed.
package final class PostgresSessionLog: SessionLog, Sendable {
    package let epoch: Epoch
    private let scope: LogScope
    /// Epochs of the workspaces that existed when the log was claimed.
    private let epochs: [WorkspaceID: Epoch]
    private let database: PostgresDatabase
    private let damage: DamageRegister
    /// Nil for the command line, which does not commit. Locked during a commit.
    private let writer: Mutex<LogWriter?>

    init(
        _ database: PostgresDatabase, _ scope: LogScope, epoch: Epoch, ofWorkspaces epochs: [WorkspaceID: Epoch],
        writer: sending LogWriter?, damage: DamageRegister
    ) {
        (self.database, self.scope) = (database, scope)
        (self.epoch, self.epochs) = (epoch, epochs)
        self.writer = Mutex(writer)
        self.damage = damage
    }

    /// A session whose state does not decode must not prevent loading all the others: it is returned as removed, with the position
    /// in its columns, and `StoreUpkeep.damagedRecords` names it. Its row stays untouched; an event that revives it first saves the
    /// state elsewhere.
    ///
    /// After a commit with an unknown outcome this throws as long as that cannot be resolved.
    package func load(resolvedSince: Int64) throws(LogError) -> LogState {
        try writer.withLock { writer throws(LogError) in try writer?.settle() }
        let loaded = try database.snapshot(for: "load") { connection in
            try LogLoader.load(scope, resolvedSince: resolvedSince, on: connection)
        }
        damage.loaded(loaded.damaged)
        return loaded.state
    }

    @discardableResult package func commit(_ batch: LogBatch) throws(LogError) -> [ApprovalName] {
        try batch.check()
        if let workspace = scope.workspace, let other = batch.workspaces.first(where: { $0 != workspace }) {
            throw LogError(.conflict, "The log is of the workspace \(workspace) alone, and not of \(other).")
        }
        let taken = try writer.withLock { writer throws(LogError) in
            guard writer != nil else { throw LogError(.fenced, "Only a relay that holds the log commits to it.") }
            return try writer?.commit(batch) ?? []
        }
        damage.forget(mendedBy: batch)
        return taken
    }

    /// Epochs from the workspaces' rows, constant while the log is owned; `first` is the first workspace.
    package func epochs(first: WorkspaceID) -> Epochs { Epochs(ofLog: epoch, first: first, known: epochs) }

    /// Closes the connection that commits if there was no commit for this long; the next one opens another. Never waits.
    func disconnect(idleFor time: Duration = LogWriter.idleMax) {
        _ = writer.withLockIfAvailable { $0?.disconnect(idleFor: time) }
    }

    /// Ends commits for good.
    func close() { writer.withLock { $0 = nil } }

    // MARK: - Reading

    package func places(of sessions: [SessionKey]) throws(LogError) -> [SessionKey: RemovedSession] {
        let sessions = sessions.filter { scope.includes($0.workspace) }
        guard !sessions.isEmpty else { return [:] }
        let rows = try database.ask(
            """
            SELECT wanted.place, \(StoredPlace.columns)
            FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted (workspace, session, place)
            JOIN workspaces AS w ON w.workspace = wanted.workspace
            JOIN sessions AS s ON s.workspace = w.number AND s.session = wanted.session
            """, .texts(sessions.map(\.workspace.rawValue)), .texts(sessions.map(\.session.rawValue)))
        return rows.reduce(into: [:]) { places, row in
            let key = sessions[Int(row.integer(0)) - 1]
            places[key] = StoredPlace(row, of: key, from: 1)?.place
        }
    }

    package func approval(_ id: ApprovalID, of session: SessionKey) throws(LogError) -> Approval? {
        guard scope.includes(session.workspace) else { return nil }
        let rows = try database.ask(
            """
            SELECT \(StoredApproval.columns) FROM approvals AS a
            JOIN sessions AS s ON (s.workspace, s.number) = (a.workspace, a.session)
            JOIN workspaces AS w ON w.number = s.workspace
            WHERE w.workspace = $1::text AND s.session = $2::text AND a.approval = $3::text
            """, .text(session.workspace.rawValue), .text(session.session.rawValue), .text(id.rawValue))
        guard let stored = rows.first.map({ StoredApproval($0, from: 0) }) else { return nil }
        guard stored.isIntact else {
            throw LogError(.damaged(.record), "Approval \(id) of session \(session.session) \(DamagedRecord.changed).")
        }
        return try Stored.decode { () throws(WireError) in try Approval(stored: stored.record) }
    }

    package func approvals(
        of host: HostID, in workspace: WorkspaceID, before: Int64, limit: Int, bytesMax: Int
    ) throws(LogError) -> ApprovalPage {
        var page = ApprovalPage(limit: limit, bytesMax: bytesMax)
        guard scope.includes(workspace) else { return page }
        // The database sends only as many rows as the page takes, and one more.
        let rows = try database.ask(
            """
            SELECT a.number, a.state, \(StoredApproval.columns) FROM (
                SELECT *, sum(octet_length(record)) OVER (ORDER BY number DESC) AS total FROM (
                    SELECT a.*, s.state FROM approvals AS a
                    JOIN sessions AS s ON (s.workspace, s.number) = (a.workspace, a.session)
                    JOIN workspaces AS w ON w.number = s.workspace
                    WHERE w.workspace = $1::text AND s.host = $2::text AND a.number < $3::bigint
                    ORDER BY a.number DESC LIMIT $4::bigint
                ) AS newest
            ) AS a WHERE total - octet_length(record) <= $5::bigint ORDER BY a.number DESC
            """, .text(workspace.rawValue), .text(host.rawValue), .bigint(before), .bigint(Int64(limit) + 1),
            .bigint(Int64(bytesMax)))
        for row in rows {
            let stored = StoredApproval(row, from: 2)
            guard page.takes(row.integer(0), bytes: stored.record.count) else { break }
            page.add(stored, state: row.bytes(1))
        }
        return page
    }

    package func events(of session: SessionKey, after: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage {
        try page(of: session, after: max(after, 0), before: .max, order: "ASC", PageBuilder(limit: limit, bytesMax: bytesMax))
    }

    package func events(of session: SessionKey, before: Int64, limit: Int, bytesMax: Int) throws(LogError) -> LogPage {
        try page(
            of: session, after: 0, before: before, order: "DESC", PageBuilder(limit: limit, bytesMax: bytesMax)
        )
        .turned
    }

    /// Events between two numbers, both exclusive; `first` is the number of the first event that was read. The database sends only
    /// as many events as the page takes.
    ///
    /// A page ends before a missing or damaged event. Throws `damaged` if that is the first one.
    private func page(
        of key: SessionKey, after: Int64, before: Int64, order: String, _ builder: PageBuilder
    ) throws(LogError) -> LogPage {
        guard scope.includes(key.workspace) else { return LogPage(first: 0, events: []) }
        let rows = try database.ask(
            """
            SELECT session, seq, kind, at, bytes, checksum FROM (
                SELECT *, sum(octet_length(bytes)) OVER (ORDER BY seq \(order)) AS total FROM (
                    SELECT * FROM events
                    WHERE workspace = (SELECT number FROM workspaces WHERE workspace = $1::text)
                    AND session = (
                        SELECT s.number FROM sessions AS s JOIN workspaces AS w ON w.number = s.workspace
                        WHERE w.workspace = $1::text AND s.session = $2::text
                    )
                    AND seq > $3::bigint AND seq < $4::bigint ORDER BY seq \(order) LIMIT $5::bigint
                ) AS nearest
            ) AS summed WHERE total <= $6::bigint OR total = octet_length(bytes) ORDER BY seq \(order)
            """, .text(key.workspace.rawValue), .text(key.session.rawValue), .bigint(after), .bigint(before),
            .bigint(Int64(max(0, builder.limit))), .bigint(Int64(builder.bytesMax)))
        var (page, builder) = (LogPage(first: 0, events: []), builder)
        var last: Int64?
        for row in rows {
            let seq = row.integer(1)
            guard RowChecksum.matches(row, from: 2, session: row.integer(0), seq: seq) else {
                guard page.first == 0 else { break }
                throw LogError(.damaged(.record), "Event \(seq) of session \(key.session) \(DamagedRecord.changed).")
            }
            guard last.map({ abs(seq - $0) == 1 }) ?? true, builder.take(row.bytes(4)) else { break }
            if page.first == 0 { page.first = seq }
            last = seq
        }
        page.events = builder.events
        return page
    }
}

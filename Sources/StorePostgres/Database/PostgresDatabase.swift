internal import Dispatch
internal import HeliographPostgreSQL
internal import RelayCore
internal import Synchronization

/// The connections to one database, except the one that commits to the log. Safe on any thread.
final class PostgresDatabase: Sendable {
    /// Time limit of one pipeline: many times what a busy database takes, and less than an operator waits before investigating.
    static let askingMax = Duration.seconds(10)
    /// Simultaneous connections: enough for reads of history and a command or two. Each is a process of the database.
    static let connectionsMax = 4
    /// Changes that are under way or wait for their turn: a relay and its page make a handful at a time.
    static let changesMax = 16
    /// Wait for the locks of a change, in milliseconds. A longer wait means that a standby is missing; without this limit the
    /// database would wait for them even after we have disconnected.
    private static let lockMillisecondsMax = 5_000

    private let address: String
    /// The name by which other processes recognise these connections.
    let name: String
    private let idle = Mutex<[PostgresConnection]>([])
    private let free = DispatchSemaphore(value: connectionsMax)
    /// Allows one change at a time: those that wait leave the connections to readers.
    private let turn = DispatchSemaphore(value: 1)
    private let changes = Atomic(0)
    private let isClosed = Atomic(false)
    /// Schema of the first connection; nil before it.
    private let schemaFound = Mutex<String?>(nil)

    init(_ address: String, name: String) {
        self.address = address
        self.name = name
    }

    /// Opens a separate connection, which is not pooled.
    func connect(
        for purpose: String, within limit: Duration = PostgresConnection.openingMax
    ) throws(PostgresError) -> PostgresConnection {
        let deadline = ContinuousClock.now + limit
        let connection = try PostgresConnection(to: address, as: "\(name)/\(purpose)", within: limit)
        try Self.prepare(connection, within: deadline - ContinuousClock.now)
        try stayInSchema(connection, within: deadline - ContinuousClock.now)
        return connection
    }

    /// The schema of the tables; nil before the first connection.
    var schema: String? { schemaFound.withLock { $0 } }

    /// Checks that the connection uses the same schema as the first one: a role's search_path may be changed while a relay runs,
    /// and later connections would use other tables.
    private func stayInSchema(_ connection: PostgresConnection, within limit: Duration) throws(PostgresError) {
        let current = try connection.run(.once("SELECT current_schema()::text"), within: limit)[0].optionalText(0)
        let found = schemaFound.withLock { found in
            found = found ?? current
            return found
        }
        guard let found, found != current else { return }
        _ = try connection.run(
            .once("SELECT set_config('search_path', quote_ident($1::text), false)", .text(found)), within: limit)
    }

    /// Ensures that an acknowledged commit is on a disk: turns `synchronous_commit` on if the database or the role has it off. The
    /// other values, `local`, `remote_write` and `remote_apply`, are kept: they choose on how many machines. Also ensures that the
    /// server sends warnings: a commit's warning is part of its answer.
    static func prepare(_ connection: PostgresConnection, within limit: Duration) throws(PostgresError) {
        _ = try connection.run(
            [
                .once(
                    """
                    SELECT set_config('synchronous_commit', 'on', false)
                    WHERE current_setting('synchronous_commit') = 'off'
                    """),
                .once("SELECT set_config('client_min_messages', 'warning', false)"),
            ], within: limit)
    }

    /// After this nothing can be read or written; queries under way are completed.
    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        idle.withLock { $0.removeAll() }
    }

    /// Runs a query that changes nothing.
    func read<Value>(_ body: (PostgresConnection) throws -> Value) throws(LogError) -> Value {
        try use { connection throws in
            do { return try body(connection) } catch let error as PostgresError where error.code == .lost {
                // The server may have closed the connection while it was idle.
                return try body(renew(&connection))
            }
        }
    }

    func ask(_ sql: String, _ values: PostgresValue...) throws(LogError) -> PostgresRows {
        try read { try $0.run(PostgresStatement(sql, values), within: Self.askingMax) }
    }

    /// Reads in one transaction with a consistent snapshot.
    func snapshot<Value>(_ body: (PostgresConnection) throws -> Value) throws(LogError) -> Value {
        try transaction(Self.snapshot, body)
    }

    /// Uses a separate connection, so that short queries do not wait for a long snapshot.
    func snapshot<Value>(
        for purpose: String, _ body: (PostgresConnection) throws -> Value
    ) throws(LogError) -> Value {
        try refuseIfClosed()
        do {
            let connection = try connect(for: purpose)
            _ = try connection.run(PostgresStatement(Self.snapshot), within: Self.askingMax)
            let value = try body(connection)
            _ = try connection.run(PostgresStatement("COMMIT"), within: Self.askingMax)
            return value
        } catch {
            throw LogError(error)
        }
    }

    private static let snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

    /// Runs `body` in one transaction: all of it or nothing. Throws `inDoubt` if the outcome is unknown. `body` runs a second time
    /// if a commit of the log appended to the audit log first.
    ///
    /// Writers run one at a time, except for the log's commits, so what `body` reads does not change before it ends, as with a data
    /// file. Throws `unreachable` if nothing was done for now: too many changes wait, or another one does not end.
    func write<Value>(_ body: (PostgresConnection) throws -> Value) throws(LogError) -> Value {
        defer { changes.subtract(1, ordering: .relaxed) }
        guard changes.add(1, ordering: .relaxed).newValue <= Self.changesMax else {
            throw LogError(.unreachable(isPassing: true), "Too many changes wait for the database. Nothing was done.")
        }
        guard turn.wait(timeout: .now() + .seconds(Int(Self.askingMax.components.seconds))) == .success else {
            throw LogError(
                .unreachable(isPassing: true),
                "Another change has been waiting for the database for too long. Nothing was done.")
        }
        defer { turn.signal() }
        do throws(LogError) { return try write([Self.oneWriter], body) } catch {
            guard error.isAuditPlaceTaken else { throw error }
            // The second attempt excludes the log's commits, which take a shared lock on these rows.
            return try write([Self.oneWriter, PostgresStatement("SELECT FROM owners ORDER BY scope FOR UPDATE")], body)
        }
    }

    private static let patience = PostgresStatement("SET LOCAL lock_timeout = \(lockMillisecondsMax)")

    /// Held until the transaction ends. Meanwhile only the log's own commits append to the audit log; they take this lock only when
    /// needed.
    static let oneWriter = PostgresStatement.once("LOCK TABLE tokens IN SHARE ROW EXCLUSIVE MODE")

    private func write<Value>(
        _ locks: [PostgresStatement], _ body: (PostgresConnection) throws -> Value
    ) throws(LogError) -> Value {
        try transaction("BEGIN") { connection in
            _ = try connection.run([Self.patience] + locks, within: Self.askingMax)
            return try body(connection)
        }
    }

    private func transaction<Value>(
        _ beginning: String, _ body: (PostgresConnection) throws -> Value
    ) throws(LogError) -> Value {
        try use { connection throws in
            do { _ = try connection.run(PostgresStatement(beginning), within: Self.askingMax) } catch let error as PostgresError
                where error.code == .lost
            {
                _ = try renew(&connection).run(PostgresStatement(beginning), within: Self.askingMax)
            }
            let value: Value
            do { value = try body(connection) } catch {
                // Ignored if it fails: the first error is the one to throw, and a connection on which it fails is not used again.
                _ = try? connection.run(PostgresStatement("ROLLBACK"), within: Self.askingMax)
                throw error
            }
            do { _ = try connection.run(PostgresStatement("COMMIT"), within: Self.askingMax) } catch let error as PostgresError
            {
                throw LogError(ofCommit: error)
            }
            if let warning = connection.warning { throw LogError(warning: warning) }
            return value
        }
    }

    private func renew(_ connection: inout PostgresConnection) throws -> PostgresConnection {
        connection = try connect(for: "read")
        return connection
    }

    private func refuseIfClosed() throws(LogError) {
        guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
        throw LogError(.unreachable(isPassing: false), "The store is closed.")
    }

    private func use<Value>(_ body: (inout PostgresConnection) throws -> Value) throws(LogError) -> Value {
        try refuseIfClosed()
        guard free.wait(timeout: .now() + .seconds(Int(Self.askingMax.components.seconds))) == .success else {
            throw LogError(.unreachable(isPassing: true), "All connections to the database have been busy for too long.")
        }
        defer { free.signal() }
        do {
            var connection = try idle.withLock { $0.popLast() } ?? connect(for: "read")
            defer {
                if !connection.isLost, !isClosed.load(ordering: .sequentiallyConsistent) {
                    idle.withLock { $0.append(connection) }
                }
            }
            return try body(&connection)
        } catch {
            throw LogError(error)
        }
    }
}

extension LogError {
    /// True if another writer has appended to the audit log since its end was read.
    var isAuditPlaceTaken: Bool {
        guard let error = underlying as? PostgresError else { return false }
        return error.state == SQLState.uniqueViolation && error.constraint == "audit_pkey"
    }

    /// True if nothing was done, and only because of concurrent transactions: a deadlock or a serialisation failure.
    var isOutOfTurn: Bool {
        guard let error = underlying as? PostgresError, error.code == .refused else { return false }
        return error.state?.hasPrefix("40") == true
    }
}

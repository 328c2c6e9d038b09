import HeliographPostgreSQL
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import StoreTestSupport
import Synchronization
import Testing

@testable import StorePostgres

/// The right to commit: one relay at a time has it, and no other, however late it wakes up.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct OwnershipTests {
    private let scratch = Scratch.current

    /// Runs SQL as an operator, like `psql`.
    @discardableResult private func sql(_ text: String) throws -> PostgresRows {
        try PostgresConnection(to: scratch.postgresAddress(), as: "operator").run(.once(text), within: .seconds(30))
    }

    private func open() throws -> PostgresStore {
        let store = try scratch.openPostgres()
        if try store.credentials.workspaces().isEmpty {
            try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        }
        return store
    }

    /// A database as an older program has left it.
    private func makeDatabase(ofVersion version: Int) throws {
        try sql(Schema.bookkeeping)
        for (place, statements) in Schema.versions.prefix(version).enumerated() {
            for statement in statements { try sql(statement) }
            try sql("INSERT INTO versions (version) VALUES (\(place + 1))")
        }
    }

    /// Simulates that the relay's process was killed.
    private func endConnections(of store: PostgresStore) throws {
        let name = try sql("SELECT holder FROM owners WHERE scope = '*'")[0].text(0)
        try sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE starts_with(application_name, 'heliograph/\(name)')"
        )
    }

    /// Waits until nodes no longer count as alive only because the server has just been started.
    private func forgetStart() throws {
        while try sql("SELECT pg_postmaster_start_time() < now() - interval '8 seconds'")[0].bool(0) == false {
            try sql("SELECT pg_sleep(0.2)")
        }
    }

    @Test func `a second relay is told that another holds the log, and a command is not`() throws {
        let first = try open()
        let error = #expect(throws: LogError.self) { try scratch.openPostgres() }
        #expect(error?.code == .unreachable(isPassing: true))
        let command = try scratch.openPostgresAsCommandLine()
        #expect(try command.credentials.workspaces().map(\.id) == [.home])
        #expect(command.log.epoch == first.log.epoch)
        var writer = Writer(.first)
        #expect(throws: LogError.self) { try command.log.commit(writer.batch(1)) }
    }

    @Test func `a relay that has only just claimed the log, and asked nothing yet, is not taken for dead`() throws {
        try forgetStart()
        let first = try open()
        for _ in 1...20 { #expect(throws: LogError.self) { try scratch.openPostgres() } }
        let node = try scratch.openPostgresNode()
        for _ in 1...20 { #expect(try node.row(.home)?.isFree == false) }
        try first.close()
        let second = try #require(try node.claim(.home))
        for _ in 1...20 { #expect(throws: LogError.self) { try scratch.openPostgres() } }
        try second.handOver()
    }

    @Test func `a relay that has ended leaves the log to the next, in the same epoch`() throws {
        var writer = Writer(.first)
        let first = try open()
        try first.log.commit(writer.batch(3))
        try first.close()
        let second = try open()
        #expect(second.log.epoch == first.log.epoch)
        try second.log.commit(writer.batch(2))
        #expect(try second.log.all(.first) == expected(.first, 1...5))
        let error = #expect(throws: LogError.self) { try first.log.commit(writer.batch(1)) }
        #expect(error?.code == .fenced)
    }

    @Test func `whoever stands by takes over when the first has gone, which can commit nothing more`() throws {
        try forgetStart()
        var writer = Writer(.first)
        let first = try open()
        try first.log.commit(writer.batch(3))
        let lost = Flag()
        first.whenLost { error in
            #expect(error.code == .fenced)
            lost.raise()
        }
        let isStanding = Flag()
        let second = Mutex<PostgresStore?>(nil)
        onThreads(2) { thread in
            attempt {
                if thread == 0 {
                    let store = try scratch.openPostgres {
                        isStanding.raise()
                        return true
                    }
                    second.withLock { $0 = store }
                } else {
                    while !isStanding.isUp { try sql("SELECT pg_sleep(0.02)") }
                    try endConnections(of: first)
                }
            }
        }
        let next = try #require(second.withLock { $0 })
        #expect(next.log.epoch == first.log.epoch)
        let late = writer.batchAhead(1)
        let error = #expect(throws: LogError.self) { try first.log.commit(late) }
        #expect(error?.code == .fenced, "\(error.map { "\($0)" } ?? "")")
        #expect(throws: LogError.self) { try first.log.load(resolvedSince: 0) }
        try next.log.commit(writer.batch(1))
        #expect(try next.log.all(.first) == expected(.first, 1...4))
        while !lost.isUp { try sql("SELECT pg_sleep(0.05)") }
    }

    @Test(arguments: ["40P01", "40001"])
    func `a commit that others kept from its turn is made once more, and is there once`(state: String) throws {
        var writer = Writer(.first)
        let store = try open()
        try store.log.commit(writer.batch(1))
        // A number is not taken back with its transaction: the first try fails, and the second does not.
        for statement in [
            "CREATE SEQUENCE tries",
            """
            CREATE FUNCTION out_of_turn() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF nextval('tries') = 1 THEN RAISE EXCEPTION 'not in this order' USING ERRCODE = '\(state)'; END IF;
                RETURN NULL;
            END $$
            """,
            "CREATE TRIGGER late AFTER INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION out_of_turn()",
        ] { try sql(statement) }
        try store.log.commit(writer.batch(3))
        #expect(try sql("SELECT last_value FROM tries")[0].integer(0) == 2)
        #expect(try store.log.all(.first) == expected(.first, 1...4))
    }

    @Test func `an owner that stopped in the middle of a commit is no obstacle`() throws {
        try forgetStart()
        let first = try open()
        // Its locks, as if it had sent half a pipeline.
        let holder = try sql("SELECT holder, generation FROM owners WHERE scope = '*'")[0]
        let stopped = try PostgresConnection(to: scratch.postgresAddress(), as: "heliograph/\(holder.text(0))/log")
        let fence = PostgresStatement("SELECT fence(ARRAY['*'], ARRAY[$1::bigint])", .bigint(holder.integer(1)))
        _ = try stopped.run([.once("BEGIN"), fence], within: .seconds(10))
        try sql("DELETE FROM nodes")
        try withExtendedLifetime((first, stopped)) {
            let second = try scratch.openPostgres()
            #expect(second.log.epoch == first.log.epoch)
        }
    }

    @Test func `on another timeline an epoch begins`() throws {
        var writer = Writer(.first)
        let first = try open()
        try first.log.commit(writer.batch(1))
        try sql("UPDATE owners SET born_on = 'another' WHERE scope <> ''")
        try endConnections(of: first)
        try first.log.commit(writer.batch(1))
        try first.close()
        let second = try open()
        #expect(second.log.epoch != first.log.epoch)
        try second.close()
        #expect(try open().log.epoch == second.log.epoch)
    }

    @Test func `whoever is refused as replaced hears that it has lost the log, however well its lease is`() throws {
        var writer = Writer(.first)
        let store = try open()
        try store.log.commit(writer.batch(1))
        let lost = Flag()
        store.whenLost { error in
            #expect(error.code == .fenced)
            lost.raise()
        }
        try sql("UPDATE owners SET generation = generation + 1 WHERE scope <> ''")
        let late = writer.batchAhead(1)
        let error = #expect(throws: LogError.self) { try store.log.commit(late) }
        #expect(error?.code == .fenced)
        for _ in 0..<100 where !lost.isUp { try sql("SELECT pg_sleep(0.05)") }
        #expect(lost.isUp)
    }

    @Test(arguments: [
        "UPDATE sessions SET seq = 2; DELETE FROM events WHERE seq > 2",
        "UPDATE owners SET generation = generation - 1 WHERE scope <> ''",
        "UPDATE owners SET generation = 0, holder = 'another' WHERE scope <> ''",
    ])
    func `a database that came up again without what it had acknowledged ends its owner and the epoch`(_ loss: String) throws {
        var writer = Writer(.first)
        let first = try open()
        try first.log.commit(writer.batch(3))
        for statement in loss.split(separator: "; ") { try sql(String(statement)) }
        try sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'heliograph/%/log'")
        let lost = Flag()
        first.whenLost { _ in lost.raise() }
        // A batch of another session, which depends on nothing that is missing.
        var other = Writer(.second)
        let batch = other.batch(1)
        let error = #expect(throws: LogError.self) { try first.log.commit(batch) }
        #expect(error?.code == .fenced)
        for _ in 0..<100 where !lost.isUp { try sql("SELECT pg_sleep(0.05)") }
        #expect(lost.isUp)
        try first.close()
        try sql("UPDATE owners SET holder = NULL WHERE scope <> ''")
        #expect(try open().log.epoch != first.log.epoch)
    }

    @Test func `what the database has no place for is refused as that, and what comes after is committed`() throws {
        var writer = Writer(.first)
        let store = try open()
        try store.log.commit(writer.batch(1))
        var append = writer.appending(1)
        append.events[0].kind = "new\u{0}kind"
        let batch = LogBatch(appends: [append])
        let error = #expect(throws: LogError.self) { try store.log.commit(batch) }
        #expect(error?.code == .unfit)
        try store.log.commit(writer.batch(1))
        #expect(try store.log.all(.first) == expected(.first, 1...2))
    }

    @Test func `commits wait for a disk where the database says that they need not, and it may warn`() throws {
        let name = try sql("SELECT current_database()")[0].text(0)
        for setting in ["synchronous_commit = off", "client_min_messages = error"] {
            try sql("ALTER DATABASE \(name) SET \(setting)")
        }
        let database = try PostgresDatabase(scratch.postgresAddress(), name: "tests")
        func setting(_ name: String) throws -> String {
            try database.connect(for: "asking").run(.once("SHOW \(name)"), within: .seconds(10))[0].text(0)
        }
        #expect(try setting("synchronous_commit") == "on" && setting("client_min_messages") == "warning")
        // The operator's choice.
        try sql("ALTER DATABASE \(name) SET synchronous_commit = remote_write")
        #expect(try setting("synchronous_commit") == "remote_write")
    }

    @Test func `a claim that another holds up is no longer in the database when it is given up`() throws {
        try open().close()
        let blocker = try PostgresConnection(to: scratch.postgresAddress(), as: "operator")
        _ = try blocker.run([.once("BEGIN"), .once("SELECT FROM owners FOR UPDATE")], within: .seconds(10))
        let error = #expect(throws: LogError.self) { try scratch.openPostgres() }
        #expect(error?.code == .unreachable(isPassing: true))
        let waiting = try sql(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")
        #expect(waiting[0].integer(0) == 0)
        _ = try blocker.run(.once("ROLLBACK"), within: .seconds(10))
        _ = try open()
    }

    @Test func `a migration behind a reader lets everybody else pass, and comes after it`() throws {
        try makeDatabase(ofVersion: 4)
        let reader = try PostgresConnection(to: scratch.postgresAddress(), as: "pg_dump")
        _ = try reader.run([.once("BEGIN"), .once("SELECT FROM nodes")], within: .seconds(10))
        let isOver = Flag()
        onThreads(2) { thread in
            attempt {
                if thread == 0 {
                    _ = try scratch.openPostgresAsCommandLine()
                    return isOver.raise()
                }
                while try sql("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'nodes'::regclass")[0].integer(0)
                    == 0
                {
                    try sql("SELECT pg_sleep(0.02)")
                }
                let renewal = try PostgresConnection(to: scratch.postgresAddress(), as: "renewal")
                _ = try renewal.run(
                    [.once("SET LOCAL lock_timeout = '5s'"), .once("UPDATE nodes SET expires_at = now()")], within: .seconds(10)
                )
                #expect(!isOver.isUp)
                _ = try reader.run(.once("ROLLBACK"), within: .seconds(10))
            }
        }
        #expect(isOver.isUp)
        #expect(try sql("SELECT max(version) FROM versions")[0].integer(0) >= 5)
    }

    @Test func `a connection that ended while nobody looked is made anew`() throws {
        var writer = Writer(.first)
        let store = try open()
        for _ in 0..<3 {
            try store.log.commit(writer.batch(2))
            try endConnections(of: store)
        }
        try store.log.commit(writer.batch(1))
        #expect(try store.log.all(.first) == expected(.first, 1...7))
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `a commit that the database was cut off in is there once, whether it was done or not`() throws {
        var writer = Writer(.first)
        let store = try open()
        try store.log.commit(writer.batch(1))
        let blocker = try PostgresConnection(to: scratch.postgresAddress(), as: "operator")
        for isDone in [false, true] {
            // The commit waits here, behind the fence, until its backend is ended.
            _ = try blocker.run(
                [.once("BEGIN"), .once(isDone ? "LOCK TABLE damaged_states" : "LOCK TABLE events IN SHARE MODE")],
                within: .seconds(10))
            let batch = writer.batch(2)
            onThreads(2) { thread in
                attempt {
                    if thread == 0 { return _ = try store.log.commit(batch) }
                    if !isDone {
                        while try sql(
                            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                        )[0].integer(0) == 0 {
                            try sql("SELECT pg_sleep(0.02)")
                        }
                    }
                    try endConnections(of: store)
                    _ = try blocker.run(.once("ROLLBACK"), within: .seconds(10))
                }
            }
        }
        #expect(try store.log.all(.first) == expected(.first, 1...5))
        try store.log.commit(writer.batch(1))
        #expect(try store.log.all(.first) == expected(.first, 1...6))
    }

    @Test func `commits and commands add to one audit log without a gap`() throws {
        let (store, command) = (try open(), try scratch.openPostgresAsCommandLine())
        onThreads(2) { thread in
            if thread == 0 {
                var writer = Writer(.first)
                for index in 0..<40 {
                    let approval = writer.approval("a\(index)", seq: Int64(index + 1))
                    attempt { try store.log.commit(writer.batch(1, approvals: [approval])) }
                }
            } else {
                for index in 0..<40 as Range<UInt8> {
                    let token = Token(
                        id: "t\(index)", digest: Array(repeating: index, count: 32), role: .host, subject: "h", name: "Laptop",
                        workspace: .home, createdAt: 1)
                    attempt { try command.credentials.addToken(token) }
                }
            }
        }
        let report = try store.audit.verify(against: nil, heads: [])
        #expect(report.faults.isEmpty && report.recordCount == 80, "\(report.faults)")
    }

    @Test func `a database of a newer version, or of somebody else, is left as it is`() throws {
        try sql("CREATE TABLE somebodys (n int)")
        #expect(throws: LogError.self) { try scratch.openPostgres() }
        try sql("DROP TABLE somebodys")
        try open().close()
        try sql("INSERT INTO versions (version) VALUES (99)")
        for opening in [{ try scratch.openPostgres() }, scratch.openPostgresAsCommandLine] as [() throws -> PostgresStore] {
            let error = #expect(throws: LogError.self) { try opening() }
            #expect(error?.code == .unreachable(isPassing: false) && error?.message.contains("newer version") == true)
        }
    }
}

import HeliographPostgreSQL
import RelayCore
import RelayModel
import RelayProtocol
import StorePostgres
import StoreTestSupport
import Synchronization
import Testing

/// Who may commit: one relay at a time, and no other, however late it wakes up.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct OwnershipTests {
    private let scratch = Scratch.current

    /// As an operator would, by `psql`.
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

    /// As if the relay's process had been killed.
    private func endConnections(of store: PostgresStore) throws {
        let name = try sql("SELECT holder FROM owners")[0].text(0)
        try sql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE starts_with(application_name, 'heliograph/\(name)')"
        )
    }

    /// Nobody is taken for alive because the server has only just been started.
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
        #expect(throws: LogError.self) { try first.log.load(resolvedSince: 0, commandsSince: 0) }
        try next.log.commit(writer.batch(1))
        #expect(try next.log.all(.first) == expected(.first, 1...4))
        while !lost.isUp { try sql("SELECT pg_sleep(0.05)") }
    }

    @Test func `an owner that stopped in the middle of a commit is no obstacle`() throws {
        try forgetStart()
        let first = try open()
        // Its locks, as it would hold them with half a pipeline sent.
        let holder = try sql("SELECT holder, generation FROM owners")[0]
        let stopped = try PostgresConnection(to: scratch.postgresAddress(), as: "heliograph/\(holder.text(0))/log")
        let fence = PostgresStatement("SELECT fence('', $1::bigint)", .bigint(holder.integer(1)))
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
        try sql("UPDATE owners SET born_on = 'another'")
        try endConnections(of: first)
        try first.log.commit(writer.batch(1))
        try first.close()
        let second = try open()
        #expect(second.log.epoch != first.log.epoch)
        try second.close()
        #expect(try open().log.epoch == second.log.epoch)
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

import HeliographPostgreSQL
import RelayCore
import RelayModel
import RelayProtocol
import StorePostgres
import StoreTestSupport
import Synchronization
import Testing

/// Commits that a synchronous standby is to have, and that is away. A server of its own: the setting is the whole server's.
@Suite(.enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct StandbyTests {
    /// Acts as the operator of the server.
    private struct Operator: Sendable {
        let address: String

        @discardableResult func sql(_ text: String) throws -> PostgresRows {
            try PostgresConnection(to: address, as: "operator").run(.once(text), within: .seconds(30))
        }

        func want(standby name: String) throws {
            try sql("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
            try sql("SELECT pg_reload_conf()")
            while try sql("SELECT current_setting('synchronous_standby_names')")[0].text(0) != name {}
            // Commits wait from when the checkpointer has read it, too: it does before its next checkpoint.
            try sql("CHECKPOINT")
        }

        /// The process of a commit that waits for a standby, and is not `known`.
        func waiting(besides known: Int64) throws -> Int64 {
            while true {
                let rows = try sql("SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> \(known)")
                if let row = rows.first { return row.integer(0) }
                try sql("SELECT pg_sleep(0.02)")
            }
        }
    }

    @Test func `a commit that the database only warns of is settled when a standby has it`() throws {
        let server = try PostgresServer()
        defer { server.end() }
        let somebody = Operator(address: server.address(of: "postgres"))
        let store = try PostgresStore(somebody.address, for: .relay { false })
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        var session = Writer(.first)
        try store.log.commit(session.batch(1))
        try somebody.want(standby: "nobody")
        let batch = session.batch(2)
        let isDone = Flag()
        onThreads(2) { thread in
            attempt {
                guard thread == 1 else {
                    try store.log.commit(batch)
                    return isDone.raise()
                }
                let first = try somebody.waiting(besides: 0)
                try somebody.sql("SELECT pg_cancel_backend(\(first))")
                // The row is visible to all now, and on this machine alone: the claim that settles it waits in its turn.
                _ = try somebody.waiting(besides: first)
                #expect(!isDone.isUp)
                try somebody.want(standby: "")
            }
        }
        #expect(isDone.isUp)
        #expect(try store.log.all(.first) == expected(.first, 1...3))
        try store.log.commit(session.batch(1))
        #expect(try store.log.all(.first) == expected(.first, 1...4))
        try store.close()
    }

    @Test func `a claim that waited for longer than its lease has one when it is through`() throws {
        let server = try PostgresServer()
        defer { server.end() }
        let somebody = Operator(address: server.address(of: "postgres"))
        try PostgresStore(somebody.address, for: .relay { false }).close()
        try somebody.want(standby: "nobody")
        let left = Mutex<[Int64]>([])
        onThreads(2) { thread in
            attempt {
                guard thread == 1 else {
                    let store = try PostgresStore(somebody.address, for: .relay { false })
                    let rows = try somebody.sql("SELECT extract(epoch FROM expires_at - now())::bigint FROM nodes")
                    left.withLock { $0 = rows.map { $0.integer(0) } }
                    return try store.close()
                }
                _ = try somebody.waiting(besides: 0)
                try somebody.sql(
                    """
                    WITH alone AS MATERIALIZED (SELECT set_config('synchronous_commit', 'local', true))
                    UPDATE nodes SET expires_at = now() - interval '1 second' FROM alone
                    """)
                try somebody.want(standby: "")
            }
        }
        #expect(left.withLock { $0.count == 1 && $0.allSatisfy { $0 > 3 } })
    }

    @Test func `a claim of a workspace waits for a standby, and the node renews its lease meanwhile`() throws {
        let server = try PostgresServer()
        defer { server.end() }
        let somebody = Operator(address: server.address(of: "postgres"))
        let node = try PostgresNode(somebody.address)
        try node.credentials.addWorkspace(Named(id: .home, name: "Home"))
        try somebody.want(standby: "nobody")
        let claimed = Mutex<PostgresWorkspace?>(nil)
        onThreads(2) { thread in
            attempt {
                guard thread == 1 else {
                    let owned = try node.claim(.home, generation: 0)
                    return claimed.withLock { $0 = owned }
                }
                _ = try somebody.waiting(besides: 0)
                for _ in 0..<3 {
                    try node.renew(isLeaving: false)
                    _ = try node.look()
                }
                #expect(claimed.withLock { $0 == nil })
                try somebody.want(standby: "")
            }
        }
        let home = try #require(claimed.withLock { $0 })
        // Releasing it does not wait for the standby.
        try somebody.want(standby: "nobody")
        try home.handOver()
        #expect(try somebody.sql("SELECT holder FROM owners WHERE scope = 'home'")[0].optionalText(0) == nil)
        try somebody.want(standby: "")
        try node.close()
    }

    @Test func `changes that a standby is to have, and that is away, end in time, say what came of them, and do not pile up`()
        throws
    {
        let server = try PostgresServer()
        defer { server.end() }
        let somebody = Operator(address: server.address(of: "postgres"))
        let store = try PostgresStore(somebody.address, for: .commandLine)
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        func token(_ number: UInt8) -> Token {
            Token(
                id: "t\(number)", digest: Array(repeating: number, count: 32), role: .client, subject: "c\(number)",
                name: "Phone",
                workspace: .home, createdAt: 1)
        }
        try store.credentials.addToken(token(1))
        try somebody.want(standby: "nobody")
        let unknown = #expect(throws: LogError.self) { try store.credentials.addToken(token(2)) }
        #expect(unknown?.code == .inDoubt && unknown?.description.contains("look before you do it again") == true)
        // Commands of other processes, too: each is refused by the database, which is then done with it.
        for number in 3...4 as ClosedRange<UInt8> {
            let other = try PostgresStore(somebody.address, for: .commandLine)
            #expect(try other.credentials.bootstrap(workspaceName: "default").id == .home)
            let refused = #expect(throws: LogError.self) { try other.credentials.addToken(token(number)) }
            #expect(refused?.code == .unreachable(isPassing: true) && refused?.description.contains("Nothing was done") == true)
            try other.close()
        }
        #expect(try store.credentials.tokens().map(\.id) == ["t1"])
        let left = try somebody.sql(
            """
            SELECT count(*) FROM pg_stat_activity WHERE starts_with(application_name, 'heliograph/') AND state <> 'idle'
            """)[0].integer(0)
        #expect(left == 1, "the commit that waits, and nobody behind it")
        try somebody.want(standby: "")
        while try store.credentials.tokens().count < 2 { try somebody.sql("SELECT pg_sleep(0.02)") }
        #expect(try store.credentials.tokens().map(\.id) == ["t1", "t2"])
        try store.credentials.addToken(token(3))
        #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
        try store.close()
    }

    @Test func `so many changes wait for their turn, and no more`() throws {
        let server = try PostgresServer()
        defer { server.end() }
        let address = server.address(of: "postgres")
        let store = try PostgresStore(address, for: .commandLine)
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        let blocker = try PostgresConnection(to: address, as: "operator")
        _ = try blocker.run([.once("BEGIN"), .once("LOCK TABLE tokens")], within: .seconds(10))
        let refusals = Mutex<[String]>([])
        let isFull = Flag()
        onThreads(PostgresStore.changesMax + 2) { thread in
            attempt {
                guard thread > 0 else {
                    while !isFull.isUp { _ = try blocker.run(.once("SELECT pg_sleep(0.02)"), within: .seconds(10)) }
                    return _ = try blocker.run(.once("ROLLBACK"), within: .seconds(10))
                }
                do throws(LogError) { try store.credentials.removePairingCodes(expiredBefore: 0) } catch {
                    guard error.code == .unreachable(isPassing: true) else { throw error }
                    refusals.withLock { $0.append(error.message) }
                    isFull.raise()
                }
            }
        }
        #expect(refusals.withLock { $0 } == ["Too many changes wait for the database. Nothing was done."])
        try store.close()
    }
}

import HeliographPostgreSQL
import RelayCore
import RelayModel
import RelayProtocol
import StorePostgres
import StoreTestSupport
import Testing

/// Commits that a synchronous standby is to have, and that is away. A server of its own: the setting is the whole server's.
@Suite(.enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct StandbyTests {
    /// Whoever runs the server.
    private struct Operator: Sendable {
        let address: String

        @discardableResult func sql(_ text: String) throws -> PostgresRows {
            try PostgresConnection(to: address, as: "operator").run(.once(text), within: .seconds(30))
        }

        func want(standby name: String) throws {
            try sql("ALTER SYSTEM SET synchronous_standby_names = '\(name)'")
            try sql("SELECT pg_reload_conf()")
            while try sql("SELECT current_setting('synchronous_standby_names')")[0].text(0) != name {}
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
                // The row is there for everybody now, and on this machine alone: the claim that settles it waits in its turn.
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
}

import HeliographPostgreSQL
import RelayCore
import RelayProtocol
import StorePostgres
import StoreTestSupport
import Testing

/// The tables, and the schema that they are in.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct SchemaTests {
    private func ask(_ sql: String) throws -> PostgresRows {
        try PostgresConnection(to: Scratch.current.postgresAddress(), as: "tests").run(.once(sql), within: .seconds(10))
    }

    @Test func `a search_path that leads to another schema begins no empty relay`() throws {
        let address = try Scratch.current.postgresAddress()
        let first = try Scratch.current.openPostgres()
        _ = try first.credentials.bootstrap(workspaceName: "Home")
        try first.close()
        let database = try #require(address.split(separator: "dbname=").last)
        _ = try ask("CREATE SCHEMA app")
        _ = try ask("ALTER ROLE heliograph IN DATABASE \(database) SET search_path = app, public")
        let ways: [() throws -> PostgresStore] = [
            { try Scratch.current.openPostgres() }, { try Scratch.current.openPostgresAsCommandLine() },
        ]
        for open in ways {
            let error = #expect(throws: LogError.self) { try open() }
            #expect(error?.code == .unreachable(isPassing: false))
            #expect(error?.message.contains("schema public") == true && error?.message.contains("schema app,") == true)
        }
        #expect(try ask("SELECT FROM pg_class WHERE relnamespace = 'app'::regnamespace").count == 0)
        // A schema that the address names is meant.
        let named = try PostgresStore(address + " options='-csearch_path=app'", for: .relay(isWanted: { false }))
        #expect(named.schema == "app")
        #expect(try named.credentials.workspaces().isEmpty)
        try named.close()
        _ = try ask("ALTER ROLE heliograph IN DATABASE \(database) RESET search_path")
        #expect(try Scratch.current.openPostgres().credentials.workspaces().map(\.name) == ["Home"])
    }

    @Test func `a relay that runs stays in its schema, whatever a role's search_path becomes`() throws {
        let store = try Scratch.current.openPostgres()
        _ = try store.credentials.bootstrap(workspaceName: "Home")
        let database = try #require(Scratch.current.postgresAddress().split(separator: "dbname=").last)
        _ = try ask("CREATE SCHEMA app")
        _ = try ask("ALTER ROLE heliograph IN DATABASE \(database) SET search_path = app, public")
        _ = try ask("CREATE TABLE app.workspaces (workspace text, name text, removed_at bigint, number int)")
        // Connections that the next questions have to make anew.
        _ = try ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '%/read'"
        )
        #expect(try store.credentials.workspaces().map(\.name) == ["Home"])
        #expect(store.schema == "public")
    }

    @Test func `every table has a primary key`() throws {
        _ = try Scratch.current.openPostgres()
        let bare = try ask(
            """
            SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = pg_class.oid AND indisprimary)
            """)
        #expect(bare.map { $0.text(0) } == [])
        #expect(try ask("SELECT FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace").count > 15)
    }
}

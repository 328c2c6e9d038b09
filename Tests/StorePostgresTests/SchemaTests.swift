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

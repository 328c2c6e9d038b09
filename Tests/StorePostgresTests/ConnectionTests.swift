import Glibc
import HeliographPostgreSQL
import StoreTestSupport
import Testing

/// Guarantees of the wrapper of libpq.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct ConnectionTests {
    private func connect(as name: String = "tests") throws -> PostgresConnection {
        try PostgresConnection(to: Scratch.current.postgresAddress(), as: name)
    }

    private func ask(_ connection: PostgresConnection, _ sql: String, _ values: PostgresValue...) throws -> PostgresRows {
        try connection.run(PostgresStatement(sql, values, isPrepared: true), within: .seconds(10))
    }

    @Test func `values come back as they went`() throws {
        let connection = try connect()
        for _ in 0..<2 {
            let row = try ask(
                connection, "SELECT $1::int, $2::bigint, $3::text, $4::bytea, $5::text, $6::bytea, true, (-1)::smallint",
                .int(-7), .bigint(.min), .text("\u{1F4A1} ü"), .bytea([0, 255, 10]), .text(nil as String?), .bytea([])
            )[0]
            #expect(
                row.integer(0) == -7 && row.integer(1) == .min && row.text(2) == "\u{1F4A1} ü" && row.bytes(3) == [0, 255, 10])
            #expect(row.isNull(4) && row.optionalText(4) == nil && !row.isNull(5) && row.bytes(5) == [] && row.bool(6))
            #expect(row.integer(7) == -1)
        }
        let rows = try ask(
            connection, "SELECT * FROM unnest($1::int[], $2::bigint[], $3::text[], $4::bytea[])", .ints([1, -2]),
            .optionalBigints([nil, .max]), .texts(["", "b"]), .byteas([[], [9]]))
        #expect(rows.map { $0.integer(0) } == [1, -2] && rows.map { $0.optionalInteger(1) } == [nil, .max])
        #expect(rows.map { $0.text(2) } == ["", "b"] && rows.map { $0.bytes(3) } == [[], [9]])
        #expect(try ask(connection, "SELECT * FROM unnest($1::text[])", .texts([])).count == 0)
    }

    @Test func `statements that go together are there together or not at all`() throws {
        let connection = try connect()
        _ = try ask(connection, "CREATE TABLE t (n int PRIMARY KEY)")
        let insertion = PostgresStatement("INSERT INTO t VALUES ($1::int)", .int(1))
        let error = #expect(throws: PostgresError.self) { try connection.run([insertion, insertion], within: .seconds(10)) }
        #expect(error?.code == .refused && error?.state == "23505" && error?.constraint == "t_pkey")
        #expect(try ask(connection, "SELECT FROM t").count == 0)
        // The connection still works, with its prepared plans.
        _ = try connection.run([insertion, PostgresStatement("SELECT 1")], within: .seconds(10))
        #expect(try ask(connection, "SELECT FROM t").count == 1)
    }

    @Test func `a pipeline of more than the network holds comes through`() throws {
        let connection = try connect()
        let blob = [UInt8](repeating: 7, count: 1 << 20)
        let echoes = (0..<16).map { _ in PostgresStatement("SELECT $1::bytea", .bytea(blob)) }
        #expect(try connection.run(echoes, within: .seconds(60)).allSatisfy { $0[0].bytes(0) == blob })
    }

    @Test func `an answer that does not come in time ends the connection`() throws {
        let connection = try connect()
        let error = #expect(throws: PostgresError.self) {
            try connection.run(PostgresStatement("SELECT pg_sleep(60)"), within: .milliseconds(200))
        }
        #expect(error?.code == .lost && connection.isLost)
        #expect(throws: PostgresError.self) { try ask(connection, "SELECT 1") }
    }

    @Test func `a connection that the database ends is lost, with its reason`() throws {
        let (connection, other) = (try connect(as: "victim"), try connect())
        _ = try ask(other, "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'victim'")
        let error = #expect(throws: PostgresError.self) { try ask(connection, "SELECT 1") }
        #expect(error?.code == .lost && connection.isLost, "\(error?.description ?? "")")
    }

    @Test func `a warning is told until the next question`() throws {
        let connection = try connect()
        _ = try ask(connection, "DO $$ BEGIN RAISE WARNING 'beware'; RAISE NOTICE 'not this'; END $$")
        #expect(connection.warning == "beware")
        _ = try ask(connection, "SELECT 1")
        #expect(connection.warning == nil)
    }

    @Test func `a server that takes no writes is none, unless the address says that any will do`() throws {
        let address = try Scratch.current.postgresAddress()
        let writable = try connect()
        let name = try ask(writable, "SELECT current_database()")[0].text(0)
        _ = try ask(writable, "ALTER DATABASE \"\(name)\" SET default_transaction_read_only = on")
        let refused = #expect(throws: PostgresError.self) { try connect() }
        #expect(refused?.code == .cannotConnect, "\(refused?.description ?? "")")
        _ = try PostgresConnection(to: address, as: "tests", of: .any)
        let connection = try PostgresConnection(to: "\(address) target_session_attrs=any", as: "tests")
        let error = #expect(throws: PostgresError.self) { try ask(connection, "CREATE TABLE t (n int)") }
        #expect(error?.state == "25006")
    }

    @Test func `where the first of two hosts says nothing the second is asked`() throws {
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        // Listens on a port of its own, and never answers.
        #expect(listen(silent, 8) == 0)
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let named = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(silent, $0, &size) }
        }
        #expect(named == 0)
        let folder = try Scratch.current.postgresFolder()
        let hosts = " host=127.0.0.1,\(folder) port=\(UInt16(bigEndian: address.sin_port)),5432"
        let connection = try PostgresConnection(to: Scratch.current.postgresAddress() + hosts, as: "tests")
        #expect(try ask(connection, "SELECT 1")[0].integer(0) == 1)
    }

    @Test func `a connection that is not made in time is given up`() throws {
        let silent = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(silent) }
        #expect(listen(silent, 8) == 0)
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(silent, $0, &size) }
        }
        let begun = ContinuousClock.now
        let error = #expect(throws: PostgresError.self) {
            try PostgresConnection(
                to: "host=127.0.0.1 port=\(UInt16(bigEndian: address.sin_port)) dbname=none", as: "tests",
                within: .milliseconds(300))
        }
        #expect(error?.code == .cannotConnect && ContinuousClock.now - begun < .seconds(2))
    }

    @Test func `where nobody listens nothing is waited for`() throws {
        let error = #expect(throws: PostgresError.self) {
            try PostgresConnection(to: "host=\(Scratch.current.path) dbname=none", as: "tests")
        }
        #expect(error?.code == .cannotConnect)
    }
}

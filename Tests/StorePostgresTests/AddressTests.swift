import HeliographPostgreSQL
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreTestSupport
import Testing

@testable import StorePostgres

/// Ownership of push addresses among owners that do not see each other's devices. See decision record 0066.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct AddressTests {
    private let scratch = Scratch.current
    private static let phone = PushAddress(.apns, place: "the-phones-token")
    private static let browser = PushAddress(.web, place: "https://push.example/the-browsers k a")
    private static let home = HeldAddress(phone, in: .home)
    private static let other = HeldAddress(phone, in: .other)

    @discardableResult private func sql(_ text: String) throws -> PostgresRows {
        try PostgresConnection(to: scratch.postgresAddress(), as: "operator").run(.once(text), within: .seconds(30))
    }

    private var rowCount: Int64 { get throws { try sql("SELECT count(*) FROM push_addresses")[0].integer(0) } }

    private func device(
        _ name: String, in workspace: WorkspaceID, kind: PushRecord.Kind = .device, tells addresses: [PushAddress]?,
        isThere: Bool = true
    ) -> LogBatch {
        LogBatch(records: [
            PushRecord(
                workspace: workspace, kind: kind, name: name, bytes: isThere ? Array("{}".utf8) : nil, addresses: addresses)
        ])
    }

    /// Two nodes, of which the first owns `home` and the other `other`.
    private struct Two {
        let nodes: [PostgresNode]
        let home: PostgresWorkspace
        let other: PostgresWorkspace

        init(_ scratch: Scratch) throws {
            nodes = [try scratch.openPostgresNode("n1"), try scratch.openPostgresNode("n2")]
            for workspace in [WorkspaceID.home, .other] {
                try nodes[0].credentials.addWorkspace(Named(id: workspace, name: workspace.rawValue))
            }
            home = try #require(try nodes[0].claim(.home))
            other = try #require(try nodes[1].claim(.other))
        }

        /// The moved addresses, on which both nodes agree.
        func moved(_ addresses: HeldAddress...) throws -> Set<HeldAddress> {
            let found = try nodes.map { try $0.addresses.moved(addresses) }
            #expect(found[0] == found[1])
            return found[0]
        }
    }

    @Test func `an address is of the workspace in which an app told it last, whoever owns that`() throws {
        let two = try Two(scratch)
        #expect(try two.moved().isEmpty && two.moved(Self.home, Self.other).isEmpty, "nobody has told it")
        try two.home.log.commit(device("d1", in: .home, tells: [Self.phone, Self.browser]))
        #expect(try two.moved(Self.home) == [] && two.moved(Self.home, Self.other) == [Self.other])
        try two.other.log.commit(device("d1", in: .other, tells: [Self.phone]))
        #expect(try two.moved(Self.home, Self.other, HeldAddress(Self.browser, in: .home)) == [Self.home])
        // Later records of its former owner contain no address, and reclaim nothing.
        try two.home.log.commit(device("d1", in: .home, tells: nil))
        #expect(try two.moved(Self.home, Self.other) == [Self.home])
        // The phone comes back, as another device, and as a card.
        try two.home.log.commit(device("d2", in: .home, tells: [Self.phone]))
        #expect(try two.moved(Self.home, Self.other) == [Self.other])
        try two.other.log.commit(device("d1/s1", in: .other, kind: .card, tells: [Self.phone]))
        #expect(try two.moved(Self.home, Self.other) == [Self.home])
    }

    @Test func `the table knows addresses by their digests alone`() throws {
        let two = try Two(scratch)
        try two.home.log.commit(device("d1", in: .home, tells: [Self.phone, Self.browser]))
        let rows = try sql("SELECT digest, kind || ' ' || name, push_addresses::text FROM push_addresses ORDER BY digest")
        let digests = [Self.phone, Self.browser].map(\.digest).sorted { $0.lexicographicallyPrecedes($1) }
        #expect(rows.map { $0.bytes(0) } == digests && rows.allSatisfy { $0.text(1) == "device d1" })
        #expect(rows.allSatisfy { !$0.text(2).contains("the-") })
        #expect(
            PushAddress(.web, place: "https://push.example/the-browsers other keys").digest == Self.browser.digest,
            "it is one browser, with whatever keys")
        #expect(PushAddress(.apns, place: "https://push.example/the-browsers").digest != Self.browser.digest)
    }

    @Test func `a record that goes, or tells others, leaves no row, unless another workspace may still push there`() throws {
        let two = try Two(scratch)
        let log = two.home.log
        try log.commit(device("d1", in: .home, tells: [Self.phone, Self.browser]))
        try log.commit(device("d1", in: .home, tells: [Self.browser]))
        #expect(try rowCount == 1)
        try log.commit(device("d1", in: .home, tells: nil, isThere: false))
        #expect(try rowCount == 0)
        try log.commit(device("d1", in: .home, tells: [Self.phone]))
        try two.other.log.commit(device("d1", in: .other, tells: [Self.phone]))
        try two.other.log.commit(device("d1", in: .other, tells: nil, isThere: false))
        #expect(try two.moved(Self.home) == [Self.home], "the phone has told nobody that it is back")
        _ = try two.nodes[0].credentials.removeWorkspace(.other, at: 5)
        while try !two.nodes[0].credentials.removeData(of: .other, rowsMax: 10) {}
        #expect(try two.moved(Self.home) == [Self.home])
        try log.commit(device("d2", in: .home, tells: [Self.phone]))
        #expect(try two.moved(Self.home).isEmpty)
    }

    @Test func `a removed workspace leaves no rows of addresses that were never anybody else's`() throws {
        let two = try Two(scratch)
        try two.other.log.commit(device("d1", in: .other, tells: [Self.phone]))
        _ = try two.nodes[0].credentials.removeWorkspace(.other, at: 5)
        while try !two.nodes[0].credentials.removeData(of: .other, rowsMax: 10) {}
        #expect(try rowCount == 0)
    }

    @Test func `what is told is there with its batch or not at all, and outlives whoever committed it`() throws {
        let two = try Two(scratch)
        try two.home.log.commit(device("d1", in: .home, tells: [Self.phone]))
        var refused = device("d1", in: .other, tells: [Self.phone])
        refused.records.append(PushRecord(workspace: .other, kind: .push, name: String(repeating: "n", count: 257), bytes: []))
        #expect(throws: LogError.self) { try two.other.log.commit(refused) }
        #expect(try two.moved(Self.home, Self.other) == [Self.other])
        try two.other.log.commit(device("d1", in: .other, tells: [Self.phone]))
        // As if both processes had been killed.
        for node in two.nodes {
            try sql("DELETE FROM nodes WHERE holder = '\(node.holder)'")
            try sql(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'heliograph/\(node.holder)/%'"
            )
        }
        #expect(try scratch.openPostgresNode("n3").addresses.moved([Self.home, Self.other]) == [Self.home])
    }

    @Test func `owners that take addresses from each other at once both go on, and each address is one's`() throws {
        let two = try Two(scratch)
        let addresses = (0..<8).map { PushAddress(.apns, place: "token\($0)") }
        onThreads(2) { thread in
            let (log, workspace) = thread == 0 ? (two.home.log, WorkspaceID.home) : (two.other.log, WorkspaceID.other)
            for round in 0..<40 {
                let told = round.isMultiple(of: 2) ? addresses : addresses.reversed()
                attempt { try log.commit(device("d\(round % 3)", in: workspace, tells: told)) }
            }
        }
        for address in addresses {
            #expect(try two.moved(HeldAddress(address, in: .home), HeldAddress(address, in: .other)).count == 1)
        }
        #expect(try rowCount == 8)
    }

    @Test func `a relay that is alone writes down whose addresses are, for nodes that come after it`() throws {
        let store = try scratch.openPostgres()
        for workspace in [WorkspaceID.home, .other] {
            try store.credentials.addWorkspace(Named(id: workspace, name: workspace.rawValue))
        }
        try store.log.commit(device("d1", in: .home, tells: [Self.phone]))
        // In both cores: one gives the address up in the batch in which the other reports it.
        let (yielding, telling) = (device("d1", in: .home, tells: []), device("d1", in: .other, tells: [Self.phone]))
        try store.log.commit(LogBatch(records: yielding.records + telling.records))
        #expect(try store.addresses.moved([Self.home, Self.other]) == [Self.home])
        try store.close()
        #expect(try scratch.openPostgresNode().addresses.moved([Self.home, Self.other]) == [Self.home])
    }

    @Test func `nodes of the version before go on beside this one, and what they registered pushes as before`() throws {
        try sql(Schema.bookkeeping)
        for (place, statements) in Schema.versions.prefix(6).enumerated() {
            for statement in statements { try sql(statement) }
            try sql("INSERT INTO versions (version) VALUES (\(place + 1))")
        }
        try sql("INSERT INTO workspaces (workspace, name) VALUES ('home', 'home'), ('other', 'other')")
        // The state left by a node of the previous version.
        try sql(
            """
            INSERT INTO push_records (workspace, kind, name, bytes)
            SELECT number, 'device', 'd1', convert_to('{}', 'UTF8') FROM workspaces
            """)
        try sql("INSERT INTO nodes (holder, software, expires_at) VALUES ('before', 'before', now() + interval '1 minute')")
        try sql("UPDATE owners SET holder = 'before', generation = generation + 1 WHERE scope = 'other'")
        let node = try scratch.openPostgresNode()
        #expect(try sql("SELECT max(version) FROM versions")[0].integer(0) == Int64(Schema.newest))
        #expect(try sql("SELECT holder FROM owners WHERE scope = 'other'")[0].text(0) == "before")
        #expect(try node.addresses.moved([Self.home, Self.other]).isEmpty)
        // The old version's commit still passes its fence, and does not know of addresses.
        _ = try PostgresConnection(to: scratch.postgresAddress(), as: "heliograph/before/log").run(
            [
                .once("SELECT fence('other', (SELECT generation FROM owners WHERE scope = 'other'))"),
                .once("UPDATE push_records SET bytes = convert_to('{\"a\":1}', 'UTF8')"),
            ], within: .seconds(10))
        try #require(try node.claim(.home)).log.commit(device("d1", in: .home, tells: [Self.phone]))
        #expect(try node.addresses.moved([Self.home, Self.other]) == [Self.other])
    }
}

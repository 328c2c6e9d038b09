import HeliographPostgreSQL
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import StoreTestSupport
import Testing

@testable import StorePostgres

/// Each workspace has a row of `owners`, which the commits that concern it are fenced by. See decision record 0086.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct WorkspaceOwnershipTests {
    private let scratch = Scratch.current
    private let other: WorkspaceID = id("w-other")
    private var ofOther: SessionKey { SessionKey(workspace: other, session: id("s1")) }

    @discardableResult private func sql(_ text: String) throws -> PostgresRows {
        try PostgresConnection(to: scratch.postgresAddress(), as: "operator").run(.once(text), within: .seconds(30))
    }

    private func open(with workspaces: WorkspaceID...) throws -> PostgresStore {
        let store = try scratch.openPostgres()
        for workspace in workspaces { try store.credentials.addWorkspace(Named(id: workspace, name: workspace.rawValue)) }
        return store
    }

    private func row(_ scope: String) throws -> (generation: Int64, holder: String?, epoch: String?) {
        let row = try sql("SELECT generation, holder, epoch FROM owners WHERE scope = '\(scope)'")[0]
        return (row.integer(0), row.optionalText(1), row.optionalText(2))
    }

    private func told(_ store: PostgresStore, _ workspace: WorkspaceID) -> String {
        store.log.epochs(first: .home)[workspace].rawValue
    }

    @Test func `a workspace that is made while the log is held is claimed with its first commit, in the epoch that was told`()
        throws
    {
        let store = try open(with: .home, other)
        #expect(try row("*").holder != nil && row("w-other").holder == nil && row("w-other").generation == 0)
        let epoch = told(store, other)
        var (home, writer) = (Writer(.first), Writer(ofOther))
        try store.log.commit(home.batch(1))
        try store.log.commit(writer.batch(2))
        let claimed = try row("w-other")
        #expect(try claimed.generation == 1 && claimed.holder == row("*").holder && claimed.epoch == epoch)
        try store.close()
        #expect(try row("w-other").holder == nil && row("home").holder == nil && row("*").holder == nil)
        let next = try scratch.openPostgres()
        #expect(told(next, other) == epoch && told(next, .home) == next.log.epoch.rawValue)
        #expect(try row("w-other").generation == 2)
        try next.log.commit(writer.batch(1))
        #expect(try next.log.all(ofOther) == expected(ofOther, 1...3))
        // A workspace without commits keeps its epoch, too.
        try next.credentials.addWorkspace(Named(id: id("w-third"), name: "third"))
        let third = told(next, id("w-third"))
        try next.close()
        #expect(try told(scratch.openPostgres(), id("w-third")) == third)
    }

    @Test func `a commit is refused for each of its workspaces that another owns, and names them`() throws {
        let store = try open(with: .home, other)
        var (home, writer) = (Writer(.first), Writer(ofOther))
        var both = home.batch(1)
        both.appends += writer.batch(1).appends
        try store.log.commit(both)
        try sql("UPDATE owners SET generation = generation + 1, holder = 'another' WHERE scope = 'w-other'")
        // Commits without that workspace succeed.
        try store.log.commit(home.batch(1))
        both = home.batchAhead(1)
        both.appends += writer.batch(1).appends
        let error = #expect(throws: LogError.self) { try store.log.commit(both) }
        #expect(error?.code == .fenced && error?.message.hasSuffix("it owns w-other.") == true, "\(error?.message ?? "")")
        #expect(try store.log.all(.first) == expected(.first, 1...2))
    }

    @Test func `what is of no workspace is fenced, too`() throws {
        let store = try open(with: .home)
        try store.log.commit(LogBatch(commandsForgottenBefore: 1))
        try sql("UPDATE owners SET generation = generation + 1, holder = 'another' WHERE scope = '*'")
        let error = #expect(throws: LogError.self) { try store.log.commit(LogBatch(commandsForgottenBefore: 2)) }
        #expect(error?.code == .fenced)
    }

    @Test func `a relay that was replaced claims no workspace that is made afterwards`() throws {
        let store = try open(with: .home)
        var home = Writer(.first)
        try store.log.commit(home.batch(1))
        try sql("UPDATE owners SET generation = generation + 1, holder = 'another' WHERE scope <> ''")
        try store.credentials.addWorkspace(Named(id: other, name: "other"))
        var writer = Writer(ofOther)
        let batch = writer.batch(1)
        let error = #expect(throws: LogError.self) { try store.log.commit(batch) }
        #expect(error?.code == .fenced)
        #expect(try row("w-other").holder == nil && sql("SELECT FROM events WHERE session = 1 AND workspace = 2").count == 0)
    }

    @Test func `the connection that ended in the claim of a workspace finds it again`() throws {
        let store = try open(with: .home, other)
        var (home, writer) = (Writer(.first), Writer(ofOther))
        try store.log.commit(home.batch(1))
        // The state after a claim whose answer was lost.
        try sql(
            """
            UPDATE owners SET generation = 1, holder = (SELECT holder FROM owners WHERE scope = '*'),
                epoch = '\(told(store, other))', born_on = (SELECT born_on FROM owners WHERE scope = '*') WHERE scope = 'w-other'
            """)
        try sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'heliograph/%/log'")
        try store.log.commit(writer.batch(2))
        #expect(try store.log.all(ofOther) == expected(ofOther, 1...2))
    }

    @Test func `an epoch that has ended for one workspace is another afterwards, and the others' go on`() throws {
        var (home, writer) = (Writer(.first), Writer(ofOther))
        let first = try open(with: .home, other)
        try first.log.commit(home.batch(1))
        try first.log.commit(writer.batch(1))
        let (epoch, others) = (told(first, .home), told(first, other))
        try first.close()
        try sql("UPDATE owners SET epoch = NULL WHERE scope = 'w-other'")
        let second = try scratch.openPostgres()
        #expect(told(second, .home) == epoch && told(second, other) != others)
        try second.close()
        // A file makes it of the log's, which would be the one that has ended.
        #expect(try MovedDatabase(scratch.postgresAddress()).epoch() == nil)
    }

    // MARK: - From one row for everything

    /// A database of that version with a relay that holds the log under generation 7, and has a lease.
    private func makeOlderDatabase(epoch: String) throws {
        try sql(Schema.bookkeeping)
        for (place, statements) in Schema.versions.prefix(Schema.versionOfRows - 1).enumerated() {
            for statement in statements { try sql(statement) }
            try sql("INSERT INTO versions (version) VALUES (\(place + 1))")
        }
        for workspace in ["home", "w-other"] {
            try sql("INSERT INTO workspaces (workspace, name) VALUES ('\(workspace)', '\(workspace)')")
        }
        try sql(
            "UPDATE owners SET generation = 7, holder = 'older', epoch = '\(epoch)', born_on = \(Ownership.born) WHERE scope = ''"
        )
        try sql("INSERT INTO nodes (holder, software, expires_at) VALUES ('older', '1', now() + interval '1 hour')")
    }

    @Test(arguments: ["anepoch1234567890abc", String(repeating: "e", count: 64)])
    func `the first relay of this version takes over from one of the version before, in the same epochs`(epoch: String) throws {
        try makeOlderDatabase(epoch: epoch)
        // In the middle of a commit.
        let older = try PostgresConnection(to: scratch.postgresAddress(), as: "heliograph/older/log")
        _ = try older.run([.once("BEGIN"), .once("SELECT fence('', 7)")], within: .seconds(10))
        let refused = #expect(throws: LogError.self) { try scratch.openPostgresAsCommandLine() }
        #expect(refused?.code == .unreachable(isPassing: false) && refused?.message.contains("older version") == true)
        #expect(throws: LogError.self) { try MovedDatabase(scratch.postgresAddress()) }
        #expect(try sql("SELECT max(version) FROM versions")[0].integer(0) == 5)
        let store = try scratch.openPostgres()
        let epochs = Epochs(ofLog: Epoch(epoch)!, first: .home)
        #expect(
            store.log.epoch.rawValue == epoch && told(store, .home) == epoch && told(store, other) == epochs[other].rawValue)
        #expect(try row("w-other").generation == 1)
        var writer = Writer(ofOther)
        try store.log.commit(writer.batch(1))
        // Statements of a program of the previous version: its commit, its renewal, its claim.
        func asOlder(_ text: String) throws -> PostgresRows {
            try PostgresConnection(to: scratch.postgresAddress(), as: "heliograph/older/log").run(
                .once(text), within: .seconds(10))
        }
        for generation in 7...9 {
            let error = #expect(throws: PostgresError.self) { try asOlder("SELECT fence('', \(generation))") }
            #expect(error?.state == "HG001")
        }
        #expect(try asOlder("SELECT FROM owners WHERE scope = '' AND holder = 'older'").count == 0)
        for change in [
            "UPDATE owners SET generation = generation + 1, holder = 'older' WHERE scope = '' AND generation = 8",
            "UPDATE owners SET generation = generation + 1, epoch = NULL WHERE scope = ''",
            "DELETE FROM owners WHERE scope = ''",
        ] {
            let error = #expect(throws: PostgresError.self) { try asOlder(change) }
            #expect(error?.message.contains("newer version") == true)
        }
        try store.log.commit(writer.batch(1))
        #expect(try store.log.all(ofOther) == expected(ofOther, 1...2))
        try store.close()
        #expect(try MovedDatabase(scratch.postgresAddress()).epoch()?.rawValue == epoch)
    }

    @Test func `a node that has a reason to leave the relays of the version before alone changes nothing`() throws {
        try makeOlderDatabase(epoch: "anepoch")
        let address = try scratch.postgresAddress()
        let error = #expect(throws: LogError.self) {
            try PostgresNode(address) { $0.isSynchronous ? nil : "there is one machine" }
        }
        #expect(error?.code == .unreachable(isPassing: false) && error?.message == "there is one machine")
        #expect(try sql("SELECT max(version) FROM versions")[0].integer(0) == 5)
        #expect(try sql("SELECT holder FROM owners WHERE scope = ''")[0].text(0) == "older")
        // If none of them is alive, no relay has to be left alone.
        try sql("UPDATE nodes SET expires_at = now() - interval '1 second'")
        let node = try PostgresNode(address) { $0.isSynchronous ? nil : "there is one machine" }
        #expect(try node.look().view.rows.map(\.scope) == ["home", "w-other"])
        #expect(try node.look().view.rows.allSatisfy(\.isFree))
        try node.close()
    }

    @Test func `a command brings a database of the version before up to date where no relay holds it`() throws {
        try makeOlderDatabase(epoch: "anepoch")
        try sql("UPDATE nodes SET expires_at = now() - interval '1 second'")
        #expect(try scratch.openPostgresAsCommandLine().log.epoch.rawValue == "anepoch")
        #expect(try told(scratch.openPostgres(), .home) == "anepoch")
    }
}

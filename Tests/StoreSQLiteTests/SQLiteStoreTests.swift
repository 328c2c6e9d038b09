import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// Properties of the file beyond the contracts.
@Suite(.scratch) struct SQLiteStoreTests {
    private let scratch = Scratch.current

    @Test(arguments: [true, false])
    func `everything survives a restart, whether or not the store was closed`(isClosed: Bool) throws {
        var writer = Writer(.first)
        let token = Token(
            id: "t1", digest: Array(repeating: 1, count: 32), role: .host, subject: "host1", name: "Laptop", workspace: .home,
            createdAt: 1)
        var epoch: Epoch?
        do {
            let store = try scratch.open()
            epoch = store.log.epoch
            try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
            try store.credentials.addToken(token)
            for count in 1...20 { try store.log.commit(writer.batch(count)) }
            try store.log.commit(writer.batch(1, approvals: [writer.approval("a1", seq: 211)]))
            if isClosed { try store.close() }
        }
        let store = try scratch.open()
        #expect(store.log.epoch == epoch)
        #expect(try store.credentials.tokens() == [token])
        #expect(try store.log.all(.first) == expected(.first, 1...211))
        let loaded = try store.log.load(resolvedSince: 0)
        #expect(loaded.sessions.map(\.state) == [writer.state(seq: 211)])
        #expect(loaded.approvals.map(\.approval.bytes) == [writer.approval("a1", seq: 211).bytes])
        try store.log.commit(writer.batch(1))
    }

    @Test func `the first start makes one workspace, and only the first`() throws {
        let store = try scratch.open()
        let made = try store.credentials.bootstrap(workspaceName: "Home")
        #expect(made == Named(id: id("default"), name: "Home"))
        #expect(try store.credentials.bootstrap(workspaceName: "Another") == made)
        try store.credentials.addWorkspace(Named(id: id("a"), name: "Before it in the alphabet"))
        #expect(try scratch.openAsCommandLine().credentials.bootstrap(workspaceName: "Third") == made)
        #expect(try store.credentials.workspaces().count == 2)
    }

    @Test func `a closed store leaves one file that holds everything`() throws {
        try scratch.fill(50)
        let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
        #expect(files.sorted() == ["heliograph.sqlite", "relay.lock", "relay.reserve", "relay.revocations", "relay.run"])
    }

    @Test func `the command line does not take an older relay's tables from under it`() throws {
        try scratch.open().close()
        try scratch.sql(OlderFile.version4)
        let directory = try DataDirectory(path: scratch.path)
        do {
            let lock = try directory.lock()
            let error = #expect(throws: SQLiteStoreError.self) { try scratch.openAsCommandLine() }
            #expect(error?.code == .busy)
            #expect(error?.message.hasSuffix("try again.") == true)
            withExtendedLifetime(lock) {}
        }
        #expect(try scratch.query("SELECT count(*) FROM approval_history") == "0")
        try scratch.openAsCommandLine().close()
        #expect(try scratch.open().audit.verify(against: nil, heads: []).faults.isEmpty)
    }

    @Test func `of an older file's clients, those that the machine itself made go on, and those that were paired do not`()
        throws
    {
        func token(_ number: UInt8, _ role: PairingRole) -> Token {
            Token(
                id: "t\(number)", digest: Array(repeating: number, count: 32), role: role, subject: "s\(number)",
                name: #"","what":"token.created","token":"t2","#, workspace: .home, createdAt: 1_000)
        }
        do {
            let store = try scratch.open()
            try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
            try store.credentials.addToken(token(1, .client))
            for (number, role) in [(2, .client), (3, .host)] as [(UInt8, PairingRole)] {
                let digest = Array(repeating: number, count: 32)
                try store.credentials.addPairingCode(
                    PairingCode(digest: digest, role: role, workspace: .home, expiresAt: 9_000))
                _ = try store.credentials.redeemPairingCode(digest: digest, now: 2_000) { _ in token(number, role) }
            }
            try store.close()
        }
        try scratch.sql(OlderFile.version5)
        let tokens = try scratch.open().credentials.tokens()
        #expect(tokens.map(\.kind) == [.program, .unsure, .host])
        #expect(tokens.allSatisfy { $0.parent == nil && $0.lastUse == nil && $0.pageKeyDigest == nil })
    }

    @Test func `the command line works on the file while the relay does`() throws {
        let relay = try scratch.open()
        let workspace = try relay.credentials.bootstrap(workspaceName: "Home").id
        let commandLine = try scratch.openAsCommandLine()
        #expect(commandLine.log.epoch == relay.log.epoch)
        onThreads(2) { thread in
            attempt {
                var writer = Writer(SessionKey(workspace: workspace, session: id("s1")))
                for number in 0..<50 as Range<UInt8> {
                    if thread == 0 {
                        try relay.log.commit(writer.batch(2))
                    } else {
                        try commandLine.credentials.addToken(
                            Token(
                                id: "t\(number)", digest: Array(repeating: number, count: 32), role: .client, subject: "c",
                                name: "c", workspace: workspace, createdAt: 0))
                    }
                }
            }
        }
        #expect(try relay.credentials.tokens().count == 50)
        try commandLine.close()
        #expect(try relay.log.all(SessionKey(workspace: workspace, session: id("s1"))).count == 100)
    }

    @Test func `the command line gets its turn beside a relay that hardly ever lets go of the file`() throws {
        try scratch.fill(1)
        // Each holds the file for some milliseconds, as a slow disk does, and the next one follows at once.
        let count = 2_000
        let burn = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) SELECT count(*) FROM n"
        let transaction = "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS held (i); INSERT INTO held \(burn); COMMIT;\n"
        let script = scratch.path + "/script"
        try Data((".timeout 5000\n" + String(repeating: transaction, count: count)).utf8)
            .write(to: URL(fileURLWithPath: script))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["sqlite3", scratch.databasePath, ".read \(script)"]
        try process.run()
        defer { process.terminate() }
        func held() throws -> Int {
            let isThere = try scratch.query("SELECT count(*) FROM sqlite_schema WHERE name = 'held'") == "1"
            return isThere ? Int(try scratch.query("SELECT count(*) FROM held")) ?? 0 : 0
        }
        while try held() == 0 {}
        let commandLine = try scratch.openAsCommandLine()
        for number in 0..<5 { try commandLine.credentials.addWorkspace(Named(id: id("w\(number)"), name: "W\(number)")) }
        #expect(try (1..<count).contains(held()), "it was busy all the time")
    }

    @Test func `many may open a new file at once`() throws {
        let scratch = scratch
        onThreads(6) { _ in
            attempt {
                let store = try scratch.openAsCommandLine()
                #expect(try store.credentials.bootstrap(workspaceName: "Home").id.rawValue == "default")
            }
        }
        #expect(try scratch.open().credentials.workspaces().count == 1)
    }

    @Test func `a closed store says so`() throws {
        let store = try scratch.open()
        try store.close()
        let error = #expect(throws: LogError.self) { try store.credentials.workspaces() }
        #expect(error?.cause == .cannotOpen)
        #expect(error?.message == "\(scratch.databasePath) is closed.")
    }

    @Test func `a copied file begins another epoch, for the relay`() throws {
        let epoch = try scratch.open().log.epoch
        try FileManager.default.moveItem(atPath: scratch.databasePath, toPath: scratch.path + "/old")
        try FileManager.default.copyItem(atPath: scratch.path + "/old", toPath: scratch.databasePath)
        #expect(try scratch.openAsCommandLine().log.epoch == epoch)
        let other = try scratch.open().log.epoch
        #expect(other != epoch)
        #expect(try scratch.open().log.epoch == other)
    }

    @Test func `two new files have different epochs`() throws {
        let epoch = try scratch.open().log.epoch
        _ = try DataDirectory(path: scratch.path).setAside()
        #expect(try scratch.open().log.epoch != epoch)
    }

    @Test func `of very many removed sessions a start reads some places, and says that there are more`() throws {
        let store = try Scratch.current.open()
        try store.credentials.addWorkspace(Named(id: .home, name: "Home"))
        func remove(_ from: Int, _ through: Int) throws {
            try Scratch.current.sql(
                """
                WITH RECURSIVE n(i) AS (SELECT \(from) UNION ALL SELECT i + 1 FROM n WHERE i < \(through))
                INSERT INTO sessions (workspace, session, host, seq, host_seq, state, is_removed)
                SELECT 'home', 's' || i, 'host1', i, i, x'', 1 FROM n
                """)
        }
        try remove(1, Limits.removedSessionsMax)
        #expect(try !store.log.load(resolvedSince: 0).hasMoreRemoved)
        try remove(Limits.removedSessionsMax + 1, Limits.removedSessionsMax + 2)
        let state = try store.log.load(resolvedSince: 0)
        #expect(state.hasMoreRemoved)
        #expect(state.removed.count == Limits.removedSessionsMax)
        let last = Int64(Limits.removedSessionsMax + 2)
        let key = SessionKey(workspace: .home, session: id("s\(last)"))
        #expect(try store.log.places(of: [key])[key] == RemovedSession(host: id("host1"), seq: last, hostSeq: last))
    }
}

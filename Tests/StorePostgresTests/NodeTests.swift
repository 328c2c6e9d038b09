import Glibc
import HeliographPostgreSQL
import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreTestSupport
import Synchronization
import Testing

@testable import StorePostgres

/// Nodes that each own some workspaces. See decision record 0086.
@Suite(.scratch, .enabled(if: PostgresServer.isExpected, "PostgreSQL is not installed")) struct NodeTests {
    private let scratch = Scratch.current
    private var ofOther: SessionKey { SessionKey(workspace: .other, session: id("s1")) }

    @discardableResult private func sql(_ text: String) throws -> PostgresRows {
        try PostgresConnection(to: scratch.postgresAddress(), as: "operator").run(.once(text), within: .seconds(30))
    }

    /// The first of them makes the workspaces `home` and `other`.
    private func nodes() throws -> (PostgresNode, PostgresNode) {
        let first = try scratch.openPostgresNode("n1")
        for workspace in [WorkspaceID.home, .other] {
            try first.credentials.addWorkspace(Named(id: workspace, name: workspace.rawValue))
        }
        return (first, try scratch.openPostgresNode("n2"))
    }

    private func owner(_ scope: String) throws -> (generation: Int64, holder: String?, epoch: String?) {
        let row = try sql("SELECT generation, holder, epoch FROM owners WHERE scope = '\(scope)'")[0]
        return (row.integer(0), row.optionalText(1), row.optionalText(2))
    }

    /// Server processes of connections with a matching name.
    private func backends(_ pattern: String) throws -> [Int64] {
        try sql("SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE '\(pattern)'")
            .map { $0.integer(0) }
    }

    private func end(_ pattern: String) throws {
        try sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE '\(pattern)'")
    }

    /// Simulates that its process was killed.
    private func kill(_ node: PostgresNode) throws {
        try sql("DELETE FROM nodes WHERE holder = '\(node.holder)'")
        try end("heliograph/\(node.holder)/%")
    }

    /// Waits until nodes no longer count as alive only because the server has just been started.
    private func forgetStart() throws {
        while try sql("SELECT pg_postmaster_start_time() < now() - interval '8 seconds'")[0].bool(0) == false {
            try sql("SELECT pg_sleep(0.2)")
        }
    }

    private func load(_ workspace: PostgresWorkspace) throws -> LogState {
        try workspace.log.load(resolvedSince: 0)
    }

    // MARK: - Owning

    @Test func `two nodes each own a workspace, commit at once, and see nothing of the other's`() throws {
        let (first, second) = try nodes()
        #expect(try first.look().view.rows.map(\.scope) == ["home", "other"])
        let (home, other) = (try #require(try first.claim(.home)), try #require(try second.claim(.other)))
        #expect(home.workspace == .home && other.number == home.number + 1 && home.log.epoch != other.log.epoch)
        for node in [first, second] {
            let view = try node.look().view
            #expect(view.rows.map(\.holder) == [first.holder, second.holder] && view.rows.allSatisfy { !$0.isFree })
            #expect(Set(view.nodes.map(\.name)) == ["n1", "n2"] && view.leaving.isEmpty)
        }
        #expect(try second.claim(.home) == nil && first.claim(.other) == nil && owner("*").holder == nil)
        #expect(try first.claim(id("nowhere"), generation: 0) == nil)
        onThreads(2) { thread in
            var writer = Writer(thread == 0 ? .first : ofOther)
            for index in 0..<40 {
                let approval = writer.approval("a\(index)", seq: Int64(index + 1))
                attempt { try (thread == 0 ? home : other).log.commit(writer.batch(1, approvals: [approval])) }
            }
        }
        #expect(try home.log.all(.first) == expected(.first, 1...40) && other.log.all(ofOther) == expected(ofOther, 1...40))
        #expect(try scratch.openPostgresAsCommandLine().audit.verify(against: nil, heads: []).faults.isEmpty)
        // Each is of one workspace alone.
        #expect(try load(home).sessions.map(\.key) == [.first] && load(other).sessions.map(\.key) == [ofOther])
        #expect(try load(home).approvals.count == 40)
        #expect(try home.log.all(ofOther).isEmpty && home.log.places(of: [.first, ofOther]).map(\.key) == [.first])
        #expect(try home.log.approval(id("a1"), of: ofOther) == nil && home.log.approval(id("a1"), of: .first) != nil)
        let stranger = Writer(ofOther, seq: 40).batchAhead(1)
        let error = #expect(throws: LogError.self) { try home.log.commit(stranger) }
        #expect(error?.code == .conflict)
        #expect(try other.log.all(ofOther).count == 40)
    }

    @Test func `of two nodes that claim a workspace from one generation one has it`() throws {
        let (first, second) = try nodes()
        let generation = try #require(try first.row(.home)).generation
        let claimed = Mutex<[PostgresWorkspace]>([])
        onThreads(2) { thread in
            attempt {
                guard let owned = try (thread == 0 ? first : second).claim(.home, generation: generation) else { return }
                claimed.withLock { $0.append(owned) }
            }
        }
        #expect(claimed.withLock { $0.count } == 1)
        #expect(try owner("home").generation == generation + 1)
    }

    @Test func `what a commit of one workspace is refused for is of no other`() throws {
        let (node, _) = try nodes()
        let (home, other) = (try #require(try node.claim(.home)), try #require(try node.claim(.other)))
        let losses = Mutex<[String]>([])
        func note(_ name: String) -> @Sendable (LogError) -> Void {
            { error in losses.withLock { $0.append("\(name) \(error.code)") } }
        }
        home.whenLost(note("home"))
        other.whenLost(note("other"))
        var (writer, ofOther) = (Writer(.first), Writer(ofOther))
        try home.log.commit(writer.batch(1))
        try other.log.commit(ofOther.batch(1))
        try sql("UPDATE owners SET generation = generation + 1, holder = 'another' WHERE scope = 'home'")
        for _ in 0..<2 {
            let batch = writer.batchAhead(1)
            let error = #expect(throws: LogError.self) { try home.log.commit(batch) }
            #expect(error?.code == .fenced)
            try other.log.commit(ofOther.batch(1))
            #expect(throws: LogError.self) { try load(home) }
        }
        #expect(losses.withLock { $0 } == ["home fenced"])
        // A handler that is set later is called, too, unless an earlier one was.
        home.whenLost(note("again"))
        #expect(losses.withLock { $0.count } == 1)
        try node.renew(isLeaving: false)
        #expect(try other.log.all(ofOther.key) == expected(ofOther.key, 1...3))
        // The workspace is another's: handing it over does not change that.
        try home.handOver()
        #expect(try owner("home").holder == "another")
    }

    @Test func `what is lost before anybody listens is told to the first who does`() {
        let loss = Loss()
        loss.happened(Ownership.anotherLife)
        let told = Mutex(0)
        for _ in 0..<2 { loss.whenLost { _ in told.withLock { $0 += 1 } } }
        #expect(told.withLock { $0 } == 1)
    }

    // MARK: - From one node to the next

    @Test func `a workspace that is handed over goes on with another node in its epoch, and whoever gave it keeps the rest`()
        throws
    {
        let (first, second) = try nodes()
        let (home, other) = (try #require(try first.claim(.home)), try #require(try first.claim(.other)))
        var (writer, ofOther) = (Writer(.first), Writer(ofOther))
        try home.log.commit(writer.batch(2))
        try other.log.commit(ofOther.batch(1))
        let connections = try backends("heliograph/\(first.holder)/%")
        try home.handOver()
        #expect(try first.row(.home)?.isFree == true && owner("other").holder == first.holder)
        let refused = #expect(throws: LogError.self) { try home.log.commit(writer.batchAhead(1)) }
        #expect(refused?.code == .fenced)
        try home.handOver()
        let next = try #require(try second.claim(.home))
        #expect(next.log.epoch == home.log.epoch && next.number == home.number)
        #expect(try load(next).sessions.map(\.state) == [writer.state(seq: 2)])
        try next.log.commit(writer.batch(1))
        try other.log.commit(ofOther.batch(1))
        // Of the first node's connections only that of the workspace has ended.
        #expect(Set(connections).subtracting(try backends("heliograph/\(first.holder)/%")).count == 1)
        // The old owner's hand-over, repeated, has no effect any more.
        try home.handOver()
        #expect(try owner("home").holder == second.holder)
        try next.handOver()
        let back = try #require(try first.claim(.home))
        #expect(back.log.epoch == home.log.epoch)
        try back.log.commit(writer.batch(1))
        #expect(try back.log.all(.first) == expected(.first, 1...4) && other.log.all(ofOther.key).count == 2)
    }

    @Test func `the workspaces of a killed node go on with another, and it can commit nothing more`() throws {
        try forgetStart()
        let (first, second) = try nodes()
        let (home, other) = (try #require(try first.claim(.home)), try #require(try first.claim(.other)))
        var (writer, ofOther) = (Writer(.first), Writer(ofOther))
        try home.log.commit(writer.batch(2))
        try other.log.commit(ofOther.batch(1))
        #expect(try second.row(.home)?.isFree == false && second.claim(.home) == nil)
        try kill(first)
        let next = try #require(try second.claim(.home))
        #expect(next.log.epoch == home.log.epoch)
        let lost = Flag()
        home.whenLost { _ in lost.raise() }
        let late = writer.batchAhead(1)
        try next.log.commit(writer.batch(1))
        let error = #expect(throws: LogError.self) { try home.log.commit(late) }
        #expect(error?.code == .fenced && lost.isUp, "\(error?.description ?? "")")
        // The other one has not been taken over.
        try other.log.commit(ofOther.batch(1))
        #expect(try next.log.all(.first) == expected(.first, 1...3))
    }

    @Test func `a node that stopped in the middle of a commit is no obstacle`() throws {
        try forgetStart()
        let (first, second) = try nodes()
        let home = try #require(try first.claim(.home))
        // Its locks, as if it had sent half a pipeline.
        let stopped = try PostgresConnection(
            to: scratch.postgresAddress(), as: "heliograph/\(first.holder)/log/\(home.number)")
        let fence = PostgresStatement("SELECT fence('home', $1::bigint)", .bigint(try owner("home").generation))
        _ = try stopped.run([.once("BEGIN"), fence], within: .seconds(10))
        try sql("UPDATE nodes SET expires_at = now() - interval '1 second' WHERE holder = '\(first.holder)'")
        let next = try #require(try second.claim(.home))
        var writer = Writer(.first)
        try next.log.commit(writer.batch(1))
        #expect(throws: PostgresError.self) { try stopped.run(.once("COMMIT"), within: .seconds(10)) }
        #expect(next.log.epoch == home.log.epoch)
    }

    @Test func `a claim that came through without a word of it is made once more`() throws {
        let (node, second) = try nodes()
        let unheard = try #require(try node.claim(.home))
        #expect(try second.claim(.home) == nil)
        let again = try #require(try node.claim(.home))
        #expect(again.log.epoch == unheard.log.epoch)
        var writer = Writer(.first)
        try again.log.commit(writer.batch(1))
        let error = #expect(throws: LogError.self) { try unheard.log.commit(writer.batchAhead(1)) }
        #expect(error?.code == .fenced)
    }

    @Test func `a node that ends leaves all that it owns`() throws {
        let (first, second) = try nodes()
        let home = try #require(try first.claim(.home))
        _ = try #require(try first.claim(.other))
        var writer = Writer(.first)
        try home.log.commit(writer.batch(1))
        try first.close()
        #expect(throws: LogError.self) { try home.log.commit(writer.batchAhead(1)) }
        let view = try second.look().view
        #expect(view.rows.allSatisfy { $0.isFree && $0.holder == nil } && view.nodes.map(\.name) == ["n2"])
        #expect(try second.claim(.home)?.log.epoch == home.log.epoch)
    }

    @Test func `that a node is leaving is seen until it says that it stays, whatever it claims`() throws {
        let (first, second) = try nodes()
        try first.renew(isLeaving: true)
        _ = try first.claim(.home)
        #expect(try second.look().view.leaving == [first.holder])
        try first.renew(isLeaving: false)
        #expect(try second.look().view.leaving.isEmpty && second.hasCompany())
    }

    // MARK: - Epochs

    @Test func `on another timeline a node that owns something has lost it, and an epoch begins for each workspace`() throws {
        let (first, second) = try nodes()
        let (home, other) = (try #require(try first.claim(.home)), try #require(try second.claim(.other)))
        try sql("UPDATE owners SET born_on = 'another' WHERE scope = 'home'")
        let error = #expect(throws: LogError.self) { try first.renew(isLeaving: false) }
        #expect(error?.code == .fenced)
        try second.renew(isLeaving: false)
        try first.close()
        let next = try #require(try second.claim(.home))
        #expect(next.log.epoch != home.log.epoch)
        try other.handOver()
        #expect(try second.claim(.other)?.log.epoch == other.log.epoch)
    }

    @Test func `a workspace goes on in the epoch that a relay alone has told, and back`() throws {
        let store = try scratch.openPostgres()
        for workspace in [WorkspaceID.home, .other] {
            try store.credentials.addWorkspace(Named(id: workspace, name: workspace.rawValue))
        }
        var writer = Writer(.first)
        try store.log.commit(writer.batch(1))
        let epochs = store.log.epochs(first: .home)
        try store.close()
        let node = try scratch.openPostgresNode()
        // A workspace with a commit, and one that only got its epoch.
        #expect(try node.claim(.home)?.log.epoch == epochs[.home] && node.claim(.other)?.log.epoch == epochs[.other])
        try node.close()
        let again = try scratch.openPostgres()
        #expect(again.log.epochs(first: .home)[.other] == epochs[.other] && again.log.epoch == store.log.epoch)
    }

    @Test func `a database that came up again without what a node had acknowledged ends that workspace's epoch alone`() throws {
        let (node, _) = try nodes()
        let (home, other) = (try #require(try node.claim(.home)), try #require(try node.claim(.other)))
        var (writer, ofOther) = (Writer(.first), Writer(ofOther))
        try home.log.commit(writer.batch(3))
        try other.log.commit(ofOther.batch(1))
        try sql("UPDATE sessions SET seq = 2 WHERE workspace = \(home.number)")
        try sql("DELETE FROM events WHERE seq > 2")
        try end("heliograph/%/log/\(home.number)")
        var second = Writer(.second)
        let error = #expect(throws: LogError.self) { try home.log.commit(second.batch(1)) }
        #expect(error?.code == .fenced)
        try other.log.commit(ofOther.batch(1))
        #expect(try owner("home").epoch == nil && owner("other").epoch == other.log.epoch.rawValue)
        #expect(try node.claim(.home)?.log.epoch != home.log.epoch)
    }

    // MARK: - Beside a relay that is alone

    @Test func `a relay that is alone claims only when no node owns anything, and then owns what is made as well`() throws {
        let (node, _) = try nodes()
        let other = try #require(try node.claim(.other))
        let command = try scratch.openPostgresAsCommandLine()
        #expect(try command.isHeld())
        for _ in 1...5 {
            let error = #expect(throws: LogError.self) { try scratch.openPostgres() }
            #expect(error?.code == .unreachable(isPassing: true))
        }
        #expect(try owner("home").generation == 0)
        try other.handOver()
        let store = try scratch.openPostgres()
        try command.credentials.addWorkspace(Named(id: id("w-new"), name: "new"))
        let rows = try node.look().view.rows
        #expect(rows.map(\.scope) == ["home", "other", "w-new"] && rows.allSatisfy { !$0.isFree })
        #expect(rows.last?.holder == nil)
        #expect(try node.claim(id("w-new")) == nil)
        var writer = Writer(SessionKey(workspace: id("w-new"), session: id("s1")))
        try store.log.commit(writer.batch(1))
        try store.close()
        let new = try #require(try node.claim(id("w-new")))
        try new.log.commit(writer.batch(1))
        #expect(try new.log.all(writer.key) == expected(writer.key, 1...2))
    }

    @Test func `whoever takes one workspace from a relay that was alone and is dead takes what is of none from it`() throws {
        try forgetStart()
        let (node, _) = try nodes()
        let store = try scratch.openPostgres()
        var (writer, ofOther) = (Writer(.first), Writer(ofOther))
        try store.log.commit(writer.batch(1))
        try store.log.commit(ofOther.batch(1))
        let lost = Flag()
        store.whenLost { _ in lost.raise() }
        // The state after a pause in which it was stopped.
        try sql("UPDATE owners SET holder = 'dead' WHERE scope <> ''")
        let home = try #require(try node.claim(.home))
        #expect(try owner("*").holder == nil && owner("other").holder == "dead")
        try home.log.commit(writer.batch(1))
        let late = LogBatch(clock: AgeClockRecord(time: 1, wall: 1, uptime: 1, boot: "b", steadyFor: nil))
        let error = #expect(throws: LogError.self) { try store.log.commit(late) }
        #expect(error?.code == .fenced)
        while !lost.isUp { try sql("SELECT pg_sleep(0.05)") }
        #expect(try node.claim(.other) != nil)
    }

    // MARK: - What is of one workspace

    @Test func `each workspace has its clock and its commands, and a relay that is alone goes on with the furthest`() throws {
        func clock(_ time: Int64) -> AgeClockRecord {
            AgeClockRecord(time: time, wall: time, uptime: 1, boot: "b", steadyFor: nil)
        }
        func command(_ workspace: WorkspaceID, _ at: Int64) -> CommandRecord {
            CommandRecord(workspace: workspace, client: id("c"), command: id("c\(at)"), at: at)
        }
        let (node, _) = try nodes()
        try node.credentials.addWorkspace(Named(id: id("third"), name: "third"))
        try sql("INSERT INTO meta VALUES ('clock', '\(clock(1_000).text)')")
        let (home, other) = (try #require(try node.claim(.home)), try #require(try node.claim(.other)))
        #expect(try load(home).clock == clock(1_000))
        try home.log.commit(LogBatch(commands: [command(.home, 5), command(.home, 9)], clock: clock(900)))
        try other.log.commit(LogBatch(commands: [command(.other, 5)], clock: clock(7_000)))
        let third = try #require(try node.claim(id("third")))
        #expect(try load(home).clock == clock(900) && load(other).clock == clock(7_000) && load(third).clock == clock(1_000))
        try home.log.commit(LogBatch(commandsForgottenBefore: 9))
        #expect(try load(home).commands == [command(.home, 9)] && load(other).commands == [command(.other, 5)])
        // For a commit in doubt, old commands of another workspace prove nothing.
        let asking = try PostgresConnection(to: scratch.postgresAddress(), as: "operator")
        for (name, number) in [(WorkspaceID.home, home.number), (.other, other.number)] {
            let search = BatchSearch(connection: asking, scope: .workspace(name, number: number))
            #expect(try search.contains(LogBatch(commandsForgottenBefore: 9)) == (name == .home))
        }
        try home.log.commit(LogBatch(commandsForgottenBefore: 10))
        for owned in [home, other, third] { try owned.handOver() }
        let store = try scratch.openPostgres()
        func loaded() throws -> LogState { try store.log.load(resolvedSince: 0) }
        #expect(try loaded().clock == clock(7_000) && loaded().commands == [command(.other, 5)])
        try store.log.commit(LogBatch(clock: clock(8_000)))
        try store.close()
        #expect(try load(#require(try node.claim(.other))).clock == clock(8_000))
    }

    @Test func `a commit of one workspace that is in doubt is settled while another's go on`() throws {
        let (node, _) = try nodes()
        let (home, other) = (try #require(try node.claim(.home)), try #require(try node.claim(.other)))
        var (writer, ofOther) = (Writer(.first), Writer(ofOther))
        try home.log.commit(writer.batch(1))
        try other.log.commit(ofOther.batch(1))
        let connection = try backends("heliograph/%/log/\(other.number)")
        let generation = try owner("other").generation
        // The commit waits here, behind the fence, until its backend is ended; so does its second try.
        let blocker = try PostgresConnection(to: scratch.postgresAddress(), as: "operator")
        _ = try blocker.run(
            [.once("BEGIN"), .once("SELECT FROM sessions WHERE workspace = \(home.number) FOR UPDATE")], within: .seconds(10))
        @Sendable func waiting(besides known: Int64) throws -> Int64 {
            while true {
                let rows = try sql(
                    """
                    SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()
                    AND application_name LIKE '%/log/\(home.number)' AND pid <> \(known)
                    """)
                if let row = rows.first { return row.integer(0) }
                try sql("SELECT pg_sleep(0.02)")
            }
        }
        let batch = writer.batch(2)
        let isDone = Flag()
        let committed = Mutex(ofOther)
        onThreads(2) { thread in
            attempt {
                if thread == 0 {
                    try home.log.commit(batch)
                    return isDone.raise()
                }
                func commitOther() throws { try other.log.commit(committed.withLock { $0.batch(1) }) }
                let first = try waiting(besides: 0)
                try commitOther()
                try sql("SELECT pg_terminate_backend(\(first), 5000)")
                try commitOther()
                _ = try waiting(besides: first)
                try commitOther()
                #expect(!isDone.isUp)
                _ = try blocker.run(.once("ROLLBACK"), within: .seconds(10))
            }
        }
        #expect(isDone.isUp)
        #expect(
            try home.log.all(.first) == expected(.first, 1...3) && other.log.all(ofOther.key) == expected(ofOther.key, 1...4))
        // The other workspace's connection was not affected, either.
        #expect(try backends("heliograph/%/log/\(other.number)") == connection && owner("other").generation == generation)
    }

    @Test func `a connection on which nothing was committed for a while ends, and the next commit makes another`() throws {
        let (node, _) = try nodes()
        let home = try #require(try node.claim(.home))
        var writer = Writer(.first)
        #expect(try backends("heliograph/%/log/%").isEmpty)
        for _ in 0..<2 {
            try home.log.commit(writer.batch(1))
            _ = try node.look()
            #expect(try backends("heliograph/%/log/%").count == 1)
            home.log.disconnect(idleFor: .zero)
            while try !backends("heliograph/%/log/%").isEmpty { try sql("SELECT pg_sleep(0.02)") }
        }
        #expect(try home.log.all(.first) == expected(.first, 1...2))
    }

    @Test func `a removed workspace is there until nothing is left of it`() throws {
        let (first, second) = try nodes()
        let other = try #require(try first.claim(.other))
        var writer = Writer(ofOther)
        try other.log.commit(writer.batch(9))
        let channel = PushRecord(workspace: .other, kind: .channel, name: "c", bytes: Array("{}".utf8))
        try other.log.commit(LogBatch(records: [channel]))
        let changes = try first.look().changes
        _ = try first.credentials.removeWorkspace(.other, at: 5)
        #expect(try second.look().changes > changes && second.row(.other)?.holder == first.holder)
        try other.handOver()
        let next = try #require(try second.claim(.other))
        #expect(try load(next).sessions.isEmpty && load(next).records == [channel])
        while try !second.credentials.removeData(of: .other, rowsMax: 4) { #expect(try second.row(.other) != nil) }
        // Its service has to be informed that the channel is no longer needed.
        #expect(try first.row(.other)?.holder == second.holder)
        try next.log.commit(LogBatch(records: [PushRecord(workspace: .other, kind: .channel, name: "c", bytes: nil)]))
        #expect(try first.row(.other) == nil && first.row(.home) != nil)
        try next.handOver()
        // A workspace that was always empty is removed at once.
        try first.credentials.addWorkspace(Named(id: id("third"), name: "third"))
        _ = try first.credentials.removeWorkspace(id("third"), at: 5)
        #expect(try first.look().view.rows.map(\.scope) == ["home"])
    }

    @Test func `a check is of the rows of one workspace, and so is the damage that it finds`() throws {
        let (node, _) = try nodes()
        let (home, other) = (try #require(try node.claim(.home)), try #require(try node.claim(.other)))
        var (writer, ofOther) = (Writer(.first), Writer(ofOther))
        try home.log.commit(writer.batch(9))
        try other.log.commit(ofOther.batch(9))
        try sql("UPDATE events SET bytes = '\\x00' WHERE seq = 3 AND workspace = \(home.number)")
        try sql("DELETE FROM events WHERE seq = 5 AND workspace = \(other.number)")
        #expect(try home.upkeep.checkEverything()?.map(\.what) == ["event 3 \(DamagedRecord.changed)"])
        #expect(home.upkeep.damagedRecords.map(\.workspace) == ["home"] && other.upkeep.damagedRecords.isEmpty)
        #expect(try other.upkeep.checkEverything()?.map(\.what) == ["event 5 is missing"])
        #expect(other.upkeep.damagedRecords.map(\.workspace) == ["other"])
    }

    @Test func `an examination tells how many workspaces each node owns, and how many nobody does`() throws {
        let (first, second) = try nodes()
        let home = try #require(try first.claim(.home))
        func state() throws -> DatabaseState { try DatabaseState.read(at: scratch.postgresAddress()) { 0 } }
        func counts() throws -> [String] { try state().nodes.map { "\($0.name) \($0.workspaceCount) \($0.isOwner)" } }
        #expect(try counts() == ["n1 1 true", "n2 0 false"] && state().holder == nil && state().freeWorkspaceCount == 1)
        let other = try #require(try second.claim(.other))
        #expect(try counts() == ["n1 1 true", "n2 1 true"] && state().freeWorkspaceCount == 0)
        try home.handOver()
        try other.handOver()
        let store = try scratch.openPostgres()
        #expect(try counts() == ["n1 0 false", "n2 0 false"] && state().holder != nil && state().freeWorkspaceCount == 0)
        try store.close()
        #expect(try state().holder == nil && state().freeWorkspaceCount == 2)
    }

    // MARK: - A database that ended meanwhile

    @Test func `after the database itself has started everybody has the time of a lease to come back`() throws {
        let server = try PostgresServer()
        defer { server.end() }
        let address = server.address(of: "postgres")
        func ask(_ text: String) throws -> PostgresRows {
            try PostgresConnection(to: address, as: "operator").run(.once(text), within: .seconds(30))
        }
        let (first, second) = (try PostgresNode(address), try PostgresNode(address))
        try first.credentials.addWorkspace(Named(id: .home, name: "Home"))
        let home = try #require(try first.claim(.home))
        // Its connections have ended, and its lease expired before the others could look.
        _ = try ask("DELETE FROM nodes")
        _ = try ask(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name LIKE 'heliograph/\(first.holder)/%'"
        )
        while try second.row(.home)?.isFree == false {
            // The database's word on it, asked after the look: it may have become true in between, and not before.
            guard try ask("SELECT pg_postmaster_start_time() < now() - interval '10 seconds'")[0].bool(0) == false else {
                Issue.record("it is not free after the time of a lease")
                break
            }
            #expect(try second.claim(.home, generation: 0) == nil)
            _ = try ask("SELECT pg_sleep(0.2)")
        }
        #expect(try ask("SELECT pg_postmaster_start_time() < now() - interval '8 seconds'")[0].bool(0))
        #expect(try second.claim(.home)?.log.epoch == home.log.epoch)
        for node in [first, second] { try node.close() }
    }

    @Test func `a database that crashed and came up again has its owners, and they go on`() throws {
        let server = try PostgresServer(settings: ["restart_after_crash=on"])
        defer { server.end() }
        let address = server.address(of: "postgres")
        let (first, second) = (try PostgresNode(address), try PostgresNode(address))
        for node in [first, second] { try node.renew(isLeaving: false) }
        for workspace in [WorkspaceID.home, .other] {
            try first.credentials.addWorkspace(Named(id: workspace, name: workspace.rawValue))
        }
        let (home, other) = (try #require(try first.claim(.home)), try #require(try second.claim(.other)))
        var (writer, ofOther) = (Writer(.first), Writer(ofOther))
        try home.log.commit(writer.batch(1))
        try other.log.commit(ofOther.batch(1))
        let backend = try PostgresConnection(to: address, as: "operator")
        let pid = try backend.run(.once("SELECT pg_backend_pid()"), within: .seconds(10))[0].integer(0)
        let witness = try PostgresConnection(to: address, as: "operator")
        #expect(Glibc.kill(pid_t(pid), SIGKILL) == 0)
        // All other server processes end with it.
        #expect(throws: PostgresError.self) { try witness.run(.once("SELECT pg_sleep(60)"), within: .seconds(60)) }
        while (try? PostgresConnection(to: address, as: "operator").run(.once("SELECT 1"), within: .seconds(10))) == nil {
            usleep(50_000)
        }
        for node in [first, second] { #expect(throws: LogError.self) { try node.look() } }
        #expect(try second.row(.home)?.holder == first.holder && second.claim(.home) == nil)
        try home.log.commit(writer.batch(2))
        try other.log.commit(ofOther.batch(2))
        for node in [first, second] { try node.renew(isLeaving: false) }
        #expect(
            try home.log.all(.first) == expected(.first, 1...3) && other.log.all(ofOther.key) == expected(ofOther.key, 1...3))
        for node in [first, second] { try node.close() }
    }
}

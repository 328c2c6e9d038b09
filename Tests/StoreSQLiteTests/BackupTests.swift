import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// Copies of the data file, and what becomes of the file that they replace.
@Suite(.scratch) struct BackupTests {
    private let scratch = Scratch.current
    private let key = SessionKey(workspace: id("default"), session: id("s1"))

    private var backup: String { scratch.path + "/backup.sqlite" }
    private func directory() throws -> DataDirectory { try DataDirectory(path: scratch.path) }
    private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter {
            !["relay.lock", "relay.reserve", "relay.revocations"].contains($0) && !$0.hasPrefix("relay.run")
        }
        .sorted()
    }

    /// Events of the one session, as a relay that starts on this directory has them.
    private func events(in scratch: Scratch) throws -> [[UInt8]] {
        let store = try scratch.open()
        defer { _ = try? store.close() }
        return try store.log.all(key)
    }

    // MARK: - Backup

    @Test func `a backup taken while the relay commits is a whole prefix of its log`() throws {
        let relay = try scratch.open()
        _ = try relay.credentials.bootstrap(workspaceName: "Home")
        let isOver = Flag()
        let scratch = scratch
        let (key, backup) = (key, backup)
        onThreads(2) { thread in
            attempt {
                guard thread == 0 else {
                    defer { isOver.raise() }
                    let commandLine = try scratch.openAsCommandLine()
                    for number in 0..<5 { _ = try commandLine.upkeep.backUp(to: "\(backup)\(number)", replacing: false) }
                    return try commandLine.close()
                }
                var writer = Writer(key)
                repeat {
                    try relay.log.commit(writer.batch(3, approvals: [writer.approval("a\(writer.seq)", seq: writer.seq + 1)]))
                } while !isOver.isUp
            }
        }
        let newest = try relay.log.all(key).count
        var counts: [Int] = []
        for number in 0..<5 {
            let other = Scratch(path: scratch.path + "/other\(number)")
            #expect(try DataDirectory(path: other.path).restore("\(backup)\(number)", replacing: false).kept == nil)
            let store = try other.open()
            let events = try store.log.all(key)
            #expect(events.count % 3 == 0 && events.count <= newest)
            #expect(events.isEmpty || events == expected(key, 1...Int64(events.count)))
            #expect(try store.log.load(resolvedSince: 0).approvals.count == events.count / 3)
            #expect(try store.audit.verify(against: nil, heads: []).faults.isEmpty)
            #expect(store.log.epoch != relay.log.epoch)
            counts.append(events.count)
        }
        #expect(counts == counts.sorted() && counts.last! > 0)
    }

    @Test func `a backup never takes the place of a relay's own files, of what is no file, or of what is no backup`() throws {
        try scratch.fill(3)
        let store = try scratch.open()
        let other = Scratch(path: scratch.path + "/other")
        try other.fill(1)
        let (link, settings) = (scratch.path + "/link", scratch.path + "/push.json")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.databasePath)
        try Data("{}".utf8).write(to: URL(fileURLWithPath: settings))
        let own = ["", "-wal", "-shm", "-journal"].map { scratch.databasePath + $0 } + [scratch.path + "/relay.lock"]
        let others = [other.databasePath, other.databasePath + "-wal", link, settings, scratch.path + "/other"]
        for file in own + others {
            let error = #expect(throws: LogError.self) { _ = try store.upkeep.backUp(to: file, replacing: true) }
            #expect(error?.code == .conflict)
        }
        #expect(try bytes(settings) == Data("{}".utf8))
        #expect(try store.upkeep.backUp(to: backup, replacing: false) > 0)
        #expect(try store.upkeep.backUp(to: backup, replacing: true) > 0)
        try store.close()
        #expect(try events(in: scratch).count == 3)
        #expect(try events(in: other).count == 1)
    }

    @Test func `a backup is one file for its owner alone, without an epoch`() throws {
        try scratch.fill(20)
        let size = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: false)
        #expect(try bytes(backup).count == size)
        #expect(try files() == ["backup.sqlite", "heliograph.sqlite"])
        #expect(try FileManager.default.attributesOfItem(atPath: backup)[.posixPermissions] as? Int == 0o600)
        #expect(try Tool.run("sqlite3", backup, "SELECT group_concat(name) FROM meta") == "audit_follows_approval,created")
        #expect(try Tool.run("sqlite3", backup, "PRAGMA journal_mode") == "delete")
    }

    @Test func `a backup replaces a file only when told to`() throws {
        try scratch.fill(5)
        let store = try scratch.openAsCommandLine()
        let elsewhere = scratch.path + "/elsewhere"
        try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: false)
        let backup = elsewhere + "/backup.sqlite"
        try Data("precious".utf8).write(to: URL(fileURLWithPath: backup))
        let error = #expect(throws: LogError.self) { try store.upkeep.backUp(to: backup, replacing: false) }
        #expect(error?.code == .conflict)
        #expect(try bytes(backup) == Data("precious".utf8))
        _ = try store.upkeep.backUp(to: backup, replacing: true)
        #expect(try bytes(backup).count > 4_096)
    }

    @Test func `a backup that fails leaves nothing behind`() throws {
        try scratch.fill(5)
        let store = try scratch.openAsCommandLine()
        let error = #expect(throws: LogError.self) {
            try store.upkeep.backUp(to: scratch.path + "/no/backup", replacing: false)
        }
        #expect(error?.cause == .cannotOpen)
        #expect(error?.message.contains(scratch.path + "/no/backup") == true)
        #expect(try files().filter { $0.hasSuffix(".new") }.isEmpty)
    }

    @Test(.enabled(if: Tool.canMount, "only root can mount a small disk"))
    func `a backup that finds no room leaves nothing behind`() throws {
        try scratch.fill(300)
        let store = try scratch.openAsCommandLine()
        try scratch.onDisk(kilobytes: 128) { disk in
            let error = #expect(throws: LogError.self) { try store.upkeep.backUp(to: disk.path + "/backup", replacing: false) }
            #expect(error?.code == .full, "\(String(describing: error))")
            let left = try FileManager.default.contentsOfDirectory(atPath: disk.path)
            #expect(left.isEmpty)
        }
    }

    @Test func `there is nothing to back up where no relay was`() throws {
        let error = #expect(throws: SQLiteStoreError.self) { try DataDirectory(existing: scratch.path + "/typo") }
        #expect(error?.code == .absent)
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/typo"))
    }

    // MARK: - Restore

    @Test func `a restored file begins another epoch, each time`() throws {
        try scratch.fill(5)
        _ = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: false)
        var epochs = [try scratch.open().log.epoch]
        for _ in 0..<2 {
            _ = try directory().restore(backup, replacing: true)
            epochs.append(try scratch.open().log.epoch)
            #expect(try scratch.open().log.epoch == epochs.last)
        }
        #expect(Set(epochs).count == 3)
        #expect(try events(in: scratch).count == 5)
    }

    @Test func `the data file of a relay that has ended well can be restored like a backup`() throws {
        try scratch.fill(5)
        try scratch.open().close()
        // Readers leave an empty one behind.
        try Data().write(to: URL(fileURLWithPath: scratch.databasePath + "-wal"))
        let other = Scratch(path: scratch.path + "/other")
        #expect(try DataDirectory(path: other.path).restore(scratch.databasePath, replacing: false).kept == nil)
        #expect(try events(in: other).count == 5)
    }

    @Test func `a data file is replaced only when told to, and kept`() throws {
        try scratch.fill(5)
        _ = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: false)
        let before = try bytes(scratch.databasePath)
        let error = #expect(throws: SQLiteStoreError.self) { try directory().restore(backup, replacing: false) }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("--force") == true)
        #expect(try bytes(scratch.databasePath) == before)
        #expect(try files() == ["backup.sqlite", "heliograph.sqlite"])

        let kept = try #require(try directory().restore(backup, replacing: true).kept)
        #expect(kept.hasPrefix(scratch.databasePath + ".20"))
        #expect(try bytes(kept) == before)
        #expect(try files().count == 3)
        #expect(try events(in: scratch).count == 5)
    }

    @Test func `nothing is restored beneath a relay that runs`() throws {
        try scratch.fill(5)
        let relay = try scratch.open()
        _ = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: false)
        for attempt in [{ try directory().restore(backup, replacing: true).kept }, { try directory().setAside() }] {
            let error = #expect(throws: SQLiteStoreError.self) { try attempt() }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("process \(getpid())") == true)
        }
        try relay.close()
    }

    @Test func `what is no sound backup is refused, and nothing is touched`() throws {
        try scratch.fill(300)
        _ = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: false)
        let good = try bytes(backup)
        let before = try bytes(scratch.databasePath)
        func write(_ data: Data) throws { try data.write(to: URL(fileURLWithPath: backup)) }
        func code() throws -> SQLiteStoreError.Code? {
            let error = #expect(throws: SQLiteStoreError.self) { try directory().restore(backup, replacing: true) }
            #expect(error?.message.contains("heliograph.sqlite.") == false, "people know the backup, not our draft of it")
            return error?.code
        }
        let pages = good.count / 4_096
        for page in stride(from: 1, to: pages, by: pages / 6) {
            var damaged = good
            damaged.replaceSubrange(page * 4_096..<page * 4_096 + 8, with: Data(repeating: 0xff, count: 8))
            try write(damaged)
            #expect(try code() == .corrupt, "page \(page)")
        }
        try write(good.prefix(good.count / 2))
        #expect(try code() == .corrupt)
        try write(Data("These are somebody's notes.\n".utf8))
        #expect(try code() == .corrupt)
        try write(Data())
        #expect(try code() == .corrupt)
        try FileManager.default.removeItem(atPath: backup)
        #expect(try code() == .cannotOpen)
        try Tool.run("sqlite3", backup, "CREATE TABLE notes (text)")
        #expect(try code() == .corrupt)
        try write(good)
        try Tool.run("sqlite3", backup, "INSERT INTO grdb_migrations VALUES ('v99')")
        #expect(try code() == .newerSchema)
        try write(good)
        try Data("frames".utf8).write(to: URL(fileURLWithPath: backup + "-wal"))
        #expect(try code() == .conflict)

        #expect(try bytes(scratch.databasePath) == before)
        #expect(try files() == ["backup.sqlite", "backup.sqlite-wal", "heliograph.sqlite"])
    }

    @Test func `a text goes into a backup and comes out of it, and is in no data file`() throws {
        try scratch.fill(5)
        _ = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: false, with: ["key.pem": "a secret"])
        for _ in 1...2 {
            #expect(try directory().restore(backup, replacing: true).texts == ["key.pem": "a secret"])
            #expect(try !bytes(scratch.databasePath).contains(Data("a secret".utf8)))
        }
        _ = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: true)
        #expect(try directory().restore(backup, replacing: true).texts == [:])
    }

    // MARK: - Damage

    @Test func `a damaged file is refused, set aside whole, and replaced by a backup or by nothing`() throws {
        try scratch.fill(300)
        _ = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: false)
        for isEmpty in [false, true] {
            let file = try #require(FileHandle(forUpdatingAtPath: scratch.databasePath))
            try file.seek(toOffset: 4_096 * 9)
            try file.write(contentsOf: Data(repeating: 0xff, count: 4_096))
            try file.close()
            let damaged = try bytes(scratch.databasePath)
            let error = #expect(throws: SQLiteStoreError.self) { try scratch.open() }
            #expect(error?.code == .corrupt)
            for word in [scratch.databasePath, "restore FILE --force", "restore --anew"] {
                #expect(error?.message.contains(word) == true)
            }
            let kept = try #require(isEmpty ? directory().setAside() : directory().restore(backup, replacing: true).kept)
            #expect(try bytes(kept) == damaged)
            #expect(try events(in: scratch).count == (isEmpty ? 0 : 300))
        }
        #expect(try directory().setAside() != nil)
        #expect(try directory().setAside() == nil)
    }

    @Test func `a file is set aside with the log beside it, and never over another`() throws {
        let other = Scratch(path: scratch.path + "/other")
        _ = try DataDirectory(path: other.path)
        let store = try scratch.open()
        _ = try store.credentials.bootstrap(workspaceName: "Home")
        var writer = Writer(key)
        for _ in 0..<5 { try store.log.commit(writer.batch(1)) }
        // The state after a crash: nearly everything is still in the write-ahead log.
        var kept: Set<String> = []
        for _ in 0..<3 {
            for part in ["", "-wal", "-shm"] {
                try FileManager.default.copyItem(atPath: scratch.databasePath + part, toPath: other.databasePath + part)
            }
            kept.insert(try #require(try DataDirectory(path: other.path).setAside()))
            #expect(!FileManager.default.fileExists(atPath: other.databasePath + "-wal"))
        }
        #expect(kept.count == 3)
        for path in kept { #expect(try Tool.run("sqlite3", path, "SELECT count(*) FROM events") == "5") }
    }
}

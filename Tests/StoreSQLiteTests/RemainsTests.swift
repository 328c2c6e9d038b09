import Foundation
import RelayCore
import RelayModel
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// Remains of a data file that is gone, empty or older than it was: named, refused, and left unchanged.
@Suite(.scratch) struct RemainsTests {
    private let scratch = Scratch.current
    private let key = SessionKey(workspace: id("default"), session: id("s1"))

    private var directory: DataDirectory { get throws { try DataDirectory(path: scratch.path) } }
    private var wal: String { scratch.databasePath + "-wal" }

    /// Leaves the state of a kill: nearly everything is still in the write-ahead log.
    private func fillAndCrash(_ count: Int) throws {
        try scratch.fill(1)
        let store = try scratch.open()
        var writer = Writer(key, seq: 1)
        for _ in 0..<count { try store.log.commit(writer.batch(1, bytes: 1_000)) }
        for part in ["", "-wal", "-shm"] {
            try FileManager.default.copyItem(atPath: scratch.databasePath + part, toPath: scratch.path + "/kept" + part)
        }
        try store.close()
        for part in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: scratch.databasePath + part)
            try FileManager.default.moveItem(atPath: scratch.path + "/kept" + part, toPath: scratch.databasePath + part)
        }
    }

    private func content() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0 != "relay.lock" }
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let path = scratch.path + "/" + name
                let isFile = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType == .typeRegular
                return (name, isFile ? try Data(contentsOf: URL(fileURLWithPath: path)) : Data())
            })
    }

    /// Refused to the relay, the command line and the doctor, and nothing was touched.
    private func expectRefusal(
        _ code: SQLiteStoreError.Code, _ words: String..., sourceLocation: SourceLocation = #_sourceLocation
    )
        throws
    {
        let before = try content()
        for open in [
            { _ = try scratch.open() }, { _ = try scratch.openAsCommandLine() },
            { _ = try DataFile.examine(DataDirectory(existing: scratch.path)) },
        ] {
            let error = #expect(throws: SQLiteStoreError.self, sourceLocation: sourceLocation) { try open() }
            #expect(error?.code == code, sourceLocation: sourceLocation)
            for word in words + ["--anew"] {
                #expect(error?.message.contains(word) == true, "\(error?.message ?? "")", sourceLocation: sourceLocation)
            }
        }
        #expect(try content() == before, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["emptied", "gone"], [["", "-wal", "-shm"], ["-wal"], ["-shm"], ["relay.run"]])
    func `what is left of a data file that is gone or empty is refused and kept`(state: String, left: [String]) throws {
        try fillAndCrash(300)
        for part in ["-wal", "-shm"] where !left.contains(part) {
            try FileManager.default.removeItem(atPath: scratch.databasePath + part)
        }
        if left != ["relay.run"] && left.count == 1 { try FileManager.default.removeItem(atPath: scratch.path + "/relay.run") }
        try FileManager.default.removeItem(atPath: scratch.databasePath)
        if state == "emptied" { try Data().write(to: URL(fileURLWithPath: scratch.databasePath)) }
        let log = left.contains("-wal") ? try Data(contentsOf: URL(fileURLWithPath: wal)) : nil
        try expectRefusal(.lost, scratch.databasePath, state == "gone" ? "is gone" : "is empty")

        let kept = try directory.setAside()
        if let log {
            let name = try #require(kept?.replacingOccurrences(of: "-wal", with: ""))
            #expect(try Data(contentsOf: URL(fileURLWithPath: name + "-wal")) == log)
        }
        let store = try scratch.open()
        #expect(try store.credentials.workspaces().isEmpty)
        try store.close()
    }

    @Test func `what a move had brought when it was cut short is refused and kept, until a person begins afresh`() throws {
        let draft = scratch.databasePath + ".moving"
        _ = try directory
        try Data("half of it".utf8).write(to: URL(fileURLWithPath: draft))
        try expectRefusal(.lost, "heliograph migrate", draft)
        let kept = try #require(try directory.setAside())
        #expect(try Data(contentsOf: URL(fileURLWithPath: kept)) == Data("half of it".utf8))
        try scratch.open().close()
        // Beside a data file it is what a move before this one left.
        try Data("half of it".utf8).write(to: URL(fileURLWithPath: draft))
        try scratch.open().close()
    }

    @Test func `a backup takes the place of what is left, and no log of another file stays beside it`() throws {
        let backup = scratch.path + "/backup.sqlite"
        try fillAndCrash(5)
        _ = try scratch.openAsCommandLine().upkeep.backUp(to: backup, replacing: false)
        let store = try scratch.open()
        var writer = Writer(key, seq: 6)
        for _ in 0..<30 { try store.log.commit(writer.batch(1)) }
        try FileManager.default.copyItem(atPath: wal, toPath: scratch.path + "/wal")
        try store.close()
        try FileManager.default.moveItem(atPath: scratch.path + "/wal", toPath: wal)
        try FileManager.default.removeItem(atPath: scratch.databasePath)
        let error = #expect(throws: SQLiteStoreError.self) { try directory.restore(backup, replacing: false) }
        #expect(error?.code == .conflict)
        let kept = try #require(try directory.restore(backup, replacing: true).kept)
        #expect(kept.hasSuffix("-wal"))
        let restored = try scratch.open()
        #expect(try restored.log.all(key).count == 6)
        try restored.close()
    }

    @Test func `a data file with fewer events than the last relay had is refused, and taken as it is when told to`() throws {
        try scratch.fill(3)
        let store = try scratch.open()
        let copy = scratch.path + "/copy"
        try Tool.run("sqlite3", scratch.databasePath, "VACUUM INTO '\(copy)'")
        var writer = Writer(key, seq: 3)
        for _ in 0..<2 { try store.log.commit(writer.batch(1)) }
        try store.close()
        try Data(contentsOf: URL(fileURLWithPath: copy)).write(to: URL(fileURLWithPath: scratch.databasePath))
        let error = #expect(throws: SQLiteStoreError.self) { try scratch.open() }
        #expect(error?.code == .lost)
        for word in [scratch.databasePath, "has 3 events", "had 5", "--as-is", "--anew", "--force"] {
            #expect(error?.message.contains(word) == true)
        }
        #expect(throws: SQLiteStoreError.self) { try DataFile.examine(directory) }
        try directory.acceptDataFile()
        let accepted = try scratch.open()
        #expect(accepted.log.epoch != store.log.epoch)
        #expect(try accepted.log.all(key).count == 3)
        try accepted.close()
        let again = try scratch.open()
        #expect(again.log.epoch == accepted.log.epoch)
        try again.close()
    }

    @Test(arguments: ["", "-wal", "-shm"], ["a directory", "a symbolic link"])
    func `what is no file is refused by its name`(part: String, kind: String) throws {
        try scratch.fill(3)
        let path = scratch.databasePath + part
        if part.isEmpty { try FileManager.default.moveItem(atPath: path, toPath: scratch.path + "/elsewhere") }
        if kind == "a directory" {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        } else {
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scratch.path + "/elsewhere")
        }
        try expectRefusal(.cannotOpen, path, kind)
        #expect(try directory.setAside() != nil)
        try scratch.open().close()
    }

    @Test(arguments: [
        ("DROP TABLE grdb_migrations", SQLiteStoreError.Code.corrupt), ("DELETE FROM grdb_migrations", .corrupt),
        ("PRAGMA user_version = 7", .newerSchema),
    ])
    func `a file whose version nobody knows is refused, and not touched`(sql: String, code: SQLiteStoreError.Code) throws {
        try scratch.fill(3)
        try scratch.sql(sql)
        let before = try Data(contentsOf: URL(fileURLWithPath: scratch.databasePath))
        for open in [{ _ = try scratch.open() }, { _ = try scratch.openAsCommandLine() }] {
            let error = #expect(throws: SQLiteStoreError.self) { try open() }
            #expect(error?.code == code)
            #expect(error?.description.contains(scratch.databasePath) == true)
            #expect(error?.description.contains("CREATE") == false)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.databasePath)) == before)
    }

    @Test(.enabled(if: Tool.canMount, "only root can mount a small disk"))
    func `an older file that finds no room to be brought up to date is refused in words, and is whole`() throws {
        try scratch.onDisk(kilobytes: 20_000) { disk in
            try disk.fill(200)
            try disk.sql(OlderFile.version3)
            let used = try Tool.run("df", "--output=used", disk.path).split(separator: "\n").last.flatMap {
                Int($0.filter(\.isNumber))
            }
            try Tool.run("mount", "-o", "remount,size=\(try #require(used) + 36)k", disk.path)
            let error = #expect(throws: SQLiteStoreError.self) { try disk.open() }
            #expect(error?.code == .full)
            for word in [disk.databasePath, "full", "df -i"] { #expect(error?.description.contains(word) == true) }
            for word in ["ALTER", "SQL", "CREATE"] {
                #expect(error?.description.contains(word) == false, "\(error?.description ?? "")")
            }
            try Tool.run("mount", "-o", "remount,size=30m", disk.path)
            let store = try disk.open()
            #expect(try store.log.all(key).count == 200)
            try store.close()
        }
    }
}

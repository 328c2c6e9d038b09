import Foundation
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

@Suite(.scratch) struct DataDirectoryTests {
    private let scratch = Scratch.current

    @Test func `a directory is made where there is none, for its owner alone`() throws {
        let path = scratch.path + "/one/two"
        let directory = try DataDirectory(path: path + "/")
        #expect(directory.path == path)
        #expect(directory.databasePath == path + "/heliograph.sqlite")
        for made in [path, scratch.path + "/one"] {
            let mode = try FileManager.default.attributesOfItem(atPath: made)[.posixPermissions] as? Int
            #expect(mode == 0o700)
        }
        _ = try DataDirectory(path: path)
    }

    @Test(arguments: [0o710, 0o750, 0o701, 0o777])
    func `a directory that others can look into is refused with what to do`(mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scratch.path)
        let error = #expect(throws: SQLiteStoreError.self) { try DataDirectory(path: scratch.path) }
        #expect(error?.code == .cannotOpen)
        #expect(error?.message.contains("chmod 700 \(scratch.path)") == true)
        #expect(try FileManager.default.attributesOfItem(atPath: scratch.path)[.posixPermissions] as? Int == mode)
    }

    @Test func `a file is no directory`() throws {
        let path = scratch.path + "/file"
        try Data().write(to: URL(fileURLWithPath: path))
        for path in [path, path + "/below"] {
            let error = #expect(throws: SQLiteStoreError.self) { try DataDirectory(path: path) }
            #expect(error?.code == .cannotOpen)
        }
    }

    @Test func `a second relay on a directory is refused, and let in when the first has gone`() throws {
        let directory = try DataDirectory(path: scratch.path)
        do {
            let store = try SQLiteStore(directory, for: .relay(directory.lock()))
            let error = #expect(throws: SQLiteStoreError.self) { try directory.lock() }
            #expect(error?.code == .busy)
            #expect(error?.message.hasSuffix(": process \(getpid()).") == true)
            _ = try SQLiteStore(directory, for: .commandLine)
            #expect(try store.credentials.workspaces().isEmpty)
        }
        _ = try directory.lock()
    }

    @Test func `a second name of a data file on which a relay runs is refused, and the relay's own folder is not`() throws {
        let (own, other) = (scratch.path + "/own", scratch.path + "/other")
        let directory = try DataDirectory(path: own)
        let second = try DataDirectory(path: other)
        do {
            let store = try SQLiteStore(directory, for: .relay(directory.lock()))
            try FileManager.default.linkItem(atPath: directory.databasePath, toPath: second.databasePath)
            let error = #expect(throws: SQLiteStoreError.self) { try SQLiteStore(second, for: .commandLine) }
            #expect(error?.code == .busy)
            #expect(!FileManager.default.fileExists(atPath: second.databasePath + "-wal"))
            _ = try SQLiteStore(directory, for: .commandLine)
            #expect(try store.credentials.workspaces().isEmpty)
        }
        _ = try SQLiteStore(second, for: .commandLine)
    }

    @Test func `a second relay is refused also where the lock's file was removed, and a relay that runs is seen`() throws {
        let directory = try DataDirectory(path: scratch.path)
        #expect(!DataDirectory.isInUse(at: scratch.path))
        let store = try SQLiteStore(directory, for: .relay(directory.lock()))
        #expect(DataDirectory.isInUse(at: scratch.path))
        try FileManager.default.removeItem(atPath: scratch.path + "/relay.lock")
        #expect(DataDirectory.isInUse(at: scratch.path))
        let error = #expect(throws: SQLiteStoreError.self) { try directory.lock() }
        #expect(error?.code == .busy)
        #expect(error?.message == "A relay is running on \(scratch.path).")
        try store.close()
        #expect(!DataDirectory.isInUse(at: scratch.path))
        _ = try directory.lock()
    }
}

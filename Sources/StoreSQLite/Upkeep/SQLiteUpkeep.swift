internal import Foundation
internal import GRDB
internal import Glibc
internal import HeliographPlatform
package import RelayCore
internal import RelayStore
internal import Synchronization

/// Keeps a data file in order.
package final class SQLiteUpkeep: StoreUpkeep {
    private let database: SQLiteDatabase
    /// Nil for the command line.
    private let reserve: Reserve?
    private let damage: DamageRegister
    /// Where a check of everything is under way, its own connection.
    private let checking = Mutex<DatabaseQueue?>(nil)

    /// Whether the opening has checked every page. Where not, `checkEverything` does; every event is left to it.
    package let isChecked: Bool

    init(_ database: SQLiteDatabase, reserve: Reserve?, damage: DamageRegister, isChecked: Bool) {
        self.database = database
        self.reserve = reserve
        self.damage = damage
        self.isChecked = isChecked
    }

    package var byteCount: Int64 {
        ["", "-wal"].reduce(0) { $0 + ((try? Files.byteCount(database.path + $1)) ?? 0) }
    }

    package var isShortOfRoom: Bool { reserve?.isUsed ?? false }

    package func keepRoom() -> Bool { reserve?.keep() ?? true }

    package func wouldTake(bytes: Int) -> Bool {
        guard let free = Disk.freeBytes(at: Files.directory(of: database.path)), free >= UInt64(bytes) else { return false }
        return (try? database.write { try $0.execute(sql: "UPDATE meta SET value = value WHERE name = 'created'") }) != nil
    }

    package var takesWrites: Bool { database.takesWrites }

    package var damagedRecords: [DamagedRecord] { damage.records }

    /// Before it reads every event, it checks every page where the file was too large for that before the start.
    package func checkEverything() throws(LogError) -> [DamagedRecord]? {
        do {
            let queue = try Connections.openToLook(database.path)
            checking.withLock { $0 = queue }
            defer { checking.withLock { $0 = nil } }
            let damaged = try queue.read { db in
                if !isChecked { try DataFile.checkIntegrity(of: nil, path: database.path, in: db) }
                return try DataFile.damagedEvents(in: db)
            }
            damage.checked(damaged)
            return damaged.map(\.record)
        } catch {
            if (error as? DatabaseError)?.resultCode == .SQLITE_INTERRUPT { return nil }
            let failure = LogError(error, path: database.path)
            if failure.code == .damaged(.store) { database.stopWriting(failure) }
            throw failure
        }
    }

    /// Nobody waits for it now.
    func stopChecking() { checking.withLock { $0 }?.interrupt() }

    /// The copy is checked before it gets its name, and is its owner's alone. It has no epoch: it lacks what clients have seen since.
    package func backUp(to file: String, replacing: Bool, with texts: [String: String]) throws(LogError) -> Int64 {
        let draft = "\(file).\(getpid()).new"
        do throws(SQLiteStoreError) {
            try BackupTarget(file).check(replacing: replacing, besideDataFile: database.path)
            try Files.create(draft)
        } catch { throw LogError(error) }
        do {
            try database.useWriter { try $0.execute(sql: "VACUUM INTO ?", arguments: [draft]) }
            try DataFile.prepareForAnotherLife(draft, called: file)
            try BackupTexts.put(texts, into: draft)
            let bytes = try Files.byteCount(draft)
            try Files.place(draft, at: file, replacing: replacing)
            return bytes
        } catch {
            _ = unsafe unlink(draft)
            throw LogError(error, path: database.path)
        }
    }
}

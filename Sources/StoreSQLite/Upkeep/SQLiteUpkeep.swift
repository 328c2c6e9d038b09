internal import Foundation
internal import GRDB
internal import Glibc
internal import HeliographPlatform
package import RelayCore
internal import RelayStore
internal import Synchronization

/// Maintenance of a data file.
package final class SQLiteUpkeep: StoreUpkeep {
    private let database: SQLiteDatabase
    private let credentials: SQLiteCredentials
    private let waiting: WaitingRevocations
    /// Disk space reserved for decisions; nil for the command line.
    private let reserve: Reserve?
    private let damage: DamageRegister
    /// The connection of a check of everything in progress.
    private let checking = Mutex<DatabaseQueue?>(nil)
    /// The closed connection of the last check. It is kept because once libdispatch has released a queue with values attached, as
    /// GRDB's have, it wakes the process once a second for ever (`findings/libdispatch-wakes-for-ever-after-a-queue.sh`).
    private let checked = Mutex<DatabaseQueue?>(nil)

    /// True if every page was checked when the file was opened. If not, `checkEverything` does so; events are always left to it.
    package let isChecked: Bool

    init(
        _ database: SQLiteDatabase, _ credentials: SQLiteCredentials, _ waiting: WaitingRevocations, reserve: Reserve?,
        damage: DamageRegister, isChecked: Bool
    ) {
        self.database = database
        self.credentials = credentials
        self.waiting = waiting
        self.reserve = reserve
        self.damage = damage
        self.isChecked = isChecked
    }

    package var byteCount: Int64 {
        ["", "-wal"].reduce(0) { $0 + ((try? Files.byteCount(database.path + $1)) ?? 0) }
    }

    package var isShortOfRoom: Bool { reserve?.isUsed ?? false }

    /// Reserves space for decisions and for waiting revocations. False if there is none.
    package func keepRoom() -> Bool {
        guard let reserve else { return true }
        if waiting.make() { _ = try? credentials.takeWaiting() }
        return reserve.keep()
    }

    package var waitingRevocations: Int { get throws(LogError) { try credentials.waitingCount } }

    package func wouldTake(bytes: Int) -> Bool {
        guard let free = Disk.freeBytes(at: Files.directory(of: database.path)), free >= UInt64(bytes) else { return false }
        return (try? database.write { try $0.execute(sql: "UPDATE meta SET value = value WHERE name = 'created'") }) != nil
    }

    package var takesWrites: Bool { database.takesWrites }

    package var damagedRecords: [DamagedRecord] { damage.records }

    /// First checks every page, if the file was too large for that at the start, then reads every event.
    package func checkEverything() throws(LogError) -> [DamagedRecord]? {
        do {
            let queue = try Connections.openToLook(database.path)
            checking.withLock { $0 = queue }
            defer {
                checking.withLock { $0 = nil }
                try? queue.close()
                checked.withLock { $0 = queue }
            }
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

    func stopChecking() { checking.withLock { $0 }?.interrupt() }

    /// Checks the copy before it gets its name; only its owner can read it. It has no epoch, as it lacks what clients see later.
    /// Revocations that wait for space here are included.
    package func backUp(to file: String, replacing: Bool, with texts: [String: String]) throws(LogError) -> Int64 {
        let draft = Draft.path(for: file)
        do throws(SQLiteStoreError) {
            try BackupTarget(file).check(replacing: replacing, besideDataFile: database.path)
            try Files.create(draft, called: file)
        } catch { throw LogError(error) }
        do {
            let ended = try credentials.tokensEndedByWaiting()
            try database.useWriter { db in
                do { try db.execute(sql: "VACUUM INTO ?", arguments: [draft]) } catch let error as DatabaseError
                    where error.resultCode == .SQLITE_FULL
                {
                    // The full disk is the backup's, which may be another one.
                    throw SQLiteStoreError.full(path: file, underlying: error)
                }
            }
            try DataFile.prepareForAnotherLife(draft, called: file)
            try Revocations.put(ended, into: draft)
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

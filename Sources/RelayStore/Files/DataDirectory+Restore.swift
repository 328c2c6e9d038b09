internal import Foundation
internal import Glibc

extension DataDirectory {
    /// Puts a backup in the place of the data file. Hands back under which name the old one is kept, nil where there was none.
    ///
    /// The backup is copied and checked first, so what was checked is what is used. Throws `busy` while a relay runs here, and
    /// `conflict` where there is a data file and `replacing` is false; nothing is changed then.
    package func restore(_ file: String, replacing: Bool) throws(StoreError) -> String? {
        let lock = try lock()
        let opening = try lockForOpening()
        defer { withExtendedLifetime((lock, opening)) {} }
        guard replacing || !Files.exists(databasePath) else {
            throw StoreError(
                .conflict, "There is a data file already: \(databasePath). With --force it is kept under another name.")
        }
        _ = try Files.byteCount(file)
        guard try Files.exists(file + "-wal") ? Files.byteCount(file + "-wal") == 0 : true else {
            throw StoreError(
                .conflict,
                "\(file)-wal lies beside \(file): this is a data file in use, or a copy of half of one. Use `heliograph backup`."
            )
        }
        let draft = "\(databasePath).\(getpid()).new"
        do throws(StoreError) {
            try Files.copy(file, to: draft)
            try SQLiteStore.prepareForAnotherLife(draft, called: file)
            let kept = try Files.exists(databasePath) ? setAsideLocked() : nil
            try Files.place(draft, at: databasePath, replacing: false)
            return kept
        } catch {
            _ = unsafe unlink(draft)
            throw error
        }
    }

    /// Takes the data file, damaged or not, out of the way, so that the next start begins empty. Hands back its new name; nil
    /// where there was none. Throws `busy` while a relay runs here.
    package func setAside() throws(StoreError) -> String? {
        let lock = try lock()
        let opening = try lockForOpening()
        defer { withExtendedLifetime((lock, opening)) {} }
        return try Files.exists(databasePath) ? setAsideLocked() : nil
    }

    /// The data file and what SQLite has beside it get names with the time in them; none is overwritten.
    ///
    /// All of them have both names before any loses the old one, and the data file loses it first: after a crash in between,
    /// SQLite finds a log without its file and drops it instead of taking it for another file's.
    private func setAsideLocked() throws(StoreError) -> String {
        let time = Date().formatted(.iso8601.timeSeparator(.omitted))
        var kept = "\(databasePath).\(time)"
        var count = 1
        while Files.exists(kept) || Files.exists(kept + "-wal") || Files.exists(kept + "-shm") {
            count += 1
            kept = "\(databasePath).\(time)-\(count)"
        }
        let parts = ["", "-wal", "-shm"].filter { Files.exists(databasePath + $0) }
        for part in parts { try Files.link(databasePath + part, to: kept + part) }
        try Files.sync(path)
        for part in parts { try Files.remove(databasePath + part) }
        try Files.sync(path)
        return kept
    }
}

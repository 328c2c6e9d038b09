internal import Glibc
internal import HeliographPlatform

/// The directory with all of the relay's data. Only its owner has access.
package struct DataDirectory: Sendable {
    package let path: String

    package var databasePath: String { path + "/heliograph.sqlite" }
    /// Path of the `RunRecord`.
    var runPath: String { path + "/relay.run" }
    /// Path of the `Reserve`.
    var reservePath: String { path + "/relay.reserve" }
    /// Path of the `WaitingRevocations`.
    var revocationsPath: String { path + "/relay.revocations" }

    /// Creates the directory, and those above it, if there is none.
    package init(path: String) throws(SQLiteStoreError) {
        // Files that this process makes from now on are accessible to their owner only, including those that SQLite makes.
        umask(0o077)
        self.path = Self.bare(path)
        try Self.refuseForbidden(self.path)
        try Self.translating { () throws(FolderError) in try PrivateDirectory.make(self.path, isOwn: false) }
    }

    /// Opens a directory that has a data file; creates nothing.
    package init(existing path: String) throws(SQLiteStoreError) {
        umask(0o077)
        self.path = Self.bare(path)
        try Self.refuseForbidden(self.path)
        guard Files.exists(self.path) else {
            throw SQLiteStoreError(.absent, "There is no relay's data in \(self.path): it is not there.")
        }
        try Self.translating { () throws(FolderError) in try PrivateDirectory.check(self.path, isOwn: false) }
        guard !Files.exists(databasePath) else { return }
        try refuseRemains()
        throw SQLiteStoreError(.absent, "There is no relay's data in \(self.path): \(databasePath) is not there.")
    }

    /// Throws if this process has no access to the folder, which would otherwise look as if it did not exist.
    private static func refuseForbidden(_ path: String) throws(SQLiteStoreError) {
        guard let place = ForbiddenPlace(onTheWayTo: path) else { return }
        throw SQLiteStoreError(.cannotOpen, place.error.message, underlying: place.error)
    }

    private static func translating(_ body: () throws(FolderError) -> Void) throws(SQLiteStoreError) {
        do throws(FolderError) { try body() } catch {
            let code = Files.code(error.number)
            throw SQLiteStoreError(code, error.message + Files.mend(code), underlying: error)
        }
    }

    /// Locks this directory for the only relay on it, as long as the lock lives. The command line does not lock.
    package func lock() throws(SQLiteStoreError) -> DataDirectoryLock { try lock(withDataFile: true) }

    private func lock(withDataFile: Bool) throws(SQLiteStoreError) -> DataDirectoryLock {
        let lockPath = path + "/relay.lock"
        let descriptor = unsafe open(lockPath, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Files.failure(lockPath, "cannot be opened", errno) }
        Files.giveToOwner(of: path, descriptor)
        let lock = DataDirectoryLock(descriptor: descriptor)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw Files.failure(lockPath, "cannot be locked", errno) }
            let process = Self.owner(descriptor).map { ": process \($0)" } ?? ""
            throw SQLiteStoreError(.busy, "A relay is running on \(path)\(process).")
        }
        // A second lock, which `isInUse` can test without taking it.
        guard try FileLock.take(descriptor, lockPath) else { throw SQLiteStoreError(.busy, "A relay is running on \(path).") }
        if withDataFile { try lockDataFile(for: lock) }
        // The id of the process that holds the lock, for the sentence above; nothing depends on it.
        let owner = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = unsafe pwrite(descriptor, owner, owner.count, 0)
        return lock
    }

    /// Also locks the data file, as soon as it exists, so that no second relay can start after someone removes `relay.lock`.
    func lockDataFile(for lock: DataDirectoryLock) throws(SQLiteStoreError) {
        guard !lock.hasDataFile else { return }
        let descriptor = unsafe open(databasePath, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        // A file that is missing, of another kind, or not writable is created or refused when it is opened.
        guard descriptor >= 0 else { return }
        lock.keep(dataFile: descriptor)
        guard try FileLock.take(descriptor, databasePath) else {
            throw SQLiteStoreError(.busy, "A relay is running on \(path).")
        }
    }

    /// True if a relay runs here, even if some of its files were removed. Relays of an older version are not detected.
    package static func isInUse(at directory: String) -> Bool {
        for path in ["\(directory)/relay.lock", "\(directory)/heliograph.sqlite"] {
            let descriptor = unsafe open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
            // The descriptor stays open until this process ends: closing it would drop SQLite's locks on the same file.
            if descriptor >= 0, FileLock.isTaken(descriptor) { return true }
        }
        return false
    }

    /// For the command line. Throws if the data file has a second name in another folder in which a relay runs: a write from here,
    /// with a second write-ahead log, would corrupt it.
    func refuseSecondName() throws(SQLiteStoreError) {
        var facts = stat()
        guard unsafe lstat(databasePath, &facts) == 0, facts.st_nlink > 1 else { return }
        let lock = unsafe open(path + "/relay.lock", O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        if lock >= 0, FileLock.isTaken(lock) { return }
        guard Self.isInUse(at: path) else { return }
        throw SQLiteStoreError(
            .busy, "\(databasePath) is a second name of a data file on which a relay runs: name that relay's own folder.")
    }

    /// For the command line, before it migrates the data: a relay of the earlier version would find its tables gone.
    func lockForUpdate() throws(SQLiteStoreError) -> DataDirectoryLock {
        // The data file is open already, and closing its lock before it would drop SQLite's own locks.
        do throws(SQLiteStoreError) { return try lock(withDataFile: false) } catch {
            guard error.code == .busy else { throw error }
            throw SQLiteStoreError(
                .busy,
                error.message + " It is of an older version: restart it, so that it brings its data up to date, and try again.")
        }
    }

    /// Prevents two processes from opening the store at the same time, as their migrations would conflict.
    func lockForOpening() throws(SQLiteStoreError) -> DataDirectoryLock {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Files.failure(path, "cannot be opened", errno) }
        let lock = DataDirectoryLock(descriptor: descriptor)
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw Files.failure(path, "cannot be locked", errno) }
        }
        return lock
    }

    private static func bare(_ path: String) -> String {
        path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private static func owner(_ descriptor: Int32) -> Int? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = unsafe pread(descriptor, &text, text.count, 0)
        return Int(String(decoding: text.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}

internal import Glibc

/// A lock that belongs to the open file, not to the process: SQLite's own locks belong to the process, and neither affects the
/// other.
enum FileLock {
    /// Linux's `F_OFD_GETLK` and `F_OFD_SETLK`, which the C library hides behind a feature macro.
    private static let ask: Int32 = 36
    private static let set: Int32 = 37
    /// Offset of the locked byte: far after the bytes that SQLite locks, at 1 GiB.
    private static let place: off_t = 1 << 40

    /// False if another open file has the lock.
    static func take(_ descriptor: Int32, _ path: String) throws(SQLiteStoreError) -> Bool {
        var wanted = wanted
        if unsafe fcntl(descriptor, set, &wanted) == 0 { return true }
        let code = errno
        guard code == EAGAIN || code == EACCES else { throw Files.failure(path, "cannot be locked", code) }
        return false
    }

    /// True if another open file has the lock; takes nothing.
    static func isTaken(_ descriptor: Int32) -> Bool {
        var asked = wanted
        return unsafe fcntl(descriptor, ask, &asked) == 0 && asked.l_type != Int16(F_UNLCK)
    }

    private static var wanted: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: place, l_len: 1, l_pid: 0)
    }
}

internal import Glibc

/// A lock that belongs to the open file, not to the process: SQLite's own, which does, is neither in its way nor dropped by it.
enum FileLock {
    /// Linux's `F_OFD_GETLK` and `F_OFD_SETLK`, which the C library keeps behind a feature macro.
    private static let ask: Int32 = 36
    private static let set: Int32 = 37
    /// Far behind the bytes that SQLite locks, which lie at 1 GiB.
    private static let place: off_t = 1 << 40

    /// False where another has it.
    static func take(_ descriptor: Int32, _ path: String) throws(SQLiteStoreError) -> Bool {
        var wanted = wanted
        if unsafe fcntl(descriptor, set, &wanted) == 0 { return true }
        let code = errno
        guard code == EAGAIN || code == EACCES else { throw Files.failure(path, "cannot be locked", code) }
        return false
    }

    /// Takes nothing.
    static func isTaken(_ descriptor: Int32) -> Bool {
        var asked = wanted
        return unsafe fcntl(descriptor, ask, &asked) == 0 && asked.l_type != Int16(F_UNLCK)
    }

    private static var wanted: flock {
        flock(l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: place, l_len: 1, l_pid: 0)
    }
}

internal import Glibc

package enum Disk {
    /// Free inodes on the file system of `path`; nil if it has no limit, or it cannot be read.
    package static func freeFiles(at path: String) -> UInt64? {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0, facts.f_files > 0 else { return nil }
        return UInt64(facts.f_favail)
    }

    /// Bytes that this process may still write on the file system of `path`; nil if that does not exist, or cannot be read.
    package static func freeBytes(at path: String) -> UInt64? {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0 else { return nil }
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    }
}

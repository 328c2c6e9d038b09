internal import Glibc

package enum Disk {
    /// How many files may still be made where `path` is; nil where that has no bound, or it cannot be seen.
    package static func freeFiles(at path: String) -> UInt64? {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0, facts.f_files > 0 else { return nil }
        return UInt64(facts.f_favail)
    }

    /// What this process may still write where `path` is; nil where there is nothing, or it cannot be seen.
    package static func freeBytes(at path: String) -> UInt64? {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0 else { return nil }
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    }
}

internal import Glibc

package enum Disk {
    /// What this process may still write where `path` is; nil where there is nothing, or it cannot be seen.
    package static func freeBytes(at path: String) -> UInt64? {
        var facts = statvfs()
        guard unsafe statvfs(path, &facts) == 0 else { return nil }
        return UInt64(facts.f_bavail) * UInt64(facts.f_frsize)
    }
}

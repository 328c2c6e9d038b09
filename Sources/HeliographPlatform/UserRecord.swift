internal import Glibc

/// What the machine's user database says. It may load a name service: nobody who is in a hurry asks.
package enum UserRecord {
    /// The home of this process's user, for where HOME does not say it; `/` where it has none.
    package static var home: String {
        // Each record is read at once, before another call could reuse its storage.
        guard let record = unsafe getpwuid(getuid()), let path = unsafe record.pointee.pw_dir else { return "/" }
        return unsafe String(cString: path)
    }

    /// The number where it has no name.
    static func name(of user: uid_t) -> String {
        guard let record = unsafe getpwuid(user), let name = unsafe record.pointee.pw_name else { return "\(user)" }
        return unsafe String(cString: name)
    }
}

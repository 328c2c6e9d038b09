internal import Glibc

/// The machine's user database. Reading it may load a name service, which takes long: not for callers in a hurry.
package enum UserRecord {
    /// The home of this process's user, for use without HOME; `/` if the user has none.
    package static var home: String {
        // Each record is read at once, before another call could reuse its storage.
        guard let record = unsafe getpwuid(getuid()), let path = unsafe record.pointee.pw_dir else { return "/" }
        return unsafe String(cString: path)
    }

    /// The number if the user has no name.
    static func name(of user: uid_t) -> String {
        guard let record = unsafe getpwuid(user), let name = unsafe record.pointee.pw_name else { return "\(user)" }
        return unsafe String(cString: name)
    }
}

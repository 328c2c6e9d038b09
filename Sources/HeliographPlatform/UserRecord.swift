internal import Glibc

/// The machine's user database. Reading it may load a name service, which can be slow.
package enum UserRecord {
    /// Home directory of this process's user, for use without HOME; `/` if the user has none.
    package static var home: String {
        // Each record is read at once, as another call may reuse its memory.
        guard let record = unsafe getpwuid(getuid()), let path = unsafe record.pointee.pw_dir else { return "/" }
        return unsafe String(cString: path)
    }

    /// The user's name, or the number if there is none.
    static func name(of user: uid_t) -> String {
        guard let record = unsafe getpwuid(user), let name = unsafe record.pointee.pw_name else { return "\(user)" }
        return unsafe String(cString: name)
    }
}

internal import Glibc

/// Why a directory is no private one, as a sentence that says how to mend it.
package struct PrivateDirectoryError: Error {
    package let message: String
    /// The error of the system call, if one failed.
    package let number: Int32?
}

/// A directory that only its owner may look into, as everything must that holds tokens or what agents say.
package enum PrivateDirectory {
    /// Creates the folder and those above it if they are missing. An existing one is never changed, as it could be anybody's. `isOwn`
    /// also requires that it belongs to this process's user.
    package static func make(_ path: String, isOwn: Bool) throws(PrivateDirectoryError) {
        for end in path.indices.dropFirst() where path[end] == "/" { try makeOne(String(path[..<end])) }
        try makeOne(path)
        try check(path, isOwn: isOwn)
    }

    package static func check(_ path: String, isOwn: Bool) throws(PrivateDirectoryError) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { throw refusal(path, "cannot be looked at", errno) }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw PrivateDirectoryError(message: "\(path) is not a directory.", number: nil)
        }
        guard !isOwn || facts.st_uid == geteuid() else {
            throw PrivateDirectoryError(message: "\(path) belongs to another user.", number: nil)
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw PrivateDirectoryError(
                message:
                    "Others can look into \(path), which holds what they must not see. If it is heliograph's own, run: chmod 700 \(path)",
                number: nil)
        }
    }

    private static func makeOne(_ path: String) throws(PrivateDirectoryError) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        let code = errno
        // An existing directory of somebody else's may answer with EACCES or EROFS instead.
        guard unsafe access(path, F_OK) != 0 else { return }
        throw refusal(path, "cannot be made", code)
    }

    private static func refusal(_ path: String, _ what: String, _ code: Int32) -> PrivateDirectoryError {
        PrivateDirectoryError(message: "\(path) \(what): \(unsafe String(cString: strerror(code))).", number: code)
    }
}

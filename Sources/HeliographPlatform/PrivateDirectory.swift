internal import Glibc

/// A directory that only its owner can access, as required for tokens and for agents' output.
package enum PrivateDirectory {
    /// Creates the folder and those above it if they are missing. An existing one is never changed, as it may be anybody's. `isOwn`
    /// also requires that it belongs to this process's user.
    package static func make(_ path: String, isOwn: Bool) throws(FolderError) {
        for end in path.indices.dropFirst() where path[end] == "/" { try makeOne(String(path[..<end])) }
        try makeOne(path)
        try check(path, isOwn: isOwn)
    }

    package static func check(_ path: String, isOwn: Bool) throws(FolderError) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { throw refusal(path, "cannot be looked at", errno) }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw FolderError(message: "\(path) is not a directory.", number: nil)
        }
        guard !isOwn || facts.st_uid == geteuid() else {
            throw FolderError(message: "\(path) belongs to another user.", number: nil)
        }
        guard facts.st_mode & 0o077 == 0 else {
            throw FolderError(
                message:
                    "Others can look into \(path), which holds what they must not see. If it is heliograph's own, run: chmod 700 \(path)",
                number: nil)
        }
    }

    private static func makeOne(_ path: String) throws(FolderError) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        let code = errno
        // For an existing directory of another user the error may be EACCES or EROFS instead.
        guard unsafe access(path, F_OK) != 0 else { return }
        throw refusal(path, "cannot be made", code)
    }

    private static func refusal(_ path: String, _ what: String, _ code: Int32) -> FolderError {
        FolderError(message: "\(path) \(what): \(unsafe String(cString: strerror(code))).", number: code)
    }
}

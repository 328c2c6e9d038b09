internal import Glibc

/// The socket of Codex's shared app-server, and a check that it is safe to use.
///
/// `$CODEX_HOME/app-server-control/app-server-control.sock` is a link into a folder of the temporary directory, to which everybody has
/// access: a socket there counts only if nobody else could have put it there.
struct CodexSocket: Equatable {
    enum AddressError: Error, Equatable {
        /// No app-server runs: nobody uses Codex, or its version has none.
        case absent
        case unsafe(String)
    }

    /// The socket itself, with links resolved.
    let path: String

    init(home: String) throws(AddressError) {
        let link = Self.link(home)
        // The C library allocates the path, which is freed after it was read.
        guard let real = unsafe realpath(link, nil) else { throw .absent }
        defer { unsafe free(real) }
        path = unsafe String(cString: real)
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else { throw .absent }
        guard facts.st_mode & S_IFMT == S_IFSOCK else { throw .unsafe("\(path) is not a socket") }
        guard facts.st_uid == geteuid() else { throw .unsafe("\(path) belongs to another user") }
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard unsafe lstat(folder, &facts) == 0 else { throw .absent }
        guard facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == geteuid(), facts.st_mode & 0o022 == 0 else {
            throw .unsafe("others could put a socket into \(folder)")
        }
    }

    static func link(_ home: String) -> String { home + "/app-server-control/app-server-control.sock" }
}

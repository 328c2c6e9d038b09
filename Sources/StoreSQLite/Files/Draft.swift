internal import Glibc

/// A large file that is not finished, beside the one whose name it gets.
package enum Draft {
    /// The path of this process's draft of `file`.
    static func path(for file: String) -> String { "\(file).\(getpid()).new" }

    /// For a command that is ended from outside: what agents wrote is not to lie about.
    package static func remove(for file: String) {
        for part in ["", "-journal", "-wal", "-shm"] { _ = unsafe unlink(path(for: file) + part) }
    }
}

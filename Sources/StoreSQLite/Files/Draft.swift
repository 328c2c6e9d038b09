internal import Glibc

/// A large unfinished file, beside the one that it will replace.
package enum Draft {
    /// The path of this process's draft of `file`.
    static func path(for file: String) -> String { "\(file).\(getpid()).new" }

    /// Removes the draft of a command that is ended from outside, so that agents' content is not left behind.
    package static func remove(for file: String) {
        for part in ["", "-journal", "-wal", "-shm"] { _ = unsafe unlink(path(for: file) + part) }
    }
}

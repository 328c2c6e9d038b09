internal import Glibc

/// Distinguishes states of a file without reading its content.
package struct FileStamp: Sendable, Equatable, CustomStringConvertible {
    private let seconds: Int
    private let nanoseconds: Int
    /// Bytes of the file.
    package let size: Int
    private let inode: UInt

    /// Nil if there is no such file, or it cannot be examined.
    package init?(of path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        seconds = facts.st_mtim.tv_sec
        nanoseconds = facts.st_mtim.tv_nsec
        size = facts.st_size
        inode = facts.st_ino
    }

    /// The same text for the same state, also in another process.
    package var description: String { "\(inode)-\(size)-\(seconds)-\(nanoseconds)" }
}

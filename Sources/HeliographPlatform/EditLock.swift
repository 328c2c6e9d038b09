internal import Glibc

/// Held by one process of ours from reading a small file until it is replaced, so that of two commands at once neither undoes the other.
///
/// The lock is on the file's folder, which stays when the file is replaced, and leaves nothing behind.
package struct EditLock: ~Copyable {
    /// An edit takes milliseconds, on a slow disk a second.
    package static let waitMax = Duration.seconds(10)
    private static let lookEvery = Duration.milliseconds(10)

    private let descriptor: Int32

    /// Returns once no other process edits in this folder. A file system without locks on folders (NFS) does not stop the edit.
    package init(folder: String, within wait: Duration = Self.waitMax) throws(FolderError) {
        let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code = errno
            throw FolderError(
                message: "\(folder) cannot be opened: \(unsafe String(cString: strerror(code))).", number: code)
        }
        let end = ContinuousClock.now + wait
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK || errno == EINTR {
            guard ContinuousClock.now < end else {
                close(descriptor)
                throw FolderError(
                    message: "Another command has been changing files in \(folder) for \(wait): try again when it has ended.",
                    number: nil)
            }
            var pause = timespec(tv_sec: 0, tv_nsec: Int(Self.lookEvery.components.attoseconds / 1_000_000_000))
            // A signal that cuts this short costs one early look.
            unsafe nanosleep(&pause, nil)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

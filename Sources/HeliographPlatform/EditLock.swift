internal import Glibc

/// A lock for one of our processes, from reading a small file until it is replaced, so that two commands at the same time do not
/// undo each other's changes.
///
/// The lock is on the file's folder, which stays when the file is replaced, and leaves nothing behind.
package struct EditLock: ~Copyable {
    /// Longest wait for the lock. An edit takes milliseconds, on a slow disk a second.
    package static let waitMax = Duration.seconds(10)
    private static let lookEvery = Duration.milliseconds(10)

    private let descriptor: Int32

    /// Waits until no other process edits in this folder. On a file system without locks on folders (NFS) it does not wait.
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
            // If a signal interrupts this, the next attempt is only earlier.
            unsafe nanosleep(&pause, nil)
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

internal import Glibc

/// A lock held by the one daemon of a state directory; the kernel releases it when the process ends in any way.
struct DirectoryLock: ~Copyable {
    private let file: File

    init(_ directory: String) throws(HostError) {
        let file = try File(directory + "/host.lock", O_RDWR | O_CREAT)
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            guard errno == EWOULDBLOCK else { throw .file("lock", file.path) }
            throw HostError(.alreadyRunning, "a heliograph host runs already with \(directory)")
        }
        self.file = file
    }
}

internal import Glibc

/// A file that only its owner may read, replaced in one step.
struct PrivateFile: Sendable {
    let path: String

    /// The beginning of the file, at most `bytesMax`; nil if there is none.
    func read(bytesMax: Int) throws(ClientError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw fault("cannot be read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw fault("is no file") }
        // A secret that other users can read is refused, as ssh refuses such a key.
        guard status.st_mode & 0o077 == 0 else {
            throw ClientError(.failed, "others can read \(path)", advice: "chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count >= 0 else { throw fault("cannot be read") }
        return Array(bytes.prefix(count))
    }

    /// Replaces the file; it is on disk when this returns. A crash leaves the old content or the new one.
    func write(_ bytes: [UInt8]) throws(ClientError) {
        let whole = try draft(of: bytes)
        guard unsafe rename(whole, path) == 0 else {
            let error = fault("cannot be written")
            unsafe unlink(whole)
            throw error
        }
        try synchronizeFolder()
    }

    /// Throws if so many bytes could not be written.
    func checkWritable(bytes count: Int) throws(ClientError) {
        let probe = try draft(of: [UInt8](repeating: 0x20, count: count))
        unsafe unlink(probe)
    }

    /// Removes the file.
    ///
    /// - Returns: false if there was none.
    func remove() throws(ClientError) -> Bool {
        if unsafe unlink(path) == 0 { return true }
        if errno == ENOENT || errno == ENOTDIR { return false }
        throw fault("cannot be removed")
    }

    /// Runs `body` while no other process of this user does so for the same path.
    func alone<Result>(_ body: () throws(ClientError) -> Result) throws(ClientError) -> Result {
        try makeFolders()
        let lock = PrivateFile(path: path + ".lock")
        let descriptor = unsafe open(lock.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw lock.fault("cannot be opened") }
        // Closing the file releases the lock.
        defer { close(descriptor) }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw lock.fault("cannot be locked") }
        }
        return try body()
    }

    private func draft(of bytes: [UInt8]) throws(ClientError) -> String {
        try makeFolders()
        let draft = path + ".\(getpid()).new"
        unsafe unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw fault("cannot be written") }
        let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
        let isSynced = fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0
        close(descriptor)
        guard written == bytes.count, isSynced else {
            let error = fault("cannot be written")
            unsafe unlink(draft)
            throw error
        }
        return draft
    }

    /// Syncs the folder, which makes a rename durable. Some file systems do not support it, and report EINVAL.
    private func synchronizeFolder() throws(ClientError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let descriptor = unsafe open(String(path[...slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw fault("cannot be written") }
    }

    private func makeFolders() throws(ClientError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        var end = path.index(after: path.startIndex)
        while end <= slash {
            let next = path[end...].firstIndex(of: "/") ?? path.endIndex
            if next > slash { break }
            if unsafe mkdir(String(path[..<next]), 0o700) != 0, errno != EEXIST, errno != EROFS, errno != EACCES {
                throw fault("has no folder, and none can be made")
            }
            end = path.index(after: next)
        }
    }

    private func fault(_ what: String) -> ClientError {
        ClientError(.failed, "\(path) \(what): \(unsafe String(cString: strerror(errno)))")
    }
}

import Glibc
internal import HeliographPlatform

/// One settings file of another program, always read whole and replaced whole.
struct SettingsFile {
    /// Bytes of a settings file. It usually has a few kilobytes; a longer file is not one.
    static let bytesMax = 1 << 20

    /// The path as the person knows it. A symbolic link is kept, and its target is replaced.
    let path: String

    /// The file's content; nil if there is no such file.
    func read() throws(ConnectError) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            // A link to nothing differs from a missing file: the file would have to be created elsewhere.
            if errno == ENOENT, !isLink { return nil }
            throw failure(.unreadable, "cannot be opened")
        }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            var count = 0
            let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, initialized in
                count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                // Exactly the bytes that read wrote.
                initialized = max(0, count)
            }
            if count == 0 { return bytes }
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(.unreadable, "cannot be read")
            }
            bytes += chunk
            if bytes.count > Self.bytesMax { throw ConnectError(.tooLarge, at: path, "this is longer than a settings file") }
        }
    }

    /// Replaces the file in one step, with the mode of the old file. Nil removes it, or empties it if a symbolic link leads to it,
    /// which is kept.
    ///
    /// Throws `changedMeanwhile` if the file no longer holds `expected`. Of two commands of ours one always sees the other's
    /// change; another program's change between the check and the write is lost.
    func write(_ bytes: [UInt8]?, replacing expected: [UInt8]?) throws(ConnectError) {
        let folder = Self.directory(of: try resolved())
        if expected == nil { try createDirectory(folder) }
        let lock: EditLock
        do throws(FolderError) { lock = try EditLock(folder: folder) } catch {
            throw ConnectError(.unwritable, at: path, error.message)
        }
        try replace(expected, with: bytes)
        _ = consume lock
    }

    private func replace(_ expected: [UInt8]?, with bytes: [UInt8]?) throws(ConnectError) {
        guard try read() == expected else {
            throw ConnectError(.changedMeanwhile, at: path, "another program has just changed this; nothing was written")
        }
        guard let bytes = bytes ?? (isLink ? Array("{}\n".utf8) : nil) else {
            guard unsafe unlink(path) == 0 else { throw failure(.unwritable, "cannot be removed") }
            return
        }
        let target = try resolved()
        let directory = Self.directory(of: target)
        let temporary = "\(directory)/.\(target.split(separator: "/").last ?? "settings").heliograph-\(getpid())"
        unsafe unlink(temporary)
        let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw failure(.unwritable, "cannot be written") }
        let isWritten = Self.fill(descriptor, with: bytes, like: expected == nil ? nil : target)
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed, unsafe rename(temporary, target) == 0 else {
            let error = failure(.unwritable, "cannot be written")
            unsafe unlink(temporary)
            throw error
        }
        // Syncs the folder, so that the new name survives a power cut. Otherwise the old file would be back, which is whole too.
        let folder = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
    }

    private static func fill(_ descriptor: Int32, with bytes: [UInt8], like original: String?) -> Bool {
        if let original {
            var status = stat()
            guard unsafe stat(original, &status) == 0, fchmod(descriptor, status.st_mode & 0o7777) == 0 else { return false }
            // If root runs this for another user, the file must stay that user's.
            if status.st_uid != geteuid(), fchown(descriptor, status.st_uid, status.st_gid) != 0 { return false }
        }
        var rest = bytes[...]
        while !rest.isEmpty {
            // The buffer outlives the call, and the length is its own.
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return fsync(descriptor) == 0
    }

    private static func directory(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    /// The path with all links resolved.
    private func resolved() throws(ConnectError) -> String {
        guard isLink else { return path }
        // The C library allocates the path, which is freed after it was read.
        guard let real = unsafe realpath(path, nil) else { throw failure(.unwritable, "points to nothing") }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private func createDirectory(_ directory: String) throws(ConnectError) {
        guard unsafe mkdir(directory, 0o777) != 0, errno != EEXIST else { return }
        throw failure(.unwritable, "the folder cannot be created")
    }

    private var isLink: Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private func failure(_ code: ConnectError.Code, _ what: String) -> ConnectError {
        let reason = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
        return ConnectError(code, at: path, "\(what): \(reason)")
    }
}

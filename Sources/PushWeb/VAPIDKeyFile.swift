internal import Glibc
internal import HeliographCrypto

/// The file that holds a relay's key pair. It has to be in the backup: with another key every phone would have to subscribe again.
package enum VAPIDKeyFile {
    /// A key is 241 bytes.
    private static let bytesMax = 4_096

    /// The key in the file at `path`; if there is none, a new one is created, readable by its owner alone. Throws `keyUnusable`.
    package static func open(_ path: String) throws(WebPushError) -> VAPIDKey {
        if let key = try read(path) { return key }
        try make(path)
        guard let key = try read(path) else { throw failure(path, "was removed just now") }
        return key
    }

    /// Nil if there is no file.
    private static func read(_ path: String) throws(WebPushError) -> VAPIDKey? {
        let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0, errno == ENOENT { return nil }
        guard descriptor >= 0 else { throw failure(path, "cannot be opened", errno) }
        defer { close(descriptor) }
        var facts = stat()
        guard unsafe fstat(descriptor, &facts) == 0 else { throw failure(path, "cannot be looked at", errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw failure(path, "is not a file") }
        guard facts.st_mode & 0o077 == 0 else {
            throw failure(path, "can be read by others, who could send pushes as this relay; run: chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: bytesMax)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw failure(path, "cannot be read", errno) }
        do {
            return try VAPIDKey(pem: String(decoding: bytes.prefix(count), as: UTF8.self))
        } catch {
            throw failure(path, "holds no key for pushes: \(error.message)")
        }
    }

    /// Writes the file as a whole; if another process was faster, its key stays.
    private static func make(_ path: String) throws(WebPushError) {
        let fresh = "\(path).\(Crypto.hex(Crypto.random(count: 8))).new"
        let descriptor = unsafe Glibc.open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path, "cannot be made", errno) }
        defer { unsafe unlink(fresh) }
        let bytes = Array(VAPIDKey().pem.utf8)
        // A write of a few bytes is complete, unless the disk is full.
        let isWritten = unsafe write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
        let number = errno
        close(descriptor)
        guard isWritten else { throw failure(path, "cannot be written", number) }
        guard unsafe link(fresh, path) == 0 || errno == EEXIST else { throw failure(path, "cannot be made", errno) }
        let folder = unsafe Glibc.open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw failure(path, "cannot be kept: its folder cannot be opened", errno) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw failure(path, "cannot be kept", errno) }
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func failure(_ path: String, _ what: String, _ number: Int32? = nil) -> WebPushError {
        let reason = number.map { unsafe ": \(String(cString: strerror($0)))" } ?? ""
        return WebPushError(.keyUnusable, "\(path) \(what)\(reason)")
    }
}

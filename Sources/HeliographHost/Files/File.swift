internal import Glibc

/// One open file; closed when this value ends.
struct File: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Mode of our files: only their owner may read them.
    static let mode: mode_t = 0o600

    init(_ path: String, _ flags: Int32) throws(HostError) {
        descriptor = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW, Self.mode)
        self.path = path
        if descriptor < 0 { throw .file("open", path) }
    }

    deinit { close(descriptor) }

    /// Writes all bytes at the descriptor's position, or throws with an unknown part written.
    borrowing func write(_ bytes: [UInt8]) throws(HostError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                throw .file("write to", path)
            }
            written += count
        }
    }

    borrowing func read(at offset: Int, count: Int) throws(HostError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while initialized < count {
                let more = unsafe pread(
                    descriptor, buffer.baseAddress! + initialized, count - initialized, offset + initialized)
                if more < 0 {
                    if errno == EINTR { continue }
                    failure = errno
                    return
                }
                if more == 0 { return }
                initialized += more
            }
        }
        if failure != 0 { throw .file("read", path, failure) }
        return bytes
    }

    borrowing func size() throws(HostError) -> Int {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .file("look at", path) }
        return Int(status.st_size)
    }

    borrowing func truncate(to size: Int) throws(HostError) {
        guard ftruncate(descriptor, size) == 0, lseek(descriptor, size, SEEK_SET) >= 0 else { throw .file("shorten", path) }
    }

    borrowing func synchronize() throws(HostError) {
        guard fdatasync(descriptor) == 0 else { throw .file("write out", path) }
    }
}

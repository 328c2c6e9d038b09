import Glibc

/// Reads once from a pipe or terminal that has data, or has ended.
enum PipeRead {
    /// The bytes read; empty at the end, nil if there are none after all.
    static func bytes(from descriptor: Int32, max: Int) -> [UInt8]? {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: max) { buffer, initialized in
            count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            // Exactly the bytes that read wrote.
            initialized = Swift.max(0, count)
        }
        if count >= 0 { return bytes }
        return errno == EINTR || errno == EAGAIN ? nil : []
    }
}

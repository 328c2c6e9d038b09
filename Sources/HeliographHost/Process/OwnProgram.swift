internal import Glibc

/// This very program.
enum OwnProgram {
    /// As it was when it started: one that was replaced since runs as the new one.
    static let path: String? = {
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = unsafe max(0, readlink("/proc/self/exe", buffer.baseAddress!, buffer.count))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()
}

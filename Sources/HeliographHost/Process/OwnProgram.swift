internal import Glibc

/// This very program.
enum OwnProgram {
    /// The program's path at the start: if the file is replaced, the new one runs.
    static let path: String? = {
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = unsafe max(0, readlink("/proc/self/exe", buffer.baseAddress!, buffer.count))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()
}

internal import Glibc

enum OwnProgram {
    /// The program's path at the start: if the file is replaced, the new one runs.
    static let path: String? = {
        let bytes = unsafe [CChar](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
            count = unsafe max(0, readlink("/proc/self/exe", buffer.baseAddress!, buffer.count))
        }
        return bytes.isEmpty ? nil : String(decoding: bytes.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }()

    /// A note for a person whose settings get this path, if the path may not last; else nil.
    static func passingNote(on path: String) -> String? {
        guard path.split(separator: "/").dropLast().contains(".build") else { return nil }
        return
            "\(path) is in a build folder: when that is cleaned or moved, nothing is reported any more. Install the package, "
            + "or copy the programs to a folder that stays, and run `connect` from there again."
    }
}

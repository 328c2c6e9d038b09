internal import Glibc
internal import HostCore

/// A directory of files that only their owner may read.
final class FileSpoolDisk: SpoolDisk {
    /// The file that was last appended to, which stays open.
    private struct Appending: ~Copyable {
        let name: String
        let file: File
    }

    /// Largest file: it is read into memory at opening; ours have a few MiB.
    private static let fileBytesMax = 1 << 30

    private let directory: String
    private var appending: Appending?

    /// Makes the directory if it is missing.
    init(_ directory: String) throws(SpoolError) {
        self.directory = directory
        try Self.translating { () throws(HostError) in try Files.makePrivateDirectory(directory) }
    }

    func names() throws(SpoolError) -> [String] {
        try Self.translating { () throws(HostError) in try Files.allNames(in: directory) }
    }

    func contents(of name: String) throws(SpoolError) -> [UInt8] {
        let path = path(name)
        let bytes = try Self.translating { () throws(HostError) in try Files.read(path, bytesMax: Self.fileBytesMax) }
        guard let bytes else { throw SpoolError(.damaged, "\(path) is not there") }
        return bytes
    }

    func read(_ name: String, at offset: Int, count: Int) throws(SpoolError) -> [UInt8] {
        let path = path(name)
        return try Self.translating { () throws(HostError) in
            if appending?.name == name, let bytes = try appending?.file.read(at: offset, count: count) { return bytes }
            return try File(path, O_RDONLY).read(at: offset, count: count)
        }
    }

    func replace(_ name: String, with bytes: [UInt8]) throws(SpoolError) {
        // The open file is the one that is about to be replaced.
        if appending?.name == name { appending = nil }
        let path = path(name)
        try Self.translating { () throws(HostError) in try Files.replace(path, with: bytes) }
    }

    func append(_ bytes: [UInt8], to name: String) throws(SpoolError) {
        try Self.translating { () throws(HostError) in
            try open(name)
            try appending?.file.write(bytes)
        }
    }

    func synchronize(_ name: String) throws(SpoolError) {
        try Self.translating { () throws(HostError) in
            try open(name)
            try appending?.file.synchronize()
        }
    }

    func truncate(_ name: String, to size: Int) throws(SpoolError) {
        try Self.translating { () throws(HostError) in
            try open(name)
            try appending?.file.truncate(to: size)
        }
    }

    func remove(_ name: String) throws(SpoolError) {
        if appending?.name == name { appending = nil }
        let path = path(name)
        try Self.translating { () throws(HostError) in
            guard unsafe unlink(path) == 0 else { throw HostError.file("remove", path) }
        }
    }

    private func open(_ name: String) throws(HostError) {
        if appending?.name != name { appending = Appending(name: name, file: try File(path(name), O_RDWR | O_APPEND)) }
    }

    private func path(_ name: String) -> String { directory + "/" + name }

    private static func translating<Value>(_ body: () throws(HostError) -> Value) throws(SpoolError) -> Value {
        do throws(HostError) {
            return try body()
        } catch {
            let code: SpoolError.Code =
                switch error.number {
                case ENOSPC, EDQUOT: .full
                // Bytes that cannot be read are gone for good. For other calls the code does not matter.
                case EIO, ENOENT: .damaged
                default: .failed
                }
            throw SpoolError(code, error.message)
        }
    }
}

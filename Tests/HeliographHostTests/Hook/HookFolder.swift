import Glibc

/// A folder of a test's own, removed with all that is in it.
final class HookFolder {
    let path: String
    /// Socket of a daemon that the test simulates.
    var socketPath: String { path + "/host.sock" }

    init() throws {
        var template = Array("/tmp/heliograph-test-XXXXXX".utf8CString)
        // The template is written in place and ends with a zero byte.
        path = try unsafe template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let made = unsafe mkdtemp(start) else { throw CannotCreate() }
            return unsafe String(cString: made)
        }
    }

    struct CannotCreate: Error {}

    func names(_ folder: String = ".") -> [String] { Self.names(path + "/" + folder) }

    func link(_ name: String, to target: String) -> Bool { unsafe symlink(target, path + "/" + name) == 0 }

    /// The type and permission bits, of a link itself.
    func mode(_ name: String) -> mode_t? {
        var status = stat()
        return unsafe lstat(path + "/" + name, &status) == 0 ? status.st_mode : nil
    }

    func setMode(_ name: String, _ mode: mode_t) { unsafe chmod(path + "/" + name, mode) }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        if unsafe unlink(path) == 0 { return }
        for name in names(path) { remove(path + "/" + name) }
        unsafe rmdir(path)
    }

    private static func names(_ folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            // A directory entry's name ends with a zero byte.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}

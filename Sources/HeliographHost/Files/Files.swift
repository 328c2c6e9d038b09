internal import Glibc
internal import HeliographPlatform

/// Files and directories that only their owner may read.
enum Files {
    /// Makes the directory and those above it. One that others can read is refused.
    static func makePrivateDirectory(_ path: String) throws(HostError) {
        do throws(FolderError) {
            try PrivateDirectory.make(path, isOwn: true)
        } catch {
            var refusal = HostError(.file, error.message)
            refusal.number = error.number
            throw refusal
        }
    }

    /// The beginning of a file, at most `bytesMax`; nil if there is no such file.
    static func read(_ path: String, bytesMax: Int) throws(HostError) -> [UInt8]? {
        guard unsafe access(path, F_OK) == 0 else { return nil }
        let file = try File(path, O_RDONLY)
        let size = try file.size()
        guard size <= bytesMax else { throw HostError(.file, "\(path) is longer than \(bytesMax) bytes") }
        return try file.read(at: 0, count: size)
    }

    /// Calls `edit` while no other command of ours edits in this directory, which is made if it is missing: what `edit` reads and writes
    /// there is one step.
    static func edit<Result>(
        in directory: String, within wait: Duration = EditLock.waitMax, _ edit: () throws(HostError) -> Result
    ) throws(HostError) -> Result {
        try makePrivateDirectory(directory)
        let lock: EditLock
        do throws(FolderError) { lock = try EditLock(folder: directory, within: wait) } catch {
            throw HostError(.file, error.message)
        }
        let result = try edit()
        _ = consume lock
        return result
    }

    /// Replaces a file; it is on disk when this returns. Whatever happens, the file holds either its old content or `bytes`.
    static func replace(_ path: String, with bytes: [UInt8]) throws(HostError) {
        let temporary = path + ".new"
        do throws(HostError) {
            let file = try File(temporary, O_WRONLY | O_CREAT | O_TRUNC)
            // The temporary file could be left over from earlier, with another mode.
            guard fchmod(file.descriptor, File.mode) == 0 else { throw HostError.file("protect", temporary) }
            try file.write(bytes)
            try file.synchronize()
        } catch {
            unsafe unlink(temporary)
            throw error
        }
        guard unsafe rename(temporary, path) == 0 else { throw .file("replace", path) }
        try synchronizeDirectory(of: path)
    }

    /// True if the file exists or cannot be examined, because absence has to be certain.
    static func isThere(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 || errno != ENOENT }

    /// Removes a file, if it is there; the removal is on disk when this returns.
    static func remove(_ path: String) throws(HostError) {
        guard unsafe unlink(path) == 0 else {
            if errno == ENOENT { return }
            throw .file("remove", path)
        }
        try synchronizeDirectory(of: path)
    }

    /// Names in a directory, in no order; empty if it cannot be read.
    static func names(in path: String) -> [String] { (try? allNames(in: path)) ?? [] }

    /// Names in a directory, in no order. Throws if they cannot all be read.
    static func allNames(in path: String) throws(HostError) -> [String] {
        guard let directory = unsafe opendir(path) else { throw .file("list", path) }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while true {
            // `errno` is the only way to distinguish the end from a failure.
            errno = 0
            // The entry is read before the next call could reuse its storage.
            guard let entry = unsafe readdir(directory) else {
                if errno != 0 { throw .file("list", path) }
                return names
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    /// Syncs a directory, which makes a rename durable. Some file systems do not support it, and report EINVAL.
    private static func synchronizeDirectory(of path: String) throws(HostError) {
        guard let slash = path.lastIndex(of: "/") else { return }
        let directory = String(path[..<slash])
        let descriptor = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file("open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 || errno == EINVAL else { throw .file("write out", directory) }
    }
}

import Foundation
import Glibc

/// A small file that nobody but its owner reads, replaced as a whole: after a crash it is the old one or the new one.
enum PrivateFile {
    static func write(_ text: String, to path: String) throws { try write(Array(text.utf8), to: path) }

    static func write(_ bytes: [UInt8], to path: String) throws {
        let draft = path + ".new"
        // Root may write here for the account that owns the folder, and must not be led elsewhere by what that account put there.
        guard unsafe unlink(draft) == 0 || errno == ENOENT else {
            throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: draft])
        }
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission, userInfo: [NSFilePathErrorKey: draft]) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(bytes))
        // Root sets up what a service of another user has to read: `sudo heliograph push setup`.
        var folder = stat()
        if geteuid() == 0, unsafe stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &folder) == 0 {
            _ = fchown(descriptor, folder.st_uid, folder.st_gid)
        }
        guard fsync(descriptor) == 0, unsafe rename(draft, path) == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path])
        }
    }
}

import HeliographPlatform
import Foundation
import Glibc

/// A small file that only its owner can read, replaced as a whole: after a crash it is the old one or the new one.
enum PrivateFile {
    static func write(_ text: String, to path: String) throws(ServerError) { try write(Array(text.utf8), to: path) }

    static func write(_ bytes: [UInt8], to path: String) throws(ServerError) {
        let draft = path + ".new"
        // Root may write here for the account that owns the folder, and must not follow links that this account has put there.
        guard unsafe unlink(draft) == 0 || errno == ENOENT else { throw cannotWrite(draft, errno) }
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw cannotWrite(draft, errno) }
        defer { close(descriptor) }
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes[sent...].withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 { sent += count } else if errno != EINTR { throw cannotWrite(draft, errno) }
        }
        // Root may set up a file for a service of another user: `sudo heliograph push setup`.
        var folder = stat()
        if geteuid() == 0, unsafe stat(URL(fileURLWithPath: path).deletingLastPathComponent().path, &folder) == 0 {
            _ = fchown(descriptor, folder.st_uid, folder.st_gid)
        }
        guard fsync(descriptor) == 0, unsafe rename(draft, path) == 0 else { throw cannotWrite(path, errno) }
    }

    /// `code`: the system's error number.
    private static func cannotWrite(_ path: String, _ code: Int32) -> ServerError {
        let mend = [ENOSPC, EDQUOT].contains(code) ? ": \(DiskMend.full)" : ""
        return ServerError(.file, "\(path) cannot be written: \(unsafe String(cString: strerror(code)))\(mend).")
    }
}

internal import HeliographPlatform
internal import Foundation
internal import Glibc

/// Creates and replaces files so that after a crash the old or the new one is there, never half of one, and nothing is overwritten
/// by accident.
enum Files {
    static func exists(_ path: String) -> Bool { kind(path) != .nothing }

    enum Kind: Equatable {
        case nothing
        case file(bytes: Int64)
        /// Any other kind in words, such as "a directory".
        case other(String)
    }

    /// Kind of the file; does not follow links.
    static func kind(_ path: String) -> Kind {
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else { return .nothing }
        return switch facts.st_mode & S_IFMT {
        case S_IFREG: .file(bytes: Int64(facts.st_size))
        case S_IFDIR: .other("a directory")
        case S_IFLNK: .other("a symbolic link")
        default: .other("no file")
        }
    }

    static func byteCount(_ path: String) throws(SQLiteStoreError) -> Int64 {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { throw failure(path, "cannot be read", errno) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw SQLiteStoreError(.cannotOpen, "\(path) is not a file.") }
        return Int64(facts.st_size)
    }

    /// Creates an empty file that only its owner can access, if there is none. The owner is this process's user, or with `ofFolder`
    /// the folder's owner. `name`: its name in error messages.
    static func create(
        _ path: String, called name: String? = nil, ofFolder isOfFolder: Bool = false
    ) throws(SQLiteStoreError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(name ?? path, "cannot be made", errno) }
        if isOfFolder { giveToOwner(of: directory(of: path), descriptor) }
        close(descriptor)
    }

    /// Changes the owner of a file that root creates in a service's folder to that service, which otherwise could not start any
    /// more.
    static func giveToOwner(of folder: String, _ descriptor: Int32) {
        var (made, around) = (stat(), stat())
        guard geteuid() == 0, unsafe fstat(descriptor, &made) == 0, made.st_uid == 0, made.st_size == 0, made.st_nlink == 1,
            unsafe stat(folder, &around) == 0
        else { return }
        // An error is ignored: a file system without owners excludes nobody.
        _ = fchown(descriptor, around.st_uid, around.st_gid)
    }

    /// Copies a file, for the owner of the target's folder only; throws if the target exists.
    static func copy(_ source: String, to target: String) throws(SQLiteStoreError) {
        try create(target, ofFolder: true)
        guard let from = FileHandle(forReadingAtPath: source), let to = FileHandle(forWritingAtPath: target) else {
            throw SQLiteStoreError(.cannotOpen, "\(source) cannot be read, or \(target) not be written.")
        }
        do {
            while let chunk = try from.read(upToCount: copiedBytesMax), !chunk.isEmpty { try to.write(contentsOf: chunk) }
        } catch {
            throw SQLiteStoreError(.io, "\(source) cannot be copied to \(target).", underlying: error)
        }
    }

    private static let copiedBytesMax = 1 << 20

    /// Gives a finished draft its final name, durably. `replacing`: whether an existing file may be replaced.
    static func place(_ draft: String, at path: String, replacing: Bool) throws(SQLiteStoreError) {
        try sync(draft)
        if !replacing {
            // A hard link fails if the name is taken, even if it was taken just now.
            if unsafe Glibc.link(draft, path) == 0 {
                try remove(draft)
                return try sync(directory(of: path))
            }
            let code = errno
            if code == EEXIST || exists(path) { throw SQLiteStoreError(.conflict, "\(path) is there already.") }
            // File systems of removable disks have no links.
            guard code == EPERM || code == EOPNOTSUPP else { throw failure(path, "cannot be written", code) }
        }
        guard unsafe rename(draft, path) == 0 else { throw failure(path, "cannot be written", errno) }
        try sync(directory(of: path))
    }

    /// Gives a file a second name; throws if the name is taken.
    static func link(_ path: String, to other: String) throws(SQLiteStoreError) {
        guard unsafe Glibc.link(path, other) == 0 else { throw failure(other, "cannot be made", errno) }
    }

    /// Renames a file or directory; throws if the name is taken.
    static func move(_ path: String, to other: String) throws(SQLiteStoreError) {
        guard !exists(other) else { throw SQLiteStoreError(.conflict, "\(other) is there already.") }
        guard unsafe rename(path, other) == 0 else { throw failure(path, "cannot be given another name", errno) }
    }

    static func remove(_ path: String) throws(SQLiteStoreError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw failure(path, "cannot be removed", errno) }
    }

    /// Once this returns, a file's content or a directory's names survive a power failure.
    static func sync(_ path: String) throws(SQLiteStoreError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path, "cannot be opened", errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(path, "cannot be synced", errno) }
    }

    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func failure(_ path: String, _ what: String, _ code: Int32) -> SQLiteStoreError {
        let kind = Self.code(code)
        let whose = code == EACCES ? ForbiddenPlace(file: path).map { " \($0.sentence)." } ?? "" : ""
        return SQLiteStoreError(kind, "\(path) \(what): \(unsafe String(cString: strerror(code))).\(mend(kind))\(whose)")
    }

    /// Advice to add to the error's sentence.
    static func mend(_ code: SQLiteStoreError.Code) -> String { code == .full ? " Mend: \(DiskMend.full)." : "" }

    static func code(_ number: Int32?) -> SQLiteStoreError.Code {
        switch number {
        case ENOSPC, EDQUOT: .full
        case EROFS: .readOnly
        case EIO: .io
        default: .cannotOpen
        }
    }
}

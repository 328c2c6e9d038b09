internal import HeliographPlatform
internal import Foundation
internal import Glibc

/// Creates and replaces files so that a crash leaves the old or the new one, never half of one, and never overwrites by chance.
enum Files {
    static func exists(_ path: String) -> Bool { kind(path) != .nothing }

    enum Kind: Equatable {
        case nothing
        case file(bytes: Int64)
        /// In words, such as "a directory".
        case other(String)
    }

    /// Does not follow links.
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

    /// Creates an empty file for its owner alone, if there was none: this process's user, or with `ofFolder` the folder's owner. `name`
    /// is its name for people.
    static func create(
        _ path: String, called name: String? = nil, ofFolder isOfFolder: Bool = false
    ) throws(SQLiteStoreError) {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(name ?? path, "cannot be made", errno) }
        if isOfFolder { giveToOwner(of: directory(of: path), descriptor) }
        close(descriptor)
    }

    /// Gives a file that root creates in the folder of a service to that service, which could not start any more otherwise.
    static func giveToOwner(of folder: String, _ descriptor: Int32) {
        var (made, around) = (stat(), stat())
        guard geteuid() == 0, unsafe fstat(descriptor, &made) == 0, made.st_uid == 0, made.st_size == 0, made.st_nlink == 1,
            unsafe stat(folder, &around) == 0
        else { return }
        // A file system without owners keeps nobody out.
        _ = fchown(descriptor, around.st_uid, around.st_gid)
    }

    /// A copy for the owner of its folder alone; throws if there is a file already.
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

    /// Gives a finished draft its name, for good. `replacing` says whether it may take another file's place.
    static func place(_ draft: String, at path: String, replacing: Bool) throws(SQLiteStoreError) {
        try sync(draft)
        if !replacing {
            // A name that is taken refuses a link, at whatever moment it was taken.
            if unsafe Glibc.link(draft, path) == 0 {
                try remove(draft)
                return try sync(directory(of: path))
            }
            let code = errno
            if code == EEXIST || exists(path) { throw SQLiteStoreError(.conflict, "\(path) is there already.") }
            // Disks for carrying things around know no links.
            guard code == EPERM || code == EOPNOTSUPP else { throw failure(path, "cannot be written", code) }
        }
        guard unsafe rename(draft, path) == 0 else { throw failure(path, "cannot be written", errno) }
        try sync(directory(of: path))
    }

    /// Gives a file a second name; throws if that is taken.
    static func link(_ path: String, to other: String) throws(SQLiteStoreError) {
        guard unsafe Glibc.link(path, other) == 0 else { throw failure(other, "cannot be made", errno) }
    }

    /// Gives a file or directory another name, which nothing else may have.
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

    /// Advice that follows the error's sentence.
    static func mend(_ code: SQLiteStoreError.Code) -> String { code == .full ? " Mend: \(DiskMend.full)." : "" }

    /// Maps the system's error number.
    static func code(_ number: Int32?) -> SQLiteStoreError.Code {
        switch number {
        case ENOSPC, EDQUOT: .full
        case EROFS: .readOnly
        case EIO: .io
        default: .cannotOpen
        }
    }
}

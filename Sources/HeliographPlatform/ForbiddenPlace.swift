internal import Glibc

/// The first part of a path whose permissions exclude this process's user, with its owner.
package struct ForbiddenPlace: Sendable, Equatable {
    package let path: String
    /// The owner's name, or the number if there is no name.
    package let owner: String
    /// True if this process's user owns it, and so can change its permissions.
    package let isOwn: Bool
    private let isFile: Bool

    /// Nil if this process can enter the folder, or it does not exist.
    package init?(onTheWayTo folder: String) {
        var ends = folder.indices.dropFirst().filter { folder[$0] == "/" }
        ends.append(folder.endIndex)
        for end in ends {
            let place = String(folder[..<end])
            let wanted = end == folder.endIndex ? R_OK | W_OK | X_OK : X_OK
            guard unsafe access(place, wanted) != 0 else { continue }
            guard errno == EACCES else { return nil }
            self.init(place)
            // A path through something that is not a folder is another kind of mistake.
            if isFile { return nil }
            return
        }
        return nil
    }

    /// Nil if this process may read and write the file, or it does not exist.
    package init?(file: String) {
        guard unsafe access(file, R_OK | W_OK) != 0, errno == EACCES else { return nil }
        self.init(file)
    }

    private init?(_ path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        self.path = path
        isFile = facts.st_mode & S_IFMT != S_IFDIR
        isOwn = facts.st_uid == geteuid()
        owner = UserRecord.name(of: facts.st_uid)
    }

    /// The sentence as a system error.
    package var error: FolderError { FolderError(message: sentence + ".", number: EACCES) }

    /// Describes the problem and the remedy, without a full stop.
    package var sentence: String {
        if isOwn { return "\(path) is yours, but its permissions keep you out: chmod u+rwX \(path)" }
        let user = UserRecord.name(of: geteuid())
        let refusal = "\(path) belongs to \(owner), and its permissions keep \(user) out"
        if isFile { return "\(refusal). If the relay is \(user)'s, give the file to it: sudo chown \(user): \(path)" }
        let sudo = "sudo -u \(owner.allSatisfy(\.isNumber) ? "'#\(owner)'" : owner) heliograph …"
        return "\(refusal). Run this as its owner (\(sudo)), or name your own relay's folder (--data)"
    }
}

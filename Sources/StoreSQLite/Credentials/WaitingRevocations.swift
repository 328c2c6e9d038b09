internal import Glibc
internal import RelayCore
internal import RelayStore

/// Revocations for which the data file had no space, in a file that was allocated before: a full disk must not prevent a
/// revocation.
///
/// The file has a fixed length, and all its bytes were written when it was made, so that overwriting them needs no space on the
/// disk. Its revocations are in force: readers of tokens apply them, and the next change of tokens that finds space moves them into
/// the data file.
///
/// Used on any thread of any process: each reads the file again, under a lock on it.
struct WaitingRevocations: Sendable {
    /// Limit of waiting revocations. A person who revokes so many tokens on a full disk can revoke the one that paired them
    /// instead.
    static let countMax = 256
    static let byteCount = countMax * WaitingRevocation.byteCount

    let path: String

    init(_ path: String) { self.path = path }

    /// Creates the file if there is none. False if there is no space for it, or the disk takes no files; revocations then cannot
    /// wait, and are refused if the data file has no space.
    func make() -> Bool {
        guard !Files.exists(path) else { return true }
        let draft = path + ".new"
        guard unsafe unlink(draft) == 0 || errno == ENOENT else { return false }
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Zeros are written, because some file systems need space for the first write even after an allocation.
        let zeros = [UInt8](repeating: 0, count: Self.byteCount)
        let isWritten = unsafe write(descriptor, zeros, zeros.count) == zeros.count && fdatasync(descriptor) == 0
        guard isWritten, unsafe rename(draft, path) == 0 else {
            unsafe unlink(draft)
            return false
        }
        return true
    }

    /// The revocations in the order in which they were made. Throws if they cannot be read, because then it is unknown which tokens
    /// to accept.
    func all() throws(LogError) -> [TokenRevocation] {
        guard let descriptor = try opened(O_RDONLY) else { return [] }
        defer { close(descriptor) }
        try lock(descriptor, LOCK_SH)
        return try places(descriptor).compactMap(\.revocation).map(\.revocation)
    }

    /// True once the revocation is on disk. False if there is no such file, no free line in it, or the write fails.
    func add(_ revocation: TokenRevocation) throws(LogError) -> Bool {
        guard let waiting = WaitingRevocation(revocation), let descriptor = try opened(O_RDWR) else { return false }
        defer { close(descriptor) }
        try lock(descriptor, LOCK_EX)
        let places = try places(descriptor)
        if places.contains(where: { $0.revocation?.isAlike(waiting) == true }) { return true }
        guard let free = places.first(where: { $0.revocation == nil }) else { return false }
        return put(waiting.bytes, at: free.offset, descriptor) && fdatasync(descriptor) == 0
    }

    /// Removes revocations that are in the data file now. If one is left, it is applied again, which changes nothing.
    func remove(_ revocations: [TokenRevocation]) {
        guard !revocations.isEmpty, let descriptor = try? opened(O_RDWR) else { return }
        defer { close(descriptor) }
        guard (try? lock(descriptor, LOCK_EX)) != nil, let places = try? places(descriptor) else { return }
        let gone = revocations.compactMap(WaitingRevocation.init)
        let zeros = [UInt8](repeating: 0, count: WaitingRevocation.byteCount)
        for place in places {
            guard let standing = place.revocation, gone.contains(where: standing.isAlike) else { continue }
            _ = put(zeros, at: place.offset, descriptor)
        }
    }

    // MARK: - The file

    private struct Place {
        let offset: off_t
        /// Nil if the line is free.
        let revocation: WaitingRevocation?
    }

    /// Opens the file; nil if there is none.
    private func opened(_ mode: Int32) throws(LogError) -> Int32? {
        let descriptor = unsafe open(path, mode | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor < 0 else { return descriptor }
        guard errno != ENOENT else { return nil }
        throw LogError(Files.failure(path, "cannot be opened", errno))
    }

    private func lock(_ descriptor: Int32, _ how: Int32) throws(LogError) {
        while flock(descriptor, how) != 0 {
            guard errno == EINTR else { throw LogError(Files.failure(path, "cannot be locked", errno)) }
        }
    }

    private func places(_ descriptor: Int32) throws(LogError) -> [Place] {
        var bytes = [UInt8](repeating: 0, count: Self.byteCount)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        guard count >= 0 else { throw LogError(Files.failure(path, "cannot be read", errno)) }
        let size = WaitingRevocation.byteCount
        var places: [Place] = []
        // Only existing lines are used: writing beyond the file's end would need space.
        for offset in stride(from: 0, through: count - size, by: size) {
            let piece = bytes[offset..<offset + size]
            let isFree = piece.allSatisfy { $0 == 0 }
            let revocation = isFree ? nil : WaitingRevocation(parsing: piece)
            guard isFree || revocation != nil else { throw LogError(damaged(at: offset)) }
            places.append(Place(offset: off_t(offset), revocation: revocation))
        }
        return places
    }

    private func damaged(at offset: Int) -> SQLiteStoreError {
        SQLiteStoreError(
            .damaged,
            """
            \(path) is damaged at byte \(offset), and names tokens that are revoked. Revoke again what was revoked while the disk was full, \
            as soon as the file is out of the way: mv \(path) \(path).damaged
            """)
    }

    private func put(_ bytes: [UInt8], at offset: off_t, _ descriptor: Int32) -> Bool {
        unsafe pwrite(descriptor, bytes, bytes.count, offset) == bytes.count
    }
}

internal import Glibc
internal import HeliographPlatform
internal import Synchronization

/// Reserved disk space. When the disk is full the reserve is released, so that there is space for what must still be written, above
/// all decisions.
///
/// The file exists as long as the reserve is allocated, or was released and not allocated again: an empty one tells the next relay
/// that the disk was full. Methods that change it are called only on the thread that commits.
final class Reserve: Sendable {
    /// Enough for a hundred decisions, which write some 40 KB each.
    static let byteCount = 4 << 20
    /// Bytes of events up to which a batch may use the reserve: more of them can wait at their hosts.
    static let eventBytesMax = 64 << 10
    /// The reserve is first allocated only if this many times its size is free, so that it does not fill a small disk.
    private static let shareAtFirst: UInt64 = 8
    /// The reserve is allocated again once this many times its size is free.
    private static let shareAgain: UInt64 = 2

    private enum State: Int, AtomicRepresentable { case none, kept, used }

    private let path: String
    private let state: Atomic<State>

    /// Takes over an earlier relay's reserve, or allocates one if there is enough space.
    init(_ path: String) {
        self.path = path
        state = Atomic(Files.exists(path) ? .used : .none)
        _ = keep()
    }

    /// True after the reserve was released, until it is allocated again.
    var isUsed: Bool { state.load(ordering: .relaxed) == .used }

    /// - Returns: false if there was none.
    func giveUp() -> Bool {
        guard state.load(ordering: .relaxed) == .kept, unsafe truncate(path, 0) == 0 else { return false }
        state.store(.used, ordering: .relaxed)
        return true
    }

    /// Allocates the reserve. False if there is not enough space, or the file system cannot allocate. May take as long as the disk.
    func keep() -> Bool {
        if state.load(ordering: .relaxed) == .kept { return true }
        let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
        let missing = max(0, Int64(Self.byteCount) - bytesOnDisk)
        if missing > 0 {
            let share = isUsed ? Self.shareAgain : Self.shareAtFirst
            guard let free = Disk.freeBytes(at: String(folder)), free / share >= UInt64(missing) else { return false }
        }
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // Needed even if the file looks large enough, as a copy of it may have holes.
        guard posix_fallocate(descriptor, 0, Self.byteCount) == 0 else {
            if !isUsed { _ = unsafe unlink(path) }
            return false
        }
        state.store(.kept, ordering: .relaxed)
        return true
    }

    private var bytesOnDisk: Int64 {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? Int64(facts.st_blocks) * 512 : 0
    }
}

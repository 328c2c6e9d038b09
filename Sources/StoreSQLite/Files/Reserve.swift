internal import Glibc
internal import HeliographPlatform
internal import Synchronization

/// Room on the disk that nothing else takes. When the disk is full it is given up, and what must still be written has a place: what a
/// person decides, above all.
///
/// The file is there as long as room is kept, or was and is not again: an empty one tells the next relay that the disk was full. Only the
/// thread that commits calls what changes it.
final class Reserve: Sendable {
    /// A decision writes some 40 KB: a hundred of them.
    static let byteCount = 4 << 20
    /// Events of so many bytes in a batch take nothing of it: they can wait at their hosts.
    static let eventBytesMax = 64 << 10
    /// Only a disk that has so many times as much left is asked for it: a small one is not to be filled by this.
    private static let shareAtFirst: UInt64 = 8
    /// The reserve is allocated again once this many times its size is free.
    private static let shareAgain: UInt64 = 2

    private enum State: Int, AtomicRepresentable { case none, kept, used }

    private let path: String
    private let state: Atomic<State>

    /// Takes over an earlier relay's reserve, or allocates one if there is room.
    init(_ path: String) {
        self.path = path
        state = Atomic(Files.exists(path) ? .used : .none)
        _ = keep()
    }

    /// True after the reserve was given up, until it is allocated again.
    var isUsed: Bool { state.load(ordering: .relaxed) == .used }

    /// - Returns: false if there was none.
    func giveUp() -> Bool {
        guard state.load(ordering: .relaxed) == .kept, unsafe truncate(path, 0) == 0 else { return false }
        state.store(.used, ordering: .relaxed)
        return true
    }

    /// False if there is not enough room, or the file system cannot allocate. May take as long as the disk.
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
        // Needed even if the file looks large enough: a copy of it may have holes.
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

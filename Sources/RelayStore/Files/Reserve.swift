internal import Glibc
internal import Platform
internal import Synchronization

/// Room on the disk that nothing else takes. When the disk is full it is given up, and what must still be written has a place: what a
/// person decides, above all.
final class Reserve: Sendable {
    /// A decision writes some 40 KB before and after it is copied into the data file: a hundred of them.
    static let byteCount = 4 << 20
    /// Only of a disk that has so many times as much left: a small one is not to be filled by this.
    private static let share: UInt64 = 8

    private enum State { case none, kept, used }

    private let path: String
    private let state = Mutex(State.none)

    /// Takes up what an earlier relay kept, or keeps some where there is room.
    init(_ path: String) {
        self.path = path
        _ = keep()
    }

    /// It was given up, and is not there again.
    var isUsed: Bool { state.withLock { $0 == .used } }

    /// False where there was none.
    func giveUp() -> Bool {
        state.withLock { state in
            guard state == .kept, unsafe truncate(path, 0) == 0 else { return false }
            state = .used
            return true
        }
    }

    /// False where there is not room enough for it, or the file system cannot.
    func keep() -> Bool {
        state.withLock { state in
            if state == .kept { return true }
            let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            var facts = stat()
            guard unsafe fstat(descriptor, &facts) == 0 else { return false }
            if facts.st_size < Self.byteCount {
                guard let free = Disk.freeBytes(at: path), free / Self.share >= Self.byteCount,
                    posix_fallocate(descriptor, 0, Self.byteCount) == 0
                else { return false }
            }
            state = .kept
            return true
        }
    }
}

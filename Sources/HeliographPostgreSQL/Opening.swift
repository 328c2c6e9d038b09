internal import Dispatch
internal import Glibc
internal import Synchronization

/// A connection that is made on one thread while another one waits for it, which may give up.
///
/// Unchecked: the connection belongs to the thread that takes it out, under the lock.
@safe final class Opening: @unchecked Sendable {
    private enum Stage {
        /// Being made. Can become `made` or `givenUp`.
        case making
        /// Made. Can become `taken`.
        case made(UInt?)
        /// The waiting thread has given up: a connection that is then made is closed at once.
        case givenUp
        case taken
    }

    private let stage = Mutex(Stage.making)
    private let isDone = DispatchSemaphore(value: 0)

    /// Makes the connection. Takes as long as libpq does.
    func end(with settings: [(String, String)], _ libpq: LibPQ) {
        let (names, values) = unsafe (settings.map { unsafe strdup($0.0) }, settings.map { unsafe strdup($0.1) })
        defer { unsafe (names + values).forEach { unsafe free($0) } }
        let made = unsafe libpq.connect(
            names.map { unsafe UnsafePointer($0) } + [nil], values.map { unsafe UnsafePointer($0) } + [nil], 1)
        let address = unsafe made.map { UInt(bitPattern: $0) }
        let isWanted = stage.withLock { stage in
            guard case .making = stage else { return false }
            stage = .made(address)
            return true
        }
        if isWanted { isDone.signal() } else if let made = unsafe made { unsafe libpq.finish(made) }
    }

    /// False if the deadline has passed: then nothing can be taken any more.
    func wait(until deadline: DispatchTime) -> Bool {
        if isDone.wait(timeout: deadline) == .success { return true }
        return stage.withLock { stage in
            if case .made = stage { return true }
            stage = .givenUp
            return false
        }
    }

    /// Called after `wait` returned true. Nil: libpq had no memory.
    func take() -> LibPQ.Connection? {
        let address: UInt? = stage.withLock { stage in
            guard case .made(let address) = stage else { preconditionFailure("a connection is taken once, when it was made") }
            stage = .taken
            return address
        }
        return unsafe address.flatMap { unsafe OpaquePointer(bitPattern: $0) }
    }
}

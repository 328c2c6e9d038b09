internal import CHeliographLibwebsockets
internal import Glibc

/// Sees which of some connections have something to be read while a turn serves others: an epoll instance of its own, which is only
/// looked at. Who is closed is forgotten by the kernel.
@safe final class ExpeditedSockets {
    private let epoll: Int32

    init() throws(WebSocketEngineError) {
        epoll = clws_hangups_make()
        guard epoll >= 0 else { throw WebSocketEngineError(.initialisationFailed, "no epoll: \(String(errno: errno))") }
    }

    deinit { close(epoll) }

    /// Where the kernel takes no more, it is served in its turn like the others.
    func add(_ connection: ConnectionID, descriptor: Int32) {
        _ = clws_readable_add(epoll, descriptor, connection.rawValue)
    }

    /// At most `CLWS_READABLE_MAX`; none is starved, the kernel goes round.
    func ready() -> [UInt64] {
        unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Int(CLWS_READABLE_MAX)) { tags in
            let count = unsafe clws_readable(epoll, tags.baseAddress!)
            return unsafe Array(tags.prefix(max(0, Int(count))))
        }
    }
}

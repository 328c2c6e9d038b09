internal import Glibc

/// Sees which of some connections have something to be read while a turn serves others: an epoll instance of its own, which is only
/// looked at. The kernel forgets what is closed.
final class ExpeditedSockets {
    private let epoll: Epoll

    init() throws(WebSocketEngineError) { epoll = try Epoll() }

    deinit { close(epoll.descriptor) }

    /// If the kernel refuses, the connection is served in its turn like the others.
    func add(_ connection: ConnectionID, descriptor: Int32) {
        _ = epoll.add(descriptor, for: .readable, tag: connection.rawValue)
    }

    func ready() -> [UInt64] { epoll.ready() }
}

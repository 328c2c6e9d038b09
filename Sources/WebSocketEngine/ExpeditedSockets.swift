internal import Glibc

/// Reports which of some connections are readable while a turn serves others, by an epoll instance that is only polled. The kernel
/// removes closed descriptors.
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

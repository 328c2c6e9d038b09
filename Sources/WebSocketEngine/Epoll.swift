internal import CHeliographLinux
internal import Glibc

/// An epoll instance that is polled without waiting. Each descriptor is reported by its tag. The kernel removes closed descriptors.
@safe struct Epoll {
    /// Closed by the owner, or by libwebsockets if that was given it.
    let descriptor: Int32

    enum Interest {
        /// Level-triggered: reported as long as there is something to read.
        case readable
        /// The peer left; reported once.
        case hangUp

        fileprivate var events: UInt32 {
            switch self {
            case .readable: EPOLLIN.rawValue
            case .hangUp: EPOLLRDHUP.rawValue | EPOLLONESHOT.rawValue
            }
        }
    }

    /// Most descriptors reported at a time. None starves, because the kernel reports them in turn.
    private static let readyMax = 64

    init() throws(WebSocketEngineError) {
        descriptor = clinux_epoll_create()
        guard descriptor >= 0 else { throw WebSocketEngineError(.initialisationFailed, "no epoll: \(String(errno: errno))") }
    }

    /// - Returns: false if the kernel refused.
    func add(_ watched: Int32, for interest: Interest, tag: UInt64) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = interest.events
        unsafe event.data.u64 = tag
        return unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0
    }

    func remove(_ watched: Int32) { epoll_ctl(descriptor, EPOLL_CTL_DEL, watched, nil) }

    /// The tags of descriptors that are ready now.
    func ready() -> [UInt64] {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.readyMax) { events in
            let count = unsafe epoll_wait(descriptor, events.baseAddress, Int32(Self.readyMax), 0)
            return unsafe events.prefix(max(0, Int(count))).map { unsafe $0.data.u64 }
        }
    }
}

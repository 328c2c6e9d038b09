/// A listener on another loop of the group, which serves connections that the main loop accepted.
struct ListenerBranch: Sendable {
    private let thread: LoopThread
    private let listener: LoopBound<Listener>

    /// Call on the other loop's thread.
    init(_ listener: Listener, on loop: EventLoop, of thread: LoopThread) {
        self.thread = thread
        self.listener = LoopBound(listener, loop: loop)
    }

    func serve(_ socket: AcceptedSocket) {
        let listener = listener
        thread.handOver { loop in loop.serve(socket, for: listener.value) }
    }

    func closeSilent() {
        let listener = listener
        thread.handOver { loop in loop.closeSilent(of: listener.value.admission) }
    }
}

internal import CHeliographLibwebsockets

/// Connections that are no WebSocket yet, when there are as many of them as may be. A storm of thousands who come back is served as fast as it goes and
/// waits in the kernel meanwhile; strangers who connect and say nothing make room for those who do.
extension EventLoop {
    /// The accepting loop's: has every loop that serves this listener close its silent ones, and accepts again in a moment.
    func makeRoom(for socket: ListenSocket) {
        let listener = socket.listener
        if socket.branches.isEmpty { closeSilent(of: listener.admission) }
        for branch in socket.branches { branch.closeSilent() }
        rest(socket, Self.makingRoom)
    }

    /// Each look is one at all that are pending.
    private static let makingRoom = Duration.milliseconds(20)

    /// Oldest connections first.
    func closeSilent(of admission: Admission) {
        let now = MonotonicTime.now
        let silent = pending.compactMap { connections[$0] }.filter { $0.listener?.admission === admission && isSilent($0, now) }
        for connection in silent.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
            guard let listener = connection.listener else { continue }
            noteTurnedAway(from: listener, .pending)
            end(connection, .timedOut)
        }
    }

    private func isSilent(_ connection: Connection, _ now: MonotonicTime) -> Bool {
        guard connection.phase == .http, connection.exchange == nil, let wsi = unsafe connection.socket else { return false }
        let limits = connection.limits
        let descriptor = unsafe lws_get_socket_fd(wsi)
        guard now >= connection.lastHeard + limits.silenceMax.ofNothing, SocketCounts.unread(descriptor) == 0 else {
            return false
        }
        return now >= connection.lastHeard + limits.silenceMax.ofRequest || SocketCounts.received(descriptor) == 0
    }
}

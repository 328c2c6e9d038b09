internal import CHeliographLibwebsockets

/// Handling of too many connections that are not WebSockets yet. When thousands reconnect at once, they wait in the kernel and are
/// served as fast as possible; connections that send nothing are closed to make room.
extension EventLoop {
    /// Called on the accepting loop: makes every loop that serves this listener close its silent connections, and accepts again in
    /// a moment.
    func makeRoom(for socket: ListenSocket) {
        let listener = socket.listener
        if socket.branches.isEmpty { closeSilent(of: listener.admission) }
        for branch in socket.branches { branch.closeSilent() }
        rest(socket, Self.makingRoom)
    }

    /// Pause between two attempts, each of which scans all pending connections.
    private static let makingRoom = Duration.milliseconds(20)

    /// Closes silent connections, the oldest first.
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

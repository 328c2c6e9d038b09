import RelayModel
import RelayProtocol

/// The sessions that clients have asked to be removed, and who waits until they are. Their hosts' events wait meanwhile.
struct RemovalRequests {
    private var waiters: [SessionKey: [Waiter]] = [:]

    /// A command that is answered when the session is gone.
    struct Waiter {
        let peer: PeerID
        let command: CommandID
    }

    var isEmpty: Bool { waiters.isEmpty }
    var inOrder: [SessionKey] { waiters.keys.sorted() }
    var waiterCount: Int { waiters.values.reduce(0) { $0 + $1.count } }

    func has(_ key: SessionKey) -> Bool { waiters[key] != nil }

    mutating func add(_ key: SessionKey, for waiter: Waiter) { waiters[key, default: []].append(waiter) }

    /// Hands back those who wait for it.
    mutating func removed(_ key: SessionKey) -> [Waiter] { waiters.removeValue(forKey: key) ?? [] }

    /// A removal goes on although the client that asked for it has left.
    mutating func left(_ peer: PeerID) {
        for (key, all) in waiters where all.contains(where: { $0.peer == peer }) {
            waiters[key] = all.filter { $0.peer != peer }
        }
    }

    /// The workspace was removed, and all its clients have left.
    mutating func forget(_ workspace: WorkspaceID) { waiters = waiters.filter { $0.key.workspace != workspace } }
}

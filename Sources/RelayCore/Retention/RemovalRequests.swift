import RelayModel
import RelayProtocol

/// The sessions that clients have asked to remove, with the commands to answer. Their hosts' events are refused meanwhile.
struct RemovalRequests {
    private var waiters: [SessionKey: [Waiter]] = [:]

    /// A command that is answered when the session is removed.
    struct Waiter {
        let peer: PeerID
        let command: CommandID
    }

    var isEmpty: Bool { waiters.isEmpty }
    var inOrder: [SessionKey] { waiters.keys.sorted() }
    var waiterCount: Int { waiters.values.reduce(0) { $0 + $1.count } }

    func has(_ key: SessionKey) -> Bool { waiters[key] != nil }

    mutating func add(_ key: SessionKey, for waiter: Waiter) { waiters[key, default: []].append(waiter) }

    /// Removes and returns the commands that wait for this session.
    mutating func removed(_ key: SessionKey) -> [Waiter] { waiters.removeValue(forKey: key) ?? [] }

    /// Drops the commands of a disconnected client. The removals themselves continue.
    mutating func left(_ peer: PeerID) {
        for (key, all) in waiters where all.contains(where: { $0.peer == peer }) {
            waiters[key] = all.filter { $0.peer != peer }
        }
    }

    /// Drops the commands of a removed workspace, whose clients have all disconnected.
    mutating func forget(_ workspace: WorkspaceID) { waiters = waiters.filter { $0.key.workspace != workspace } }
}

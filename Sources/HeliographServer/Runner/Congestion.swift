import RelayCluster
import WebSocketEngine

/// Peers that must be sent nothing more for now: one whose own connection, or own part of a link, does not keep up, and all that come over
/// a link that does not.
struct Congestion {
    /// The part of a peer's path that does not keep up.
    enum Cause {
        case connection
        /// The peer's share of its edge's link is full.
        case share
    }

    private var peers: [ConnectionID: Set<Cause>] = [:]
    private var links: Set<Int> = []

    func holds(_ connection: ConnectionID) -> Bool { peers[connection] != nil || isLinkCongested(of: connection) }

    /// True: from now on.
    mutating func began(_ connection: ConnectionID, _ cause: Cause = .connection) -> Bool {
        let held = holds(connection)
        peers[connection, default: []].insert(cause)
        return !held
    }

    /// True: it keeps up again.
    mutating func ended(_ connection: ConnectionID, _ cause: Cause = .connection) -> Bool {
        guard peers[connection]?.remove(cause) != nil else { return false }
        if peers[connection]?.isEmpty == true { peers[connection] = nil }
        return !holds(connection)
    }

    /// Returns the link's peers that were not congested before.
    mutating func began(link: Int, _ remote: [ConnectionID]) -> [ConnectionID] {
        guard links.insert(link).inserted else { return [] }
        return remote.filter { peers[$0] == nil }
    }

    /// Returns the link's peers that keep up again.
    mutating func ended(link: Int, _ remote: [ConnectionID]) -> [ConnectionID] {
        guard links.remove(link) != nil else { return [] }
        return remote.filter { peers[$0] == nil }
    }

    mutating func forget(_ connection: ConnectionID) { peers[connection] = nil }

    mutating func forget(link: Int) { links.remove(link) }

    private func isLinkCongested(of connection: ConnectionID) -> Bool {
        guard !links.isEmpty, let link = RemotePeer.link(of: connection.rawValue) else { return false }
        return links.contains(link)
    }
}

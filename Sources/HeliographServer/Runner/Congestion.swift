import RelayCluster
import WebSocketEngine

/// Peers to which nothing more may be sent for now: those whose own connection or share of a link is too slow, and all peers of a
/// link that is.
struct Congestion {
    /// The part of a peer's path that is too slow.
    enum Cause {
        case connection
        /// The peer's share of its edge's link is full.
        case share
    }

    private var peers: [ConnectionID: Set<Cause>] = [:]
    private var links: Set<Int> = []

    func holds(_ connection: ConnectionID) -> Bool { peers[connection] != nil || isLinkCongested(of: connection) }

    /// Returns true if the peer was not congested before.
    mutating func began(_ connection: ConnectionID, _ cause: Cause = .connection) -> Bool {
        let held = holds(connection)
        peers[connection, default: []].insert(cause)
        return !held
    }

    /// Returns true if the peer is not congested any more.
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

    /// Returns the link's peers that are not congested any more.
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

import RelayCluster
import WebSocketEngine

/// Peers that must be sent nothing more for now: one whose own connection does not keep up, and all that come over a link that does not.
struct Congestion {
    private var connections: Set<ConnectionID> = []
    private var links: Set<Int> = []

    func holds(_ connection: ConnectionID) -> Bool { connections.contains(connection) || isLinkCongested(of: connection) }

    /// True: from now on.
    mutating func began(_ connection: ConnectionID) -> Bool {
        let held = holds(connection)
        connections.insert(connection)
        return !held
    }

    /// True: it keeps up again.
    mutating func ended(_ connection: ConnectionID) -> Bool {
        guard connections.remove(connection) != nil else { return false }
        return !holds(connection)
    }

    /// Those of its peers for which that is news.
    mutating func began(link: Int, _ peers: [ConnectionID]) -> [ConnectionID] {
        guard links.insert(link).inserted else { return [] }
        return peers.filter { !connections.contains($0) }
    }

    /// Likewise, those that keep up again.
    mutating func ended(link: Int, _ peers: [ConnectionID]) -> [ConnectionID] {
        guard links.remove(link) != nil else { return [] }
        return peers.filter { !connections.contains($0) }
    }

    mutating func forget(_ connection: ConnectionID) { connections.remove(connection) }

    mutating func forget(link: Int) { links.remove(link) }

    private func isLinkCongested(of connection: ConnectionID) -> Bool {
        guard !links.isEmpty, let link = RemotePeer.link(of: connection.rawValue) else { return false }
        return links.contains(link)
    }
}

import Logging
import RelayCluster
import RelayCore
import RelayProtocol
import WebSocketEngine

/// Passes input from all loops of a node to the core that it is for, or to the link to the node that owns the workspace. Confined
/// to the main loop's thread.
final class NodeIngress {
    private let parts: NodeParts
    private let routes: NodeRoutes
    private let reads: PacedReads
    private let admission: AdmissionControl
    private let connections: PeerConnections
    private let measures: Measures
    private let logger: Logger
    /// The core or link of each connection, from its opening on.
    private var places: [ConnectionID: Place] = [:]
    /// Links from other nodes that are congested.
    private var congestedLinks: Set<Int> = []

    private enum Place {
        case core(Ingress)
        case link(EdgeRunner)
    }

    init(
        _ parts: NodeParts, routes: NodeRoutes, reads: PacedReads, admission: AdmissionControl, connections: PeerConnections,
        measures: Measures, logger: Logger
    ) {
        self.parts = parts
        self.routes = routes
        self.reads = reads
        self.admission = admission
        self.connections = connections
        self.measures = measures
        self.logger = logger
    }

    /// Reports links that became congested before this core existed.
    func catchUp(_ core: CoreUnit) { for link in congestedLinks { core.ingress.take(.linkCongested(link)) } }

    func take(_ arrival: Arrival) {
        switch arrival {
        case .opened(let connection, let authenticated): opened(connection, authenticated, arrival)
        case .said(_, let connection, _):
            guard case .core(let ingress) = places[connection] else { return sendAway(connection) }
            ingress.take(arrival)
        case .unread(let bytes, let connection):
            guard case .link(let edge) = places[connection] else { return sendAway(connection) }
            edge.said(bytes, by: connection)
        case .closed(let connection, let reason):
            switch places.removeValue(forKey: connection) {
            case .core(let ingress): ingress.take(arrival)
            case .link(let edge): edge.closed(connection, reason)
            case nil: connections.gone(connection)
            }
        case .congested(let connection):
            switch places[connection] {
            case .core(let ingress): ingress.take(arrival)
            case .link(let edge): edge.congested(connection)
            case nil: break
            }
        case .drained(let connection):
            switch places[connection] {
            case .core(let ingress): ingress.take(arrival)
            case .link(let edge): edge.drained(connection)
            case nil: break
            }
        case .request(let request, let id): routes.answer(request, id)
        case .requestAborted(let id): routes.aborted(id)
        case .tokenUnknown: reads.askInTime()
        // Connections refused for another node's workspace are counted by its owner.
        case .turnedAway(let workspace): parts.cores[workspace]?.ingress.take(arrival)
        case .linkOpened(let link, let connection):
            connections.linkOpened(link, connection)
            measures.linkOpened()
            logger.notice("a node has linked", metadata: ["connection.id": "\(connection)", "link": "\(link)"])
        case .linkClosed(let link, let reason):
            congestedLinks.remove(link)
            tellCores(arrival)
            connections.linkClosed(link)
            measures.linkClosed()
            logger.notice("a node's link has ended", metadata: ["link": "\(link)", "reason": "\(reason)"])
        case .linkCongested(let link):
            congestedLinks.insert(link)
            tellCores(arrival)
        case .linkDrained(let link):
            congestedLinks.remove(link)
            tellCores(arrival)
        }
    }

    private func tellCores(_ arrival: Arrival) { for core in parts.cores.values { core.ingress.take(arrival) } }

    private func opened(_ connection: ConnectionID, _ authenticated: AuthenticatedPeer, _ arrival: Arrival) {
        switch parts.way(to: authenticated.token.workspace) {
        case .core(let core):
            places[connection] = .core(core.ingress)
            core.ingress.take(arrival)
        // A link is only for this node's own sockets: a peer from another node came here because that node had an older view of the
        // owners.
        case .link(let edge) where RemotePeer.link(of: connection.rawValue) == nil:
            places[connection] = .link(edge)
            edge.opened(connection, authenticated)
        case .link, nil:
            admission.leave(authenticated)
            connections.came(connection)
            sendAway(connection)
        }
    }

    /// Disconnects a peer, which reconnects and then finds the node that owns its workspace.
    private func sendAway(_ connection: ConnectionID) {
        connections.close(
            connection, code: CloseCode.restarting.rawValue,
            reason: CloseCode.restarting(inMilliseconds: .random(in: Self.returnMilliseconds)))
    }

    /// Range of the random wait: a look at the database and a claim take about as long.
    private static let returnMilliseconds: ClosedRange<Int64> = 300...1_500

    /// A peer's share of a link is full, or has drained; see `PeerConnections.shareChanged`.
    func shareChanged(_ connection: ConnectionID, isFull: Bool) {
        if case .core(let ingress) = places[connection] { ingress.shareChanged(connection, isFull: isFull) }
    }
}

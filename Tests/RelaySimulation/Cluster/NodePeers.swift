import RelayCluster
import RelayModel
import RelayProtocol

/// Peers connected to this node. A peer's workspace determines where its messages go: to the core here, or over the link to the
/// owning node.
final class NodePeers {
    private enum Way {
        case owner(OwnerPart)
        case edge(EdgePart)
    }

    private unowned let node: ClusterNode
    private var world: ClusterWorld { node.world }
    private var peers: [PeerID: (socket: ClusterSocket, way: Way)] = [:]

    init(_ node: ClusterNode) { self.node = node }

    /// True if a new peer of this workspace is admitted now.
    func isServing(_ workspace: WorkspaceID) -> Bool { node.entrants.mayEnter(workspace) && way(of: workspace) != nil }

    private func way(of workspace: WorkspaceID) -> Way? {
        if let part = node.owner(of: workspace) { return .owner(part) }
        guard let holder = node.placement.holder(of: workspace), let edge = node.edges[holder], edge.isServing else {
            return nil
        }
        return .edge(edge)
    }

    // MARK: Coming and going

    func opened(_ socket: ClusterSocket) {
        guard let way = way(of: world.workspace(of: socket.role)) else {
            return world.nodeCloses(socket, CloseCode.restarting.rawValue, CloseCode.restarting.reason)
        }
        peers[socket.id] = (socket, way)
        world.trace.note(world.now, node.name, "takes", "\(socket.name) as \(socket.id.rawValue)")
        switch way {
        case .owner(let part): part.opened(socket.id, socket.role)
        case .edge(let edge): edge.take(.peerOpened(socket.id, PeerOpening(of: socket)))
        }
    }

    func received(_ bytes: [UInt8], on socket: ClusterSocket) {
        switch peers[socket.id]?.way {
        case .owner(let part): part.received(bytes, from: socket.id, socket.role)
        case .edge(let edge): edge.take(.peerSaid(socket.id, bytes))
        case nil: break
        }
    }

    func closed(_ socket: ClusterSocket) {
        switch peers.removeValue(forKey: socket.id)?.way {
        case .owner(let part): part.closed(socket.id)
        case .edge(let edge): edge.take(.peerClosed(socket.id))
        case nil: break
        }
    }

    /// Closes the workspace's peers, because their tokens were revoked.
    func showOut(of workspace: WorkspaceID) {
        for (peer, (socket, _)) in peers.sorted(by: { $0.key < $1.key }) where world.workspace(of: socket.role) == workspace {
            close(peer, CloseCode.revoked.rawValue, CloseCode.revoked.reason)
        }
    }

    /// The node stops sending.
    func fallSilent() { for (_, (socket, _)) in peers.sorted(by: { $0.key < $1.key }) { world.cut(socket) } }

    /// The process has ended.
    func lose() {
        for (_, (socket, _)) in peers.sorted(by: { $0.key < $1.key }) {
            socket.isOpenAtNode = false
            world.learnsPeer(socket, nil, in: world.dice.within(0...20))
        }
        peers = [:]
    }

    // MARK: Sending

    func send(_ bytes: [UInt8], to peer: PeerID) {
        if let socket = peers[peer]?.socket { world.sendToPeer(bytes, on: socket) }
    }

    func close(_ peer: PeerID, _ code: UInt16, _ reason: String) {
        if let socket = peers[peer]?.socket { world.nodeCloses(socket, code, reason) }
    }

    /// Closes a peer, with a random delay before it reconnects.
    func dismiss(_ peer: PeerID) {
        close(peer, CloseCode.restarting.rawValue, CloseCode.restarting(inMilliseconds: world.dice.within(0...1_000)))
    }

    // MARK: Reading

    func pause(_ peer: PeerID) { peers[peer]?.socket.isPaused = true }

    func resume(_ peer: PeerID) {
        guard let socket = peers[peer]?.socket else { return }
        socket.isPaused = false
        node.inThisLife(after: 0) { self.readOn(socket) }
    }

    private func readOn(_ socket: ClusterSocket) {
        while !socket.isPaused, socket.isOpenAtNode, !socket.unread.isEmpty {
            received(socket.unread.removeFirst(), on: socket)
        }
    }

    // MARK: Checking

    func has(_ peer: PeerID) -> Bool { peers[peer].map { !$0.socket.isCut && $0.socket.isOpenAtPeer } ?? false }

    /// A peer that is connected without a core to serve it; nil for none.
    var complaint: String? {
        for (peer, (socket, way)) in peers.sorted(by: { $0.key < $1.key }) where has(peer) {
            if case .owner(let part) = way, !node.placement.owns(part) {
                return "\(node.name) keeps \(socket.name), whose workspace it owns no more"
            }
            if case .edge(let edge) = way, edge.isOver { return "\(node.name) keeps \(socket.name), whose link has ended" }
        }
        return nil
    }

    func role(of peer: PeerID) -> ClusterSocket.Role? { peers[peer]?.socket.role }
}

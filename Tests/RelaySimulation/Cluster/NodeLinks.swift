import RelayCluster
import RelayCore
import RelayModel
import RelayProtocol

/// Links from other nodes to this one: messages from them are treated like those from sockets, and messages for their peers are
/// sent back to the peer that has the number now. Like `LinkAcceptor` and `PeerConnections`.
final class NodeLinks {
    private struct Link {
        let wire: NodeWire
        var peers: EdgePeers
        /// The current peers, by the edge's numbers.
        var names: [Int: PeerID] = [:]
        var gathered = RecordWriter()
        var addressees: [Set<PeerID>] = []
    }

    /// A peer at another node, behind a name of this node.
    private struct Remote {
        /// Its socket, for the checkers.
        let socket: PeerID
        let role: ClusterSocket.Role
        /// The core that serves it; nil if it was refused, because its workspace is not owned here.
        let part: OwnerPart?
    }

    private unowned let node: ClusterNode
    private var world: ClusterWorld { node.world }
    private var links: [Int: Link] = [:]
    private var lastLink = 0
    private var remotes: [PeerID: Remote] = [:]

    init(_ node: ClusterNode) { self.node = node }

    private var wires: [NodeWire] { links.sorted { $0.key < $1.key }.map(\.value.wire) }

    func opened(_ wire: NodeWire) {
        lastLink += 1
        wire.number = lastLink
        links[lastLink] = Link(wire: wire, peers: EdgePeers(link: lastLink))
    }

    func closed(_ number: Int) {
        guard let link = links.removeValue(forKey: number) else { return }
        if world.plant == .keptPeers { return }
        for peer in link.peers.all { remotes.removeValue(forKey: peer)?.part?.closed(peer) }
    }

    /// Stops all messages.
    func fallSilent() { for wire in wires { world.end(wire, isSlow: true) } }

    /// The process has ended.
    func lose() { for wire in wires { world.end(wire) } }

    func received(_ bytes: [UInt8], on number: Int) {
        do throws(NodeLinkError) {
            for record in try EdgeMessage.read(bytes) { try take(record, on: number) }
        } catch { world.report(.codec, "\(node.name) does not understand an edge: \(error)") }
    }

    private func take(_ record: EdgeMessage, on number: Int) throws(NodeLinkError) {
        guard links[number] != nil else { return }
        switch record {
        case .open(let peer, let opening):
            guard let name = try links[number]?.peers.open(peer) else { return }
            links[number]?.names[peer] = name
            opened(name, opening)
        case .text(let peer, let bytes):
            guard let name = try links[number]?.peers.peer(peer), let remote = remotes[name] else { return }
            remote.part?.received(bytes, from: name, remote.role)
        case .closed(let peer):
            guard let name = try links[number]?.peers.closed(peer) else { return }
            remotes.removeValue(forKey: name)?.part?.closed(name)
            links[number]?.names[peer] = nil
            tell(.forgotten(peer), for: [], number)
        case .congested(let peer): if let name = try links[number]?.peers.peer(peer) { remotes[name]?.part?.congested(name) }
        case .drained(let peer): if let name = try links[number]?.peers.peer(peer) { remotes[name]?.part?.drained(name) }
        case .call(let call, let request):
            // A call that another node forwarded is not forwarded again.
            node.calls.answer(request, isCarried: true) { [self] in tell(.answer(call, $0), for: [], number) }
        }
    }

    private func opened(_ name: PeerID, _ opening: PeerOpening) {
        let workspace = world.workspace(of: opening.role)
        let part = node.entrants.mayEnter(workspace) ? node.owner(of: workspace) : nil
        remotes[name] = Remote(socket: opening.socket, role: opening.role, part: part)
        guard let part else {
            world.trace.note(world.now, node.name, "sends away", "\(opening.socket.rawValue) at an edge")
            if node.entrants.isRemoved(workspace) {
                return _ = close(name, CloseCode.revoked.rawValue, CloseCode.revoked.reason)
            }
            return _ = close(name, CloseCode.restarting.rawValue, CloseCode.restarting.reason)
        }
        part.opened(name, opening.role)
    }

    // MARK: Sending

    /// Sends to those of the peers that are at other nodes; returns the rest.
    func send(_ bytes: [UInt8], to peers: [PeerID]) -> [PeerID] {
        var own: [PeerID] = []
        var remote: [Int: [PeerID]] = [:]
        for peer in peers {
            if let link = RemotePeer.link(of: peer.rawValue) {
                remote[link, default: []].append(peer)
            } else {
                own.append(peer)
            }
        }
        for (link, names) in remote.sorted(by: { $0.key < $1.key }) {
            let there = names.filter { links[link]?.names[RemotePeer.number(of: $0.rawValue)] == $0 }
            guard !there.isEmpty else { continue }
            tell(.text(there.map { RemotePeer.number(of: $0.rawValue) }, bytes), for: there, link)
        }
        return own
    }

    /// Closes a peer. Returns false if it is not at another node.
    func close(_ peer: PeerID, _ code: UInt16, _ reason: String) -> Bool {
        guard let link = RemotePeer.link(of: peer.rawValue) else { return false }
        let number = RemotePeer.number(of: peer.rawValue)
        if links[link]?.names[number] == peer { tell(.close(number, code: code, reason: reason), for: [peer], link) }
        return true
    }

    private func tell(_ message: OwnerMessage, for peers: [PeerID], _ number: Int) {
        guard links[number] != nil else { return }
        if links[number]?.gathered.isEmpty == true { node.inThisLife(after: 0) { self.flush(number) } }
        message.write(to: &links[number]!.gathered)
        links[number]?.addressees.append(Set(peers.compactMap { remotes[$0]?.socket }))
    }

    private func flush(_ number: Int) {
        guard let link = links[number], !link.gathered.isEmpty else { return }
        let bytes = links[number]!.gathered.take()
        links[number]?.addressees = []
        world.sendToEdge(bytes, for: link.addressees, on: link.wire)
    }

    // MARK: Checking

    func role(of peer: PeerID) -> ClusterSocket.Role? { remotes[peer]?.role }

    /// True if a peer is connected under this name.
    func isThere(_ peer: PeerID) -> Bool {
        guard let number = RemotePeer.link(of: peer.rawValue), let link = links[number], let remote = remotes[peer] else {
            return false
        }
        return link.names[RemotePeer.number(of: peer.rawValue)] == peer && link.wire.edge.node.peers.has(remote.socket)
    }

    /// A peer that is connected without a core to serve it; nil for none.
    var complaint: String? {
        for (peer, remote) in remotes.sorted(by: { $0.key < $1.key }) where isThere(peer) {
            if let part = remote.part, node.placement.owns(part) { continue }
            return "\(node.name) keeps socket \(remote.socket.rawValue) of a link, whose workspace it does not own"
        }
        return nil
    }
}

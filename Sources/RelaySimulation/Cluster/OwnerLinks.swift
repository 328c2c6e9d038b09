import RelayCluster
import RelayCore
import RelayModel

/// The owner's ends of its links: what comes over them is the same as what comes from sockets, and what is for their peers goes back, to
/// the peer that has the number now. As `LinkAcceptor` and `PeerConnections` do.
final class OwnerLinks {
    private struct Link {
        let wire: NodeWire
        var peers: EdgePeers
        /// By the edge's numbers: who has it now.
        var names: [Int: PeerID] = [:]
        var gathered = RecordWriter()
        var addressees: [Set<PeerID>] = []
    }

    private unowned let node: ClusterNode
    private unowned let owner: OwnerPart
    private var links: [Int: Link] = [:]
    private var lastLink = 0
    /// The sockets behind the owner's names, for the checkers.
    private(set) var sockets: [PeerID: PeerID] = [:]

    init(_ node: ClusterNode, _ owner: OwnerPart) {
        self.node = node
        self.owner = owner
    }

    var wires: [NodeWire] { links.sorted { $0.key < $1.key }.map(\.value.wire) }

    func opened(_ wire: NodeWire) {
        lastLink += 1
        wire.number = lastLink
        links[lastLink] = Link(wire: wire, peers: EdgePeers(link: lastLink))
    }

    func closed(_ number: Int) {
        guard let link = links.removeValue(forKey: number) else { return }
        if node.world.plant == .keptPeers { return }
        for peer in link.peers.all { owner.closed(peer) }
    }

    func received(_ bytes: [UInt8], on number: Int) {
        do throws(NodeLinkError) {
            for record in try EdgeMessage.read(bytes) { try take(record, on: number) }
        } catch { node.world.report(.codec, "\(node.name) does not understand an edge: \(error)") }
    }

    private func take(_ record: EdgeMessage, on number: Int) throws(NodeLinkError) {
        guard links[number] != nil else { return }
        switch record {
        case .open(let peer, let opening):
            guard let name = try links[number]?.peers.open(peer) else { return }
            sockets[name] = opening.socket
            links[number]?.names[peer] = name
            owner.opened(name, opening.role)
        case .text(let peer, let bytes):
            if let name = try links[number]?.peers.peer(peer) { owner.received(bytes, from: name) }
        case .closed(let peer):
            guard let name = try links[number]?.peers.closed(peer) else { return }
            owner.closed(name)
            links[number]?.names[peer] = nil
            tell(.forgotten(peer), for: [], number)
        case .congested(let peer): if let name = try links[number]?.peers.peer(peer) { owner.feed(.congested(name)) }
        case .drained(let peer): if let name = try links[number]?.peers.peer(peer) { owner.feed(.drained(name)) }
        case .call: break
        }
    }

    // MARK: Sending

    /// To those of them who are at edges; hands back the others.
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

    /// False: it is not at an edge.
    func close(_ peer: PeerID, _ code: UInt16, _ reason: String) -> Bool {
        guard let link = RemotePeer.link(of: peer.rawValue) else { return false }
        let number = RemotePeer.number(of: peer.rawValue)
        if links[link]?.names[number] == peer { tell(.close(number, code: code, reason: reason), for: [peer], link) }
        return true
    }

    private func tell(_ message: OwnerMessage, for peers: [PeerID], _ number: Int) {
        guard links[number] != nil else { return }
        if links[number]?.gathered.isEmpty == true { node.inThisLife(after: 0) { _ in self.flush(number) } }
        message.write(to: &links[number]!.gathered)
        links[number]?.addressees.append(Set(peers.compactMap { sockets[$0] }))
    }

    private func flush(_ number: Int) {
        guard let link = links[number], !link.gathered.isEmpty else { return }
        let bytes = links[number]!.gathered.take()
        links[number]?.addressees = []
        node.world.sendToEdge(bytes, for: link.addressees, on: link.wire)
    }

    // MARK: Checking

    /// Whether somebody is connected behind this name.
    func isThere(_ peer: PeerID) -> Bool {
        guard let number = RemotePeer.link(of: peer.rawValue), let link = links[number], let socket = sockets[peer] else {
            return false
        }
        return link.names[RemotePeer.number(of: peer.rawValue)] == peer && link.wire.edge.hasSocket(socket)
    }
}

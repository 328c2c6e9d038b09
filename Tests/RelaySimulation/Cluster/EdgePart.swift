import RelayCluster
import RelayModel

/// A node as the edge of another: the product's machine, and the link that carries its messages.
final class EdgePart {
    unowned let node: ClusterNode
    let owner: NodeAddress
    private var world: ClusterWorld { node.world }
    private var machine = EdgeMachine()
    /// Retained by the other end, or by messages in flight.
    private weak var wire: NodeWire?
    private(set) var isOver = false
    private var gathered = RecordWriter()
    /// Peers that the record being handled is for.
    private var addressees: Set<PeerID>?

    init(_ node: ClusterNode, to owner: NodeAddress) {
        self.node = node
        self.owner = owner
    }

    var isServing: Bool { machine.isServing }

    // MARK: The link

    func dial(_ other: ClusterNode) {
        let wire = NodeWire(edge: self, owner: other)
        self.wire = wire
        world.dial(wire)
    }

    func hangUp() { if let wire { world.end(wire) } }

    func fallSilent() { if let wire { world.end(wire, isSlow: true) } }

    func opened() {
        world.trace.note(world.now, node.name, "has a link", "to \(owner.holder)")
        take(.linkOpened)
    }

    func ended() {
        isOver = true
        wire = nil
        _ = gathered.take()
        take(.linkEnded)
        node.edges.ended(self)
    }

    // MARK: The machine

    func take(_ fact: EdgeMachine.Fact) { for order in machine.handle(fact) { carryOut(order) } }

    private func carryOut(_ order: EdgeMachine.Order) {
        switch order {
        case .tell(let message):
            tell(message)
            if case .closed(let number) = message, world.plant == .reusedNumber { take(.ownerSaid(.forgotten(number))) }
        case .send(let bytes, let peers):
            for peer in peers {
                deliver(to: peer)
                node.peers.send(bytes, to: peer)
            }
        case .close(let peer, let code, let reason):
            deliver(to: peer)
            node.peers.close(peer, code, reason)
        case .dismiss(let hosts, let clients): for peer in hosts + clients { node.peers.dismiss(peer) }
        case .pauseReading(let peer): node.peers.pause(peer)
        case .resumeReading(let peer): node.peers.resume(peer)
        case .answer(let call, let answer): node.calls.answered(call, answer)
        case .fail(let call, let failure): node.calls.failed(call, failure)
        }
    }

    private func deliver(to peer: PeerID) {
        guard let addressees, !addressees.contains(peer) else { return }
        world.report(.delivery, "peer \(peer.rawValue) gets what was for \(addressees.map { String($0.rawValue) }.sorted())")
    }

    /// Collects messages to the owner, which are sent together at the end of the turn.
    private func tell(_ message: EdgeMessage) {
        guard wire?.isOpenAtEdge == true else { return }
        if gathered.isEmpty { node.inThisLife(after: 0) { self.flush() } }
        message.write(to: &gathered)
    }

    private func flush() {
        guard let wire, !gathered.isEmpty else { return }
        world.sendToOwner(gathered.take(), on: wire)
    }

    /// `sockets` are the recipients of each record.
    func ownerSaid(_ bytes: [UInt8], for sockets: [Set<PeerID>]) {
        do throws(NodeLinkError) {
            let records = try OwnerMessage.read(bytes)
            guard records.count == sockets.count else {
                return world.report(.codec, "\(sockets.count) records were written, \(records.count) are read")
            }
            for (record, addressees) in zip(records, sockets) {
                self.addressees = addressees
                take(.ownerSaid(record))
            }
            addressees = nil
        } catch { world.report(.codec, "\(node.name) does not understand an owner: \(error)") }
    }
}

package import RelayModel

/// The peers of one edge, from the owner's view: maps the edge's numbers to identifiers that are never used again.
package struct EdgePeers {
    private let link: Int
    /// Peers by number on the link. `generation`: how often the number has been assigned.
    private var slots: [(isOpen: Bool, generation: Int)] = []

    package init(link: Int) { self.link = link }

    package mutating func open(_ number: Int) throws(NodeLinkError) -> PeerID {
        while slots.count <= number { slots.append((false, 0)) }
        guard !slots[number].isOpen else { throw NodeLinkError(.badValue, "peer \(number) of the link is open already") }
        slots[number].isOpen = true
        slots[number].generation = (slots[number].generation + 1) % RemotePeer.generationsMax
        return name(number)
    }

    package func peer(_ number: Int) throws(NodeLinkError) -> PeerID {
        guard slots.indices.contains(number), slots[number].isOpen else {
            throw NodeLinkError(.badValue, "there is no peer \(number) on the link")
        }
        return name(number)
    }

    /// The peer has disconnected. The edge may use the number again once it has received `forgotten`.
    package mutating func closed(_ number: Int) throws(NodeLinkError) -> PeerID {
        let peer = try peer(number)
        slots[number].isOpen = false
        return peer
    }

    /// All connected peers; used when the link ends.
    package var all: [PeerID] {
        slots.indices.filter { slots[$0].isOpen }.map(name)
    }

    private func name(_ number: Int) -> PeerID {
        RemotePeer.name(link: link, generation: slots[number].generation, number: number)
    }
}

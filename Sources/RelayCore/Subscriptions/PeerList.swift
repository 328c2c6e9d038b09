import RelayModel

/// Connections in order, as a message is sent to them: the list goes into the order as it is, without a copy for each message or a look
/// at each peer.
struct PeerList: Equatable {
    private(set) var peers: [PeerID] = []

    func contains(_ peer: PeerID) -> Bool {
        let place = place(of: peer)
        return place < peers.endIndex && peers[place] == peer
    }

    mutating func set(_ peer: PeerID, isIn: Bool) {
        let place = place(of: peer)
        let wasIn = place < peers.endIndex && peers[place] == peer
        if isIn, !wasIn { peers.insert(peer, at: place) }
        if !isIn, wasIn { peers.remove(at: place) }
    }

    /// The first that is not before it.
    private func place(of peer: PeerID) -> Int { peers.firstIndexOfSorted { !($0 < peer) } }
}

import RelayModel

/// Connections, sorted, as a message is sent to them: the list goes into the effect as it is, without a copy for each message or a
/// check of each peer.
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

    /// Index of the first connection that is not before this one.
    private func place(of peer: PeerID) -> Int { peers.firstIndexOfSorted { !($0 < peer) } }
}

import RelayModel
import RelayProtocol

/// What has still to follow the snapshots of clients, a page at a time: those who wait at the same place get one that is made once.
struct SnapshotPages {
    /// The pages that each client has still to get, in order.
    private var ofPeers: [PeerID: [Rest]] = [:]
    private var lastNumber = 0

    /// The unsent pages of one snapshot.
    private struct Rest {
        /// Number of the snapshot, which several clients may share.
        let number: Int
        let isOfWorkspace: Bool
        var items: ArraySlice<Snapshot.Item>
    }

    /// Whether a client that is ready waits for a page.
    func isDue(to isReady: (PeerID) -> Bool) -> Bool { ofPeers.keys.contains(where: isReady) }

    /// No more snapshots than this wait for a client to have read what came before.
    func hasRoom(for peer: PeerID) -> Bool { ofPeers[peer, default: []].count < Limits.readsMax }

    /// A snapshot of the workspace takes the place of the one before.
    mutating func add(_ items: ArraySlice<Snapshot.Item>, isOfWorkspace: Bool = false, to peers: [PeerID]) {
        lastNumber += 1
        for peer in peers {
            if isOfWorkspace { forget(of: peer) { $0.isOfWorkspace } }
            guard !items.isEmpty else { continue }
            ofPeers[peer, default: []].append(Rest(number: lastNumber, isOfWorkspace: isOfWorkspace, items: items))
        }
    }

    /// The client has left.
    mutating func forget(_ peer: PeerID) { ofPeers[peer] = nil }

    private mutating func forget(of peer: PeerID, where isGone: (Rest) -> Bool) {
        guard let rests = ofPeers[peer]?.filter({ !isGone($0) }) else { return }
        ofPeers[peer] = rests.isEmpty ? nil : rests
    }

    /// The next page of one snapshot, and who gets it: those that have waited longest. `endsWorkspace`: it is the last of a snapshot of
    /// the workspace. `messages`: of an item as it is now; none if it is gone.
    mutating func next(
        to isReady: (PeerID) -> Bool, messages: (Snapshot.Item) -> [UInt8]?
    ) -> (peers: [PeerID], messages: [(item: Snapshot.Item, bytes: [UInt8])], endsWorkspace: Bool)? {
        let waiting = ofPeers.compactMap { peer, rests in
            isReady(peer)
                ? rests.first.map { (peer: peer, number: $0.number, items: $0.items, isOfWorkspace: $0.isOfWorkspace) } : nil
        }
        guard let first = waiting.min(by: { ($0.number, $0.items.startIndex) < ($1.number, $1.items.startIndex) }) else {
            return nil
        }
        var page: [(item: Snapshot.Item, bytes: [UInt8])] = []
        var (room, items) = (Limits.snapshotBytesMax, first.items)
        while room > 0, let item = items.popFirst() {
            guard let bytes = messages(item) else { continue }
            room -= bytes.count
            page.append((item, bytes))
        }
        let peers = waiting.filter { $0.number == first.number && $0.items.startIndex == first.items.startIndex }.map(\.peer)
        for peer in peers {
            guard var rests = ofPeers[peer] else { continue }
            rests[0].items = items
            if items.isEmpty { rests.removeFirst() }
            ofPeers[peer] = rests.isEmpty ? nil : rests
        }
        return (peers.sorted(), page, first.isOfWorkspace && items.isEmpty)
    }

    func count(into census: inout RelayCensus, among peers: some Collection<PeerID>) {
        if !Set(ofPeers.keys).isSubset(of: peers) { census.breach = "a snapshot goes on for a client that has left" }
        // Reads that were under way when it had room may each have brought one.
        if ofPeers.values.contains(where: { $0.count > 2 * Limits.readsMax + 1 }) {
            census.breach = "too many snapshots go on for a client"
        }
    }
}

import RelayModel
import RelayProtocol

/// The pages that have still to follow the clients' snapshots, one at a time. Clients that wait at the same place share a page.
struct SnapshotPages {
    /// The snapshots of which each client still has to get pages, in order.
    private var ofPeers: [PeerID: [Rest]] = [:]
    private var lastNumber = 0
    /// Number of the last page sent to each client that still has pages to get.
    private var lastOf: [ClientKey: Int] = [:]
    private var lastPage = 0

    /// The unsent pages of one snapshot.
    private struct Rest {
        /// Number of the snapshot, which several clients may share.
        let number: Int
        let isOfWorkspace: Bool
        var items: ArraySlice<Snapshot.Item>

        /// True if the same page is next.
        func isAt(_ other: Rest) -> Bool { number == other.number && items.startIndex == other.items.startIndex }
    }

    /// True if a client that can take a page waits for one.
    func isDue(to isReady: (PeerID) -> Bool) -> Bool { ofPeers.keys.contains(where: isReady) }

    /// Limits the number of snapshots that wait until a client has read what came before.
    func hasRoom(for peer: PeerID) -> Bool { ofPeers[peer, default: []].count < Limits.readsMax }

    /// Adds the pages of a snapshot. One of the workspace replaces the previous one.
    mutating func add(_ items: ArraySlice<Snapshot.Item>, isOfWorkspace: Bool = false, to peers: [PeerID]) {
        lastNumber += 1
        for peer in peers {
            if isOfWorkspace { forget(of: peer) { $0.isOfWorkspace } }
            guard !items.isEmpty else { continue }
            ofPeers[peer, default: []].append(Rest(number: lastNumber, isOfWorkspace: isOfWorkspace, items: items))
        }
    }

    mutating func forget(_ peer: PeerID) { ofPeers[peer] = nil }

    private mutating func forget(of peer: PeerID, where isGone: (Rest) -> Bool) {
        guard let rests = ofPeers[peer]?.filter({ !isGone($0) }) else { return }
        ofPeers[peer] = rests.isEmpty ? nil : rests
    }

    /// The next page of one snapshot, and its receivers: the clients that have waited longest, as many as the limit of bytes
    /// allows.
    /// - readyClient: The client of a peer, nil if the peer takes no page now.
    /// - messages: The message for an item in its present state; nil if the item is gone.
    /// - Returns: The page. `endsWorkspace`: it is the last one of a snapshot of the workspace.
    mutating func next(
        to readyClient: (PeerID) -> ClientKey?, messages: (Snapshot.Item) -> [UInt8]?
    ) -> (peers: [PeerID], messages: [(item: Snapshot.Item, bytes: [UInt8])], endsWorkspace: Bool)? {
        if ofPeers.isEmpty { lastOf = [:] }
        let waiting = ofPeers.compactMap { peer, rests -> Waiting? in
            guard let client = readyClient(peer), let rest = rests.first else { return nil }
            return Waiting(peer: peer, client: client, last: lastOf[client] ?? 0, rest: rest)
        }
        guard let first = waiting.min(by: { $0.isBefore($1) }) else { return nil }
        var page: [(item: Snapshot.Item, bytes: [UInt8])] = []
        var (bytes, items) = (0, first.rest.items)
        while bytes < Limits.snapshotBytesMax, let item = items.popFirst() {
            guard let message = messages(item) else { continue }
            bytes += message.count
            page.append((item, message))
        }
        var room = SendRoom()
        let together = waiting.filter { $0.rest.isAt(first.rest) }.sorted { $0.isBefore($1) }
        let served = together.prefix(room.take(bytes, times: together.count))
        lastPage += 1
        for one in served {
            lastOf[one.client] = lastPage
            guard var rests = ofPeers[one.peer] else { continue }
            rests[0].items = items
            if items.isEmpty { rests.removeFirst() }
            ofPeers[one.peer] = rests.isEmpty ? nil : rests
        }
        return (served.map(\.peer).sorted(), page, first.rest.isOfWorkspace && items.isEmpty)
    }

    /// A peer that can take its next page.
    private struct Waiting {
        let peer: PeerID
        let client: ClientKey
        /// Number of the last page sent to its client.
        let last: Int
        let rest: Rest

        func isBefore(_ other: Waiting) -> Bool {
            (last, rest.number, rest.items.startIndex, peer) < (
                other.last, other.rest.number, other.rest.items.startIndex, other.peer
            )
        }
    }

    func count(into census: inout RelayCensus, among peers: some Collection<PeerID>) {
        if !Set(ofPeers.keys).isSubset(of: peers) { census.breach = "a snapshot goes on for a client that has left" }
        // Twice the limit, as reads that were under way when it was checked may each have added one.
        if ofPeers.values.contains(where: { $0.count > 2 * Limits.readsMax + 1 }) {
            census.breach = "too many snapshots go on for a client"
        }
    }
}

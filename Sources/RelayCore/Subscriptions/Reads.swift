import RelayModel
import RelayProtocol

/// Reads of the log for clients: limited for each client, begun in turns, and shared by all that follow a session from the same
/// position.
struct Reads {
    private var reads: [ReadID: Read] = [:]
    private var bySubscription: [LogQuery: ReadID] = [:]
    /// Reads that each client waits for.
    private var ofPeers: [PeerID: Set<ReadID>] = [:]
    private var turns = ReadTurns()

    private struct Read {
        /// Nil for the read of an approval.
        let query: LogQuery?
        let order: Effect
        var purposes: [Purpose]
    }

    /// Reason for a read of the log.
    enum Purpose {
        case subscription(PeerID, SessionKey)
        case history(PeerID, CommandID)
        case decision(LateDecision)

        var peer: PeerID {
            switch self {
            case .subscription(let peer, _), .history(let peer, _): peer
            case .decision(let late): late.peer
            }
        }

        fileprivate var isSubscription: Bool { if case .subscription = self { true } else { false } }
    }

    /// A decision on an approval that is no longer in memory.
    struct LateDecision {
        let peer: PeerID
        let command: CommandID
        let decide: DecideCommand
    }

    var underWayCount: Int { turns.underWay.count }
    var waitingCount: Int { turns.waitingCount }

    /// The greatest number of reads that one client waits for.
    var mostOfOne: Int { ofPeers.values.map(\.count).max() ?? 0 }

    func hasRoom(for peer: PeerID) -> Bool { ofPeers[peer, default: []].count < Limits.readsMax }

    /// `client`: that of the purpose's peer.
    mutating func page(
        _ key: SessionKey, _ range: LogQuery.Range, limit: Int, for purpose: Purpose, of client: ClientKey,
        _ orders: inout Orders
    ) -> ReadID {
        let query = LogQuery(key: key, range: range, limit: limit, bytesMax: Limits.pageBytesMax)
        // Not shared: a reply with history is encoded for each client, so hundreds for one read would make a long turn.
        guard purpose.isSubscription else { return add(query, for: purpose, of: client, &orders) { .read($0, query) } }
        if let id = bySubscription[query] {
            guard ofPeers[purpose.peer, default: []].insert(id).inserted else { return id }
            reads[id]?.purposes.append(purpose)
            if !turns.underWay.contains(id) { turns.add(id, of: client) }
            return id
        }
        let id = add(query, for: purpose, of: client, &orders) { .read($0, query) }
        bySubscription[query] = id
        return id
    }

    mutating func approval(of key: SessionKey, for late: LateDecision, of client: ClientKey, _ orders: inout Orders) {
        _ = add(nil, for: .decision(late), of: client, &orders) { .readApproval($0, key, late.decide.approval) }
    }

    private mutating func add(
        _ query: LogQuery?, for purpose: Purpose, of client: ClientKey, _ orders: inout Orders, order: (ReadID) -> Effect
    ) -> ReadID {
        let id = orders.nextReadID()
        reads[id] = Read(query: query, order: order(id), purposes: [purpose])
        ofPeers[purpose.peer, default: []].insert(id)
        turns.add(id, of: client)
        begin(&orders)
        return id
    }

    private mutating func begin(_ orders: inout Orders) {
        while let id = turns.next() {
            guard let read = reads[id] else { preconditionFailure("a read that waits is known") }
            orders.add(read.order)
        }
    }

    /// Ends the read, begins the next one, and returns the purposes.
    mutating func end(_ id: ReadID, _ orders: inout Orders) -> [Purpose] {
        turns.ended(id)
        defer { begin(&orders) }
        guard let read = forget(id) else { return [] }
        for purpose in read.purposes { forget([id], of: purpose.peer) }
        return read.purposes
    }

    /// The client has disconnected: reads that only it waited for are not begun any more.
    mutating func left(_ peer: PeerID) {
        var dropped: Set<ReadID> = []
        for id in ofPeers.removeValue(forKey: peer) ?? [] where !turns.underWay.contains(id) {
            reads[id]?.purposes.removeAll { $0.peer == peer }
            if reads[id]?.purposes.isEmpty == true, forget(id) != nil { dropped.insert(id) }
        }
        turns.forget(dropped)
    }

    private mutating func forget(_ id: ReadID) -> Read? {
        guard let read = reads.removeValue(forKey: id) else { return nil }
        if let query = read.query, bySubscription[query] == id { bySubscription[query] = nil }
        return read
    }

    private mutating func forget(_ ids: Set<ReadID>, of peer: PeerID) {
        guard let rest = ofPeers[peer]?.subtracting(ids) else { return }
        ofPeers[peer] = rest.isEmpty ? nil : rest
    }
}

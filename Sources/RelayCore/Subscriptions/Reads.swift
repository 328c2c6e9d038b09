import RelayModel
import RelayProtocol

/// Reads of the log that are under way for clients: so many for each, and one for all that ask for the same page.
struct Reads {
    private var underWay: [ReadID: UnderWay] = [:]
    private var byQuery: [LogQuery: ReadID] = [:]
    /// Number of reads for each client that waits for any.
    private var ofPeers: [PeerID: Int] = [:]

    private struct UnderWay {
        /// Nil if an approval is read.
        let query: LogQuery?
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
    }

    /// A decision on an approval that is not at hand any more.
    struct LateDecision {
        let peer: PeerID
        let command: CommandID
        let decide: DecideCommand
    }

    var count: Int { underWay.count }

    /// The most that are under way for one client.
    var mostOfOne: Int { ofPeers.values.max() ?? 0 }

    func hasRoom(for peer: PeerID) -> Bool { ofPeers[peer, default: 0] < Limits.readsMax }

    mutating func page(
        _ key: SessionKey, _ range: LogQuery.Range, limit: Int, for purpose: Purpose, _ orders: inout Orders
    ) -> ReadID {
        let query = LogQuery(key: key, range: range, limit: limit, bytesMax: Limits.pageBytesMax)
        if let id = byQuery[query] {
            underWay[id]?.purposes.append(purpose)
            ofPeers[purpose.peer, default: 0] += 1
            return id
        }
        let id = begin(query, for: purpose, &orders)
        byQuery[query] = id
        orders.add(.read(id, query))
        return id
    }

    mutating func approval(of key: SessionKey, for late: LateDecision, _ orders: inout Orders) {
        orders.add(.readApproval(begin(nil, for: .decision(late), &orders), key, late.decide.approval))
    }

    private mutating func begin(_ query: LogQuery?, for purpose: Purpose, _ orders: inout Orders) -> ReadID {
        let id = orders.nextReadID()
        underWay[id] = UnderWay(query: query, purposes: [purpose])
        ofPeers[purpose.peer, default: 0] += 1
        return id
    }

    /// Ends the read, and returns its purposes.
    mutating func end(_ id: ReadID) -> [Purpose] {
        guard let read = underWay.removeValue(forKey: id) else { return [] }
        if let query = read.query { byQuery[query] = nil }
        for purpose in read.purposes {
            let others = ofPeers[purpose.peer, default: 1] - 1
            ofPeers[purpose.peer] = others > 0 ? others : nil
        }
        return read.purposes
    }
}

internal import Synchronization

/// Counts of one listener's connections over all loops that serve it. The only state that loops share: accessed when a connection is
/// accepted, opened and closed, never for a message.
final class Admission: Sendable {
    private struct Counts {
        var connections = 0
        /// Connections that are not WebSockets yet, or never.
        var pending = 0
        /// Connections above a limit, accepted to be told so.
        var told = 0
        var pendingByAddress: [Peer: Int] = [:]
        /// Number of connections of each loop.
        var ofLoops: [Int]

        func isFull(_ peer: Peer, _ limits: Limits) -> Bool {
            pendingByAddress[peer, default: 0] >= limits.pendingPerAddressMax
        }

        mutating func countDown(_ peer: Peer) {
            guard let count = pendingByAddress[peer] else { return }
            pendingByAddress[peer] = count > 1 ? count - 1 : nil
        }
    }

    private let counts: Mutex<Counts>

    init(loops: Int) { counts = Mutex(Counts(ofLoops: Array(repeating: 0, count: loops))) }

    enum Verdict {
        /// Index of the loop with the fewest connections, which serves this one.
        case serve(by: Int)
        case turnAway(TurnAwayReason)
        /// Accepted only to be refused, and not counted as anything else. `wasTold` follows.
        case tell(TurnAwayReason, by: Int)
    }

    /// True if one more connection that is not a WebSocket may be accepted; else it waits in the kernel's queue.
    func hasRoom(_ limits: Limits) -> Bool { counts.withLock { $0.pending < limits.pendingMax } }

    /// `counted` is the peer that it counts for; nil for none. `isTLS`: a response would need a handshake.
    func admit(_ counted: Peer?, _ limits: Limits, isTLS: Bool, hasDescriptor: Bool) -> Verdict {
        counts.withLock { counts in
            let reason: TurnAwayReason? =
                if let counted, counts.isFull(counted, limits) {
                    .address
                } else if counts.connections >= limits.connectionsMax {
                    .connections
                } else {
                    nil
                }
            guard hasDescriptor else { return .turnAway(reason ?? .descriptors) }
            let place = counts.ofLoops.indices.min { counts.ofLoops[$0] < counts.ofLoops[$1] } ?? 0
            if let reason {
                guard isTLS, counts.told < limits.toldMax else { return .turnAway(reason) }
                counts.told += 1
                return .tell(reason, by: place)
            }
            counts.connections += 1
            counts.pending += 1
            if let counted { counts.pendingByAddress[counted, default: 0] += 1 }
            counts.ofLoops[place] += 1
            return .serve(by: place)
        }
    }

    func wasTold() { counts.withLock { $0.told -= 1 } }

    /// Called when the connection became a WebSocket, or closes.
    func isNoLongerPending(_ counted: Peer?) {
        counts.withLock { counts in
            counts.pending -= 1
            if let counted { counts.countDown(counted) }
        }
    }

    /// Counts a request that came through a proxy. Returns false, without counting it, if it is over the limit. `wasAnswered`
    /// follows.
    func asks(_ visitor: Peer, _ limits: Limits) -> Bool {
        counts.withLock { counts in
            guard !counts.isFull(visitor, limits) else { return false }
            counts.pendingByAddress[visitor, default: 0] += 1
            return true
        }
    }

    func wasAnswered(_ visitor: Peer) { counts.withLock { $0.countDown(visitor) } }

    func left(_ place: Int) {
        counts.withLock { counts in
            counts.connections -= 1
            counts.ofLoops[place] -= 1
        }
    }
}

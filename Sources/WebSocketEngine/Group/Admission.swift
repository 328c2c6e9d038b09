internal import Synchronization

/// Who is in by one listener, on all loops that serve it. The only thing that they share: asked when a connection comes, opens and goes,
/// never for a message.
final class Admission: Sendable {
    private struct Counts {
        var connections = 0
        /// Not (yet) WebSockets.
        var pending = 0
        var pendingByAddress: [Peer: Int] = [:]
        /// Of each loop.
        var ofLoops: [Int]
    }

    private let counts: Mutex<Counts>

    init(loops: Int) { counts = Mutex(Counts(ofLoops: Array(repeating: 0, count: loops))) }

    enum Verdict {
        /// By the loop with the fewest: its place among them.
        case serve(by: Int)
        case turnAway(TurnAwayReason)
    }

    func admit(_ peer: Peer, _ limits: Limits, hasDescriptor: Bool) -> Verdict {
        counts.withLock { counts in
            if !peer.isLocal, counts.pendingByAddress[peer, default: 0] >= limits.pendingPerAddressMax {
                return .turnAway(.address)
            }
            if counts.pending >= limits.pendingMax { return .turnAway(.pending) }
            if counts.connections >= limits.connectionsMax { return .turnAway(.connections) }
            guard hasDescriptor else { return .turnAway(.descriptors) }
            counts.connections += 1
            counts.pending += 1
            if !peer.isLocal { counts.pendingByAddress[peer, default: 0] += 1 }
            let place = counts.ofLoops.indices.min { counts.ofLoops[$0] < counts.ofLoops[$1] } ?? 0
            counts.ofLoops[place] += 1
            return .serve(by: place)
        }
    }

    /// It is a WebSocket now, or goes.
    func isNoLongerPending(_ peer: Peer) {
        counts.withLock { counts in
            counts.pending -= 1
            guard !peer.isLocal, let count = counts.pendingByAddress[peer] else { return }
            counts.pendingByAddress[peer] = count > 1 ? count - 1 : nil
        }
    }

    func left(_ place: Int) {
        counts.withLock { counts in
            counts.connections -= 1
            counts.ofLoops[place] -= 1
        }
    }
}

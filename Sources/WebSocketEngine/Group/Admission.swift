internal import Synchronization

/// What is connected by one listener, on all loops that serve it. The only thing that they share: asked when a connection comes, opens and goes,
/// never for a message.
final class Admission: Sendable {
    private struct Counts {
        var connections = 0
        /// Not (yet) WebSockets.
        var pending = 0
        /// One too many, and let in to be told so.
        var told = 0
        var pendingByAddress: [Peer: Int] = [:]
        /// The count of each loop.
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
        /// By the loop with the fewest: its place among them.
        case serve(by: Int)
        case turnAway(TurnAwayReason)
        /// It counts as nothing else. `wasTold` follows.
        case tell(TurnAwayReason, by: Int)
    }

    /// Whether one more that is not a WebSocket may be accepted; else it waits in the kernel.
    func hasRoom(_ limits: Limits) -> Bool { counts.withLock { $0.pending < limits.pendingMax } }

    /// `counted` is what it counts for; nil: nothing. `isTLS`: it takes a handshake to tell it anything.
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

    /// It is a WebSocket now, or goes.
    func isNoLongerPending(_ counted: Peer?) {
        counts.withLock { counts in
            counts.pending -= 1
            if let counted { counts.countDown(counted) }
        }
    }

    /// A request that came through a proxy; false where it is one too many, and not counted. `wasAnswered` follows.
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

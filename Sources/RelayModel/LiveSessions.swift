package import RelayProtocol

/// The live sessions of one workspace, ranked by their need for attention. Updated with every commit, so that nothing has to look
/// at all sessions.
package struct LiveSessions: Equatable {
    private struct Rank: Equatable {
        let attention: Int
        let lastActivityAt: Int64
        let session: SessionID

        /// Of two equal ranks, the session whose identifier sorts first ranks higher.
        func isBelow(_ other: Rank) -> Bool {
            (attention, lastActivityAt, other.session.rawValue) < (other.attention, other.lastActivityAt, session.rawValue)
        }
    }

    private var ranks: [SessionID: Rank] = [:]
    /// Live sessions, the lowest rank first.
    private var order: [Rank] = []

    package init() {}

    package var count: Int { order.count }
    /// The session with the highest rank: one that waits for a person, else the most recently active one.
    package var most: SessionID? { order.last?.session }

    /// Updates the session's rank from its committed summary; nil if the session is gone.
    package mutating func file(_ session: SessionID, _ summary: Summary?) {
        let live = summary.flatMap { $0.isLive ? $0 : nil }
        let rank = live.map { Rank(attention: $0.attention, lastActivityAt: $0.lastActivityAt, session: session) }
        guard rank != ranks[session] else { return }
        if let old = ranks.removeValue(forKey: session) { order.remove(at: place(of: old)) }
        guard let rank else { return }
        ranks[session] = rank
        order.insert(rank, at: place(of: rank))
    }

    /// Index of the first rank that is not below this one.
    private func place(of rank: Rank) -> Int { order.firstIndexOfSorted { !$0.isBelow(rank) } }
}

extension Summary {
    fileprivate var attention: Int { approvals + questions > 0 ? 2 : isAtWork ? 1 : 0 }
}

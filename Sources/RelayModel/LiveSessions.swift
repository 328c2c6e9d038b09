package import RelayProtocol

/// The sessions of one workspace that go on, by how much each wants to be looked at: kept up with every commit, so that nothing has to
/// go through all of them.
package struct LiveSessions: Equatable {
    private struct Rank: Equatable {
        let attention: Int
        let lastActivityAt: Int64
        let session: SessionID

        /// Between two alike the first by name goes before.
        func isBelow(_ other: Rank) -> Bool {
            (attention, lastActivityAt, other.session.rawValue) < (other.attention, other.lastActivityAt, session.rawValue)
        }
    }

    private var ranks: [SessionID: Rank] = [:]
    /// Lowest first.
    private var order: [Rank] = []

    package init() {}

    package var count: Int { order.count }
    /// The session that waits for the person, then the most recently active one.
    package var most: SessionID? { order.last?.session }

    /// Files the session's summary as it is on disk; nil if the session is gone.
    package mutating func file(_ session: SessionID, _ summary: Summary?) {
        let live = summary.flatMap { $0.isLive ? $0 : nil }
        let rank = live.map { Rank(attention: $0.attention, lastActivityAt: $0.lastActivityAt, session: session) }
        guard rank != ranks[session] else { return }
        if let old = ranks.removeValue(forKey: session) { order.remove(at: place(of: old)) }
        guard let rank else { return }
        ranks[session] = rank
        order.insert(rank, at: place(of: rank))
    }

    /// The first that is not below it.
    private func place(of rank: Rank) -> Int { order.firstIndexOfSorted { !$0.isBelow(rank) } }
}

extension Summary {
    /// Rank by need for attention.
    fileprivate var attention: Int { approvals + questions > 0 ? 2 : isAtWork ? 1 : 0 }
}

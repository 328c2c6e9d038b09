import RelayProtocol

/// Checks that every client's view of a session is an exact part of the log, except after a reset or a snapshot. For one client and
/// one session.
struct ViewChecker {
    private enum State {
        case unfollowed
        /// Has asked for a snapshot, or was told that one follows.
        case expectsSnapshot
        /// Has asked from a position that cannot be continued.
        case expectsReset
        case following
    }

    let session: SessionID
    private var state = State.unfollowed
    /// The last event seen.
    private(set) var seq: Int64?

    init(session: SessionID) { self.session = session }

    var isFollowed: Bool { if case .unfollowed = state { false } else { true } }
    var isFollowing: Bool { if case .following = state { true } else { false } }

    /// The connection or the subscription has ended.
    mutating func left() {
        if !isFollowing { seq = nil }
        state = .unfollowed
    }

    /// The relay accepted a subscription; `end` is the log's last event.
    mutating func subscribed(after position: Position?, epoch: Epoch, end: Int64) {
        guard let position else {
            state = .expectsSnapshot
            return
        }
        state = position.epoch != epoch || position.seq > end ? .expectsReset : .following
        seq = position.seq
    }

    mutating func wasReset() -> String? {
        guard isFollowed else { return "\(session) is reset, and not followed" }
        state = .expectsSnapshot
        return nil
    }

    /// Takes a batch; `stored` is everything that was ever in the log. Returns a complaint, if any.
    mutating func took(_ batch: SessionEvents, _ stored: [[UInt8]]) -> String? {
        guard isFollowing, let seq else { return "events of \(session) from \(batch.first) came where none follow on" }
        guard batch.first == seq + 1 else { return "\(session) goes on at \(batch.first) after \(seq)" }
        self.seq = seq + Int64(batch.events.count)
        return Self.compare(batch.events, first: batch.first, with: stored)
    }

    mutating func tookSnapshot(_ tail: SessionEvents, seq: Int64, _ stored: [[UInt8]]) -> String? {
        switch state {
        case .unfollowed: return "a snapshot of \(session) came, which is not followed"
        case .expectsReset: return "a snapshot of \(session) came before the reset that says why"
        case .following:
            if let known = self.seq, seq < known { return "a snapshot of \(session) goes back from \(known) to \(seq)" }
        case .expectsSnapshot: break
        }
        state = .following
        self.seq = seq
        guard tail.events.isEmpty || tail.first + Int64(tail.events.count) - 1 == seq else {
            return "a snapshot of \(session) is after \(seq), its events end elsewhere"
        }
        return Self.compare(tail.events, first: tail.first, with: stored)
    }

    /// Compares with the log's events from `first`, byte for byte; nil if they are equal.
    static func compare(_ events: [[UInt8]], first: Int64, with stored: [[UInt8]]) -> String? {
        for (offset, event) in events.enumerated() {
            let index = Int(first) + offset - 1
            guard stored.indices.contains(index) else { return "the log has no event \(index + 1)" }
            if stored[index] != event { return "event \(index + 1) is not the log's" }
        }
        return nil
    }
}

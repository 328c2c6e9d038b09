/// Closed loop: how far the slowest of a session's subscribers is behind. The cost of a move does not depend on their number.
struct DeliveryWindow: Sendable {
    let size: Int64
    private let subscribers: Int
    /// Number of subscribers at each position; there are at most `size` + 1 positions at a time.
    private var standing: [Int]
    private(set) var sent: Int64
    /// Position that every subscriber has reached.
    private(set) var slowest: Int64

    init(size: Int, subscribers: Int, from position: Int64) {
        precondition(size > 0 && subscribers > 0, "the plan was checked")
        self.size = Int64(size)
        self.subscribers = subscribers
        standing = [Int](repeating: 0, count: size + 1)
        sent = position
        slowest = position
        standing[slot(position)] = subscribers
    }

    /// Number of events that may be sent now.
    var room: Int64 { size - (sent - slowest) }

    mutating func send(_ count: Int64) {
        precondition(count <= room, "no more than there is room for")
        sent += count
    }

    /// A subscriber that had all events up to `before` now has those up to `through`.
    mutating func move(from before: Int64, to through: Int64) {
        precondition(before >= slowest && through <= sent, "nobody has what was not sent")
        standing[slot(before)] -= 1
        standing[slot(through)] += 1
        while slowest < sent, standing[slot(slowest)] == 0 { slowest += 1 }
    }

    private func slot(_ position: Int64) -> Int { Int(position % (size + 1)) }
}

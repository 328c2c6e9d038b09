/// Reactions to using more memory than allowed, one at each measurement: first free memory is returned to the system, then the
/// clients that are furthest behind are disconnected, then new peers are refused, those of large workspaces first. Data of hosts is
/// kept in any case.
struct MemoryBudget {
    enum Order: Equatable {
        /// Make the allocator return free memory to the system.
        case giveBack
        /// Disconnect clients with many queued bytes, those with most first, until this many bytes are free.
        case cutOff(bytes: Int64)
    }

    /// New peers that are refused.
    enum Refused: Int, Comparable {
        case nobody
        /// Peers of workspaces that take at least an equal share of the memory.
        case large
        case all

        static func < (left: Refused, right: Refused) -> Bool { left.rawValue < right.rawValue }
    }

    let bytes: Int64
    private(set) var refused = Refused.nobody
    /// Number of measurements in a row above the limit.
    private var steps = 0

    /// Step from which new peers are refused: they are affected only if disconnecting those who caused it has not helped.
    private static let refusingStep = 4

    init(bytes: Int64) { self.bytes = bytes }

    /// Memory above which all new peers are refused, whoever takes it.
    private var hardBytes: Int64 { bytes + bytes / 8 }

    /// Memory below which everything is accepted again: at the limit itself a new peer would be the next to be disconnected.
    private var easyBytes: Int64 { bytes - bytes / 10 }

    mutating func measured(_ used: Int64) -> Order? {
        guard used > easyBytes else {
            steps = 0
            refused = .nobody
            return nil
        }
        guard used > bytes else { return nil }
        steps += 1
        if steps >= Self.refusingStep { refused = max(refused, used > hardBytes ? .all : .large) }
        // Alternately: freed memory is only noticed after it was returned.
        return steps % 2 == 1 ? .giveBack : .cutOff(bytes: used - easyBytes)
    }
}

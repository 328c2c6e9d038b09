/// Steps against using more memory than allowed, one at each measurement: first free memory is returned, then the peers that are furthest
/// behind are cut off, then no new ones are accepted. Data of hosts is kept in any case.
struct MemoryBudget {
    enum Order: Equatable {
        /// Have the allocator hand back what it holds and does not need.
        case giveBack
        /// Cut off clients for which much waits, the most first, until so many bytes are free.
        case cutOff(bytes: Int64)
    }

    let bytes: Int64
    private(set) var refusesNew = false
    /// Measurements in a row that found too much.
    private var steps = 0

    /// New ones are refused from this step on: they pay only where cutting off those who caused it has not helped.
    private static let refusingStep = 4

    init(bytes: Int64) { self.bytes = bytes }

    /// All is well again below this: who is let in at the very edge would be the next to go.
    private var easyBytes: Int64 { bytes - bytes / 10 }

    mutating func measured(_ used: Int64) -> Order? {
        guard used > easyBytes else {
            steps = 0
            refusesNew = false
            return nil
        }
        guard used > bytes else { return nil }
        steps += 1
        if steps >= Self.refusingStep { refusesNew = true }
        // In turn: only what was given back is seen to be free.
        return steps % 2 == 1 ? .giveBack : .cutOff(bytes: used - easyBytes)
    }
}

/// Scheduled events, by virtual time; events due in the same millisecond happen in the order in which they were scheduled.
struct EventQueue<Owner> {
    typealias Action = (Owner) -> Void

    private struct Entry {
        var at: Int64
        var number: UInt64
        var action: Action

        func isBefore(_ other: Entry) -> Bool { at == other.at ? number < other.number : at < other.at }
    }

    /// The entries, as a binary heap.
    private var entries: [Entry] = []
    private var lastNumber: UInt64 = 0

    var count: Int { entries.count }
    var nextAt: Int64? { entries.first?.at }

    mutating func add(at time: Int64, _ action: @escaping Action) {
        lastNumber += 1
        entries.append(Entry(at: time, number: lastNumber, action: action))
        var child = entries.count - 1
        while child > 0, entries[child].isBefore(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func takeNext() -> (at: Int64, action: Action)? {
        guard let first = entries.first else { return nil }
        let last = entries.removeLast()
        if !entries.isEmpty {
            entries[0] = last
            var parent = 0
            while true {
                var least = parent
                for child in [2 * parent + 1, 2 * parent + 2]
                where child < entries.count && entries[child].isBefore(entries[least]) { least = child }
                if least == parent { break }
                entries.swapAt(least, parent)
                parent = least
            }
        }
        return (first.at, first.action)
    }
}

/// Counts by key, all of which begin anew after a time.
struct CountsInTime<Key: Hashable & Sendable>: Sendable {
    private let duration: Int64
    private var since: Int64 = 0
    private var counts: [Key: Int] = [:]

    /// `duration`: milliseconds.
    init(of duration: Int64) { self.duration = duration }

    /// Counts one more of this key at a monotonic time in milliseconds. Returns false, and counts nothing, if there are `max` already.
    mutating func add(of key: Key, max: Int, at now: Int64) -> Bool {
        if counts.isEmpty || now - since >= duration { (since, counts) = (now, [:]) }
        guard counts[key, default: 0] < max else { return false }
        counts[key, default: 0] += 1
        return true
    }
}

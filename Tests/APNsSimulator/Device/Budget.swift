/// A budget of `capacity` pushes at once, and one more each `refillMilliseconds`.
package struct Budget: Sendable, Equatable {
    package let capacity: Int
    package let refillMilliseconds: Int64
    private var used = 0
    private var since: Int64 = 0

    package init(capacity: Int, refillMilliseconds: Int64) {
        precondition(refillMilliseconds > 0, "a budget that never refills is a counter")
        self.capacity = capacity
        self.refillMilliseconds = refillMilliseconds
    }

    /// Takes one push; returns false if none is left. `now` is in milliseconds since 1970.
    package mutating func take(at now: Int64) -> Bool {
        if used == 0 { since = now }
        let refilled = Int(clamping: max(0, now - since) / refillMilliseconds)
        if refilled > 0 {
            used = max(0, used - refilled)
            since = used == 0 ? now : since + Int64(refilled) * refillMilliseconds
        }
        guard used < capacity else { return false }
        used += 1
        return true
    }
}

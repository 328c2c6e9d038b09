/// Bytes of one kind of message that may still be sent in this interval, counted once for each receiver: clients that do not read
/// make the process keep a copy for each.
struct SendRoom {
    private var left = Limits.viewBytesMax

    /// True if so much was used that it has to be refilled.
    var isLow: Bool { left < Limits.viewBytesMax / 2 }
    var isEmpty: Bool { left <= 0 }

    /// Returns to how many of `count` receivers the message may be sent: at least one, unless nothing is left.
    mutating func take(_ bytes: Int, times count: Int) -> Int {
        guard left > 0 else { return 0 }
        let taken = min(count, max(1, left / max(1, bytes)))
        left -= taken * bytes
        return taken
    }

    mutating func refill() { left = Limits.viewBytesMax }
}

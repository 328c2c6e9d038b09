/// Bytes of one kind that may still be sent before the next interval, each message counted once for everybody who gets it: clients that do not read
/// make the process keep a copy for each.
struct SendRoom {
    private var left = Limits.viewBytesMax

    /// True if it was used to such an extent that it has to be refilled.
    var isLow: Bool { left < Limits.viewBytesMax / 2 }
    var isEmpty: Bool { left <= 0 }

    /// A message may go to so many of these; at least to one, unless nothing is left.
    mutating func take(_ bytes: Int, times count: Int) -> Int {
        guard left > 0 else { return 0 }
        let taken = min(count, max(1, left / max(1, bytes)))
        left -= taken * bytes
        return taken
    }

    mutating func refill() { left = Limits.viewBytesMax }
}

internal import Glibc

/// Waits by poll(2), and reports ready descriptors by the number that each was added with. An engine has a handful of connections,
/// so scanning all of them costs less than the system call.
struct Poller {
    struct Ready {
        var number: UInt64
        var isReadable: Bool
        var isWritable: Bool
    }

    private var entries: [pollfd] = []
    private var numbers: [UInt64] = []
    /// Index of each descriptor in both arrays.
    private var places: [Int32: Int] = [:]

    mutating func add(_ descriptor: Int32, _ number: UInt64, writable: Bool = false) {
        precondition(places[descriptor] == nil, "a descriptor is polled twice")
        places[descriptor] = entries.count
        entries.append(pollfd(fd: descriptor, events: Self.events(writable), revents: 0))
        numbers.append(number)
    }

    /// `writable`: also report when the descriptor can be written to.
    mutating func change(_ descriptor: Int32, writable: Bool) {
        guard let place = places[descriptor] else { preconditionFailure("a descriptor that is not polled") }
        entries[place].events = Self.events(writable)
    }

    mutating func remove(_ descriptor: Int32) {
        guard let place = places.removeValue(forKey: descriptor) else {
            preconditionFailure("a descriptor that is not polled")
        }
        entries.swapAt(place, entries.count - 1)
        numbers.swapAt(place, numbers.count - 1)
        entries.removeLast()
        numbers.removeLast()
        if place < entries.count { places[entries[place].fd] = place }
    }

    /// Waits until something is ready or `limit` has passed; nil waits for ever. Errors and hang-ups are reported as both readable
    /// and writable; reading or writing then shows the error.
    mutating func wait(_ limit: Duration?) -> [Ready] {
        let count = unsafe poll(&entries, nfds_t(entries.count), limit.map(Self.milliseconds) ?? -1)
        guard count > 0 else {
            precondition(count == 0 || errno == EINTR, "poll failed: \(String(errno: errno))")
            return []
        }
        let broken = Int16(POLLERR | POLLHUP | POLLNVAL)
        return entries.indices.compactMap { index in
            let found = entries[index].revents
            guard found != 0 else { return nil }
            return Ready(
                number: numbers[index], isReadable: found & (Int16(POLLIN) | broken) != 0,
                isWritable: found & (Int16(POLLOUT) | broken) != 0)
        }
    }

    private static func events(_ writable: Bool) -> Int16 { Int16(POLLIN) | (writable ? Int16(POLLOUT) : 0) }

    /// Rounded up, because waking early would only lead to another wait.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = duration.components
        return Int32(
            clamping: seconds.multipliedReportingOverflow(by: 1_000).partialValue + (attoseconds + 999_999_999_999_999)
                / 1_000_000_000_000_000)
    }
}

extension String {
    /// The system's sentence for `errno`.
    init(errno number: Int32) {
        self = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            unsafe buffer.initialize(repeating: 0)
            // The POSIX variant, which fills the buffer.
            _ = unsafe strerror_r(number, buffer.baseAddress!, buffer.count)
            return unsafe String(cString: buffer.baseAddress!)
        }
    }
}

import Glibc
internal import HeliographPlatform

/// One connection to the daemon's Unix socket; every wait on it ends at a deadline. Closed when it goes out of scope.
package struct HookSocket: ~Copyable {
    package enum Readiness { case ready, timedOut, failed }

    package enum Received { case bytes([UInt8]), end, wait, failed }

    private let descriptor: Int32

    /// Nil unless a daemon that runs as our own user accepted the connection before the deadline.
    package init?(connectingTo path: String, until deadline: ContinuousClock.Instant) {
        guard let address = UnixAddress(path), Self.isOwnSocket(path) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // With a full backlog a non-blocking connect fails with EAGAIN and nothing to poll for; a send time-out bounds the
        // kernel's own wait instead.
        var wait = Self.timeValue(until: deadline)
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
        guard address.connect(descriptor), UnixAddress.isOwnPeer(descriptor) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// A copy of the descriptor for a loop, which has to close it.
    package consuming func descriptorForALoop() -> Int32? {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { return nil }
        _ = fcntl(copy, F_SETFL, O_NONBLOCK)
        return copy
    }

    /// Waits until the socket can be written or read; a hang-up counts as ready, so that the next call sees it.
    package func wait(for events: Int32, until deadline: ContinuousClock.Instant) -> Readiness {
        Self.wait(for: events, on: descriptor, until: deadline)
    }

    /// True if the daemon's process is stopped; it will read what was sent once it goes on.
    var isPeerStopped: Bool { UnixAddress.isPeerStopped(descriptor) }

    package static func wait(for events: Int32, on descriptor: Int32, until deadline: ContinuousClock.Instant) -> Readiness {
        while true {
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            let count = unsafe poll(&entry, 1, milliseconds(until: deadline))
            if count > 0 { return entry.revents & Int16(POLLNVAL) == 0 ? .ready : .failed }
            if count == 0 { return .timedOut }
            if errno != EINTR { return .failed }
        }
    }

    /// Sends without blocking. Returns the number of bytes that the kernel took: zero if it would have to wait, nil if the peer is
    /// gone.
    package func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        // The buffer outlives the call, and the length is its own.
        let count = unsafe bytes.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        return errno == EAGAIN || errno == EINTR ? 0 : nil
    }

    package func receive(bytesMax: Int) -> Received {
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: bytesMax) { buffer, initialized in
            count = unsafe recv(descriptor, buffer.baseAddress, bytesMax, Int32(MSG_DONTWAIT))
            // Exactly the bytes that recv wrote.
            initialized = max(0, count)
        }
        if count > 0 { return .bytes(bytes) }
        if count == 0 { return .end }
        return errno == EAGAIN || errno == EINTR ? .wait : .failed
    }

    // MARK: - The peer we talk to

    /// True if the socket's file is our own, which is checked before anything is sent. Only the kernel's information on the peer
    /// shows that it was not swapped in between. Both checks are needed: another user's program behind the path would read the tool
    /// input and answer for the person.
    private static func isOwnSocket(_ path: String) -> Bool {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFSOCK && status.st_uid == geteuid()
    }

    // MARK: - Time

    /// Milliseconds left, rounded up, so that a wait never ends before its deadline and spins.
    private static func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
        let left = (deadline - .now).components
        if left.seconds < 0 || left.attoseconds < 0 { return 0 }
        let fraction = (left.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
        return Int32(clamping: left.seconds.multipliedReportingOverflow(by: 1000).partialValue + fraction)
    }

    /// Time left; never zero, which the kernel reads as unlimited.
    private static func timeValue(until deadline: ContinuousClock.Instant) -> timeval {
        let left = max(1, milliseconds(until: deadline))
        return timeval(tv_sec: Int(left / 1000), tv_usec: Int(left % 1000) * 1000)
    }
}

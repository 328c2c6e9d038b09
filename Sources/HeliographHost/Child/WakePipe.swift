// Two descriptors, written once, before any other thread has them.
import Glibc

/// Wakes a thread that waits in `poll`.
struct WakePipe: Sendable {
    let readEnd: Int32
    private let writeEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw HostError(.system, "no pipe could be made") }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    /// If the pipe is full, its bytes wake the thread already.
    func wake() {
        var byte: UInt8 = 0
        unsafe _ = write(writeEnd, &byte, 1)
    }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while unsafe read(readEnd, &bytes, bytes.count) == bytes.count {}
    }
}

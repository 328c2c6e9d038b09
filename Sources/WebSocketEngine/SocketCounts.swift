internal import CHeliographLibwebsockets
internal import Glibc

/// The kernel's counters of a socket.
enum SocketCounts {
    /// Bytes that a TCP peer has acknowledged in total, if others are still unacknowledged; else 0.
    static func acknowledgedBehindBacklog(_ descriptor: Int32) -> UInt64 {
        var unsent: Int32 = 0
        guard unsafe ioctl(descriptor, UInt(TIOCOUTQ), &unsent) == 0, unsent > 0 else { return 0 }
        return tcpCount(descriptor, at: 120)
    }

    /// Bytes that a TCP peer has sent in total; 0 if this is no TCP socket.
    static func received(_ descriptor: Int32) -> UInt64 { tcpCount(descriptor, at: 128) }

    /// Number of unread bytes.
    static func unread(_ descriptor: Int32) -> Int32 {
        var unread: Int32 = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &unread) == 0 ? unread : 0
    }

    /// A counter of TCP_INFO; 0 if this is no TCP socket. glibc's `tcp_info` lacks these fields; their offsets in the kernel's
    /// interface (linux/tcp.h) are fixed.
    private static func tcpCount(_ descriptor: Int32, at offset: Int) -> UInt64 {
        unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { info in
            var length = socklen_t(info.count)
            guard unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, info.baseAddress, &length) == 0,
                Int(length) >= offset + MemoryLayout<UInt64>.size
            else { return 0 }
            return unsafe info.load(fromByteOffset: offset, as: UInt64.self)
        }
    }
}

package import Glibc

/// The address of a Unix socket by its path.
package struct UnixAddress: Sendable {
    /// Leaves room for the terminating zero byte.
    package static let pathBytesMax = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var address = sockaddr_un()

    /// Nil if the path is too long, or contains a zero byte, which would end it there.
    package init?(_ path: String) {
        let bytes = Array(path.utf8)
        guard bytes.count <= Self.pathBytesMax, !bytes.contains(0) else { return nil }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    }

    /// True if the process at the other end of a connection runs as our own user.
    package static func isOwnPeer(_ descriptor: Int32) -> Bool { peer(of: descriptor)?.user == geteuid() }

    /// True if the other end of a connection is in this same process.
    package static func isOwnProcess(_ descriptor: Int32) -> Bool { peer(of: descriptor)?.process == getpid() }

    /// True if the process that listens at the other end is stopped, by a signal or a debugger; false if that cannot be read.
    package static func isPeerStopped(_ descriptor: Int32) -> Bool {
        guard let peer = peer(of: descriptor), peer.process > 0 else { return false }
        let file = unsafe open("/proc/\(peer.process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        // `1234 (name, which may contain brackets) T …`: only the beginning is needed.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
            count = unsafe max(0, read(file, buffer.baseAddress, buffer.count))
        }
        guard let bracket = bytes.lastIndex(of: UInt8(ascii: ")")), bracket + 2 < bytes.count else { return false }
        return [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(bytes[bracket + 2])
    }

    private static func peer(of descriptor: Int32) -> (process: pid_t, user: uid_t, group: gid_t)? {
        // The kernel's `struct ucred`, which the C library hides behind a feature macro: process, user, group.
        var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, uid_t.max, gid_t.max)
        var length = socklen_t(MemoryLayout.size(ofValue: peer))
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
        return peer
    }

    /// For `bind` and `connect`; the pointer is valid until `body` returns.
    package func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // A `sockaddr_un` begins like every `sockaddr`, and its length is passed with it.
        unsafe withUnsafePointer(to: address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    /// Binds the path; connections are refused until `listen`.
    package func bind(_ descriptor: Int32) -> Bool { unsafe withSocketAddress { unsafe Glibc.bind(descriptor, $0, $1) } == 0 }

    package func connect(_ descriptor: Int32) -> Bool {
        unsafe withSocketAddress { unsafe Glibc.connect(descriptor, $0, $1) } == 0
    }
}

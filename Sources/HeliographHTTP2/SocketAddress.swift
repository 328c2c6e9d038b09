internal import Glibc

/// A literal address and a port, in the system's form.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var count: socklen_t

    /// The type for `socket`: close-on-exec and never blocking.
    static let stream = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    /// Nil if `text` is no address.
    init?(_ text: String, port: UInt16) {
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if unsafe inet_pton(AF_INET, text, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            count = socklen_t(MemoryLayout<sockaddr_in>.size)
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: four, as: sockaddr_in.self) }
        } else if unsafe inet_pton(AF_INET6, text, &six.sin6_addr) == 1 {
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            count = socklen_t(MemoryLayout<sockaddr_in6>.size)
            unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: six, as: sockaddr_in6.self) }
        } else {
            return nil
        }
    }

    static func local(of socket: Int32) -> SocketAddress? { unsafe SocketAddress { unsafe getsockname(socket, $0, $1) } }

    static func remote(of socket: Int32) -> SocketAddress? { unsafe SocketAddress { unsafe getpeername(socket, $0, $1) } }

    private init?(_ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) {
        count = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe ask($0, &count) }
        }
        guard result == 0 else { return nil }
    }

    var family: Int32 { Int32(storage.ss_family) }

    /// IPv4 and IPv6 addresses have the port at the same offset.
    var port: UInt16 {
        unsafe withUnsafeBytes(of: storage) { unsafe UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    }

    /// The address without the port.
    var text: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            let result = unsafe withPointer { address, count in
                unsafe getnameinfo(address, count, buffer.baseAddress, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST)
            }
            return unsafe result == 0 ? String(cString: buffer.baseAddress!) : "an unknown address"
        }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafePointer(to: storage) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, count) }
        }
    }

    /// Makes a descriptor close-on-exec and non-blocking, if it was made without.
    static func setFlags(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Turns an option on.
    static func set(_ socket: Int32, _ level: Int32, _ option: Int32) {
        var one: Int32 = 1
        _ = unsafe setsockopt(socket, level, option, &one, socklen_t(MemoryLayout<Int32>.size))
    }
}

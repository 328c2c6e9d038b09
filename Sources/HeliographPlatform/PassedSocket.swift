internal import Glibc

/// A listening TCP socket that a service manager holds and passes to this process: `sd_listen_fds(3)`, without its library.
package struct PassedSocket: Sendable {
    private static let firstDescriptor: Int32 = 3

    /// Close-on-exec is set.
    package let descriptor: Int32
    /// Numeric address; IPv6 without brackets.
    package let host: String
    package let port: UInt16

    /// Number of descriptors that were passed to this process, by `LISTEN_FDS` and `LISTEN_PID`; nil if it is not a valid number.
    package static func count(environment: [String: String], processID: Int32 = getpid()) -> Int? {
        guard environment["LISTEN_PID"] == String(processID), let text = environment["LISTEN_FDS"] else { return 0 }
        return Int(text).flatMap { $0 < 0 ? nil : $0 }
    }

    /// The first passed descriptor; nil if it is not a listening TCP socket.
    package init?() { self.init(descriptor: Self.firstDescriptor) }

    package init?(descriptor: Int32) {
        var listens: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens != 0,
            let (host, port) = Self.address(of: descriptor), fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        self.descriptor = descriptor
        self.host = host
        self.port = port
    }

    /// Nil for families other than IPv4 and IPv6.
    private static func address(of descriptor: Int32) -> (host: String, port: UInt16)? {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe getsockname(descriptor, pointer, &size) == 0,
                    unsafe [AF_INET, AF_INET6].contains(Int32(pointer.pointee.sa_family))
                else { return nil }
                return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { host in
                    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXSERV)) { port in
                        let result = unsafe getnameinfo(
                            pointer, size, host.baseAddress, socklen_t(host.count), port.baseAddress, socklen_t(port.count),
                            NI_NUMERICHOST | NI_NUMERICSERV)
                        guard result == 0, let number = unsafe UInt16(String(cString: port.baseAddress!)) else { return nil }
                        return unsafe (String(cString: host.baseAddress!), number)
                    }
                }
            }
        }
    }
}

internal import CHeliographLibwebsockets
internal import HeliographPlatform
internal import Glibc

/// A bound and listening descriptor, and the `lws` that reports new connections on it.
@safe struct ListenSocket {
    let listener: Listener
    let descriptor: Int32
    /// Owned by libwebsockets, which also closes the descriptor.
    let wsi: OpaquePointer
    /// The loops that serve accepted connections; if empty, the accepting loop does.
    let branches: [ListenerBranch]
    /// True while accepting is paused because descriptors ran out, or too many connections have not identified themselves.
    var isResting = false
}

/// Makes listening sockets.
enum Binding {
    /// Connections that the kernel queues until we accept them, as when thousands connect at once. The kernel has a limit of its
    /// own, `somaxconn`.
    static let backlog: Int32 = 4096

    static func tcp(host: String, port: UInt16) throws(WebSocketEngineError) -> (descriptor: Int32, port: UInt16) {
        let host = host == "localhost" ? "127.0.0.1" : host
        var four = sockaddr_in()
        var six = sockaddr_in6()
        if unsafe inet_pton(AF_INET, host, &four.sin_addr) == 1 {
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            let descriptor = try bind(AF_INET, "\(host):\(port)") { attach($0, to: four) }
            return (descriptor, boundPort(descriptor, or: port))
        }
        if unsafe inet_pton(AF_INET6, host, &six.sin6_addr) == 1 {
            // Without IPv6 in the kernel, `::` means all IPv4 networks.
            if host == "::", !hasSockets(of: AF_INET6) { return try tcp(host: "0.0.0.0", port: port) }
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = port.bigEndian
            let descriptor = try bind(AF_INET6, "[\(host)]:\(port)") { attach($0, to: six) }
            return (descriptor, boundPort(descriptor, or: port))
        }
        throw WebSocketEngineError(.invalidConfiguration, "\(host) is not an IPv4 or IPv6 address")
    }

    static func unix(path: String) throws(WebSocketEngineError) -> Int32 {
        let address = try unixAddress(path)
        try removeStaleSocket(path, address)
        return try bind(AF_UNIX, path) { address.bind($0) }
    }

    static func unixAddress(_ path: String) throws(WebSocketEngineError) -> UnixAddress {
        guard !path.isEmpty, let address = UnixAddress(path) else {
            throw WebSocketEngineError(
                .invalidConfiguration, "the socket path must have 1 to \(UnixAddress.pathBytesMax) bytes: \(path)")
        }
        return address
    }

    /// Removes a socket file left by a dead process, which would make bind(2) fail. A socket that is in use, and any other kind of
    /// file, is left alone.
    private static func removeStaleSocket(_ path: String, _ address: UnixAddress) throws(WebSocketEngineError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw WebSocketEngineError(.cannotListen, "\(path) is in the way and is not a socket")
        }
        let probe = streamSocket(AF_UNIX)
        guard probe >= 0 else { throw WebSocketEngineError(.cannotListen, "no socket: \(String(errno: errno))") }
        defer { Glibc.close(probe) }
        guard !address.connect(probe), errno == ECONNREFUSED else {
            throw WebSocketEngineError(.cannotListen, "another process listens on \(path)")
        }
        unsafe unlink(path)
    }

    private static func hasSockets(of family: Int32) -> Bool {
        let probe = streamSocket(family)
        guard probe >= 0 else { return errno != EAFNOSUPPORT }
        Glibc.close(probe)
        return true
    }

    private static func streamSocket(_ family: Int32) -> Int32 {
        socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    }

    private static func attach<Address>(_ descriptor: Int32, to address: Address) -> Bool {
        unsafe withUnsafePointer(to: address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    private static func bind(
        _ family: Int32, _ name: String, to attach: (Int32) -> Bool
    ) throws(WebSocketEngineError) -> Int32 {
        let descriptor = streamSocket(family)
        guard descriptor >= 0 else { throw WebSocketEngineError(.cannotListen, "no socket: \(String(errno: errno))") }
        var on: Int32 = 1
        let onSize = socklen_t(MemoryLayout<Int32>.size)
        if family == AF_UNIX {
            // Set before bind(2), so that other users cannot connect at any moment.
            fchmod(descriptor, 0o600)
        } else {
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, onSize)
            // Accept IPv4 peers as well, whatever the system's default is. It matters for `::` only.
            var off: Int32 = 0
            if family == AF_INET6 { unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &off, onSize) }
        }
        guard attach(descriptor), listen(descriptor, backlog) == 0 else {
            let code = errno
            Glibc.close(descriptor)
            throw WebSocketEngineError(
                .cannotListen, "cannot listen on \(name): \(String(errno: code))\(Self.mend(code, family))")
        }
        return descriptor
    }

    /// Advice for the operator, or an empty text.
    static func mend(_ code: Int32, _ family: Int32) -> String {
        switch code {
        case ENOSPC, EDQUOT: ": \(DiskMend.full)"
        case EPERM where family == AF_UNIX, EOPNOTSUPP where family == AF_UNIX, ENOSYS where family == AF_UNIX:
            ": the file system there may take no sockets, as FAT and some shared folders do not: choose a folder on another one"
        case EACCES where family == AF_UNIX: ": choose a folder in which this user may write"
        case EADDRINUSE: ": stop the program that listens there, or choose another port"
        case EADDRNOTAVAIL: ": choose an address of this machine"
        case EACCES: ": choose a port from 1024 on, or give the program the right to this one"
        default: ""
        }
    }

    private static func boundPort(_ descriptor: Int32, or port: UInt16) -> UInt16 {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &size) }
        }
        guard result == 0 else { return port }
        // The port is at the same place in both families.
        return unsafe withUnsafeBytes(of: &address) { unsafe UInt16($0[2]) << 8 | UInt16($0[3]) }
    }
}

internal import HeliographCrypto
internal import Glibc
internal import HeliographPlatform
internal import RelayAccess

/// The address of a relay, resolved once.
struct Endpoint {
    private var storage = sockaddr_storage()
    private var length: socklen_t = 0
    /// The host's name in the `Host` header.
    let host: String
    let prefix: String
    private var tls: (context: TLSContext, name: String)?

    /// Trusts the system's authorities, and those of this file (PEM).
    init(_ relay: RelayAddress, certificateAuthorityFile: String? = nil) throws(BenchError) {
        prefix = relay.prefix
        switch relay.target {
        case .unix(let path):
            host = "localhost"
            guard let address = UnixAddress(path) else { throw BenchError(.plan, "\(relay): the socket's path is too long") }
            unsafe address.withSocketAddress { pointer, length in
                unsafe copy(UnsafeRawBufferPointer(start: pointer, count: Int(length)))
            }
        case .tcp(let name, let port, let isTLS):
            if isTLS {
                do {
                    let context = try TLSContext(clientProtocols: ["http/1.1"], authorityFile: certificateAuthorityFile)
                    tls = (context, name)
                } catch { throw BenchError(.plan, error.message) }
            }
            host = "\(name.contains(":") ? "[\(name)]" : name):\(port)"
            var hints = unsafe addrinfo()
            unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            let status = unsafe getaddrinfo(name, "\(port)", &hints, &list)
            guard status == 0, let first = unsafe list else {
                throw BenchError(.unreachable, "\(name): \(unsafe String(cString: gai_strerror(status)))")
            }
            defer { unsafe freeaddrinfo(first) }
            unsafe copy(UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(first.pointee.ai_addrlen)))
        }
    }

    private mutating func copy(_ address: UnsafeRawBufferPointer) {
        length = socklen_t(address.count)
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.copyMemory(from: address) }
    }

    /// A TLS session; nil for plain HTTP.
    func session() -> TLSSession? { tls.map { TLSSession(client: $0.context, serverName: $0.name) } }

    private var isLoopback: Bool {
        guard Int32(storage.ss_family) == AF_INET else { return false }
        return unsafe withUnsafeBytes(of: storage) { unsafe $0.load(as: sockaddr_in.self).sin_addr.s_addr.bigEndian } >> 24
            == 127
    }

    /// Binds to a source address. The kernel chooses the port when it connects; before that it would reserve it for all
    /// destinations.
    private func bind(_ descriptor: Int32, to address: in_addr_t) throws(BenchError) {
        var yes: Int32 = 1
        unsafe setsockopt(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        var source = sockaddr_in()
        source.sin_family = sa_family_t(AF_INET)
        source.sin_addr.s_addr = address
        let result = unsafe withUnsafePointer(to: source) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw BenchError(.system, "no loopback address for a client: \(String(errno: errno))") }
    }

    /// A socket that is connecting. `number` counts the connections, which come from several addresses if the relay is on loopback.
    func connect(_ number: Int) throws(BenchError) -> Int32 {
        let family = Int32(storage.ss_family)
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw BenchError(.system, "no socket: \(String(errno: errno))") }
        if family != AF_UNIX {
            var yes: Int32 = 1
            unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        }
        if isLoopback, let source = LoopbackSource.address(ofConnection: number) {
            do throws(BenchError) { try bind(descriptor, to: source) } catch {
                close(descriptor)
                throw error
            }
        }
        let result = unsafe withUnsafePointer(to: storage) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe Glibc.connect(descriptor, $0, length) }
        }
        // EAGAIN: the queue of a Unix socket is full; treated like a connection that was cut.
        guard result == 0 || errno == EINPROGRESS || errno == EAGAIN else {
            let failure = errno
            close(descriptor)
            throw BenchError(.unreachable, "\(host): \(String(errno: failure))")
        }
        return descriptor
    }
}

extension String {
    /// The system's sentence for `errno`.
    init(errno number: Int32) { self = unsafe String(cString: strerror(number)) }
}

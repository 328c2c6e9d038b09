internal import Glibc
internal import HeliographPlatform

/// A connected stream socket. Everything has a deadline except the name look-up, which the system's resolver limits.
struct PlainSocket: ~Copyable {
    private static let readBytes = 16 << 10

    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    static func connect(to relay: RelayAddress, until deadline: Deadline) throws(HTTPError) -> PlainSocket {
        switch relay.target {
        case .unix(let path): return try connectUnix(path, until: deadline)
        case .tcp(let host, let port, _): return try connect(toHost: host, port, until: deadline)
        }
    }

    /// Returns the descriptor, which the caller must close.
    consuming func release() -> Int32 {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    private static func connectUnix(_ path: String, until deadline: Deadline) throws(HTTPError) -> PlainSocket {
        guard let address = UnixAddress(path) else { throw HTTPError(.local, "the socket's path is too long") }
        switch unsafe address.withSocketAddress({ unsafe attempt(AF_UNIX, $0, $1, until: deadline) }) {
        case .success(let descriptor): return PlainSocket(descriptor: descriptor)
        case .failure(let fault): throw fault
        }
    }

    static func connect(toHost host: String, _ port: UInt16, until deadline: Deadline) throws(HTTPError) -> PlainSocket {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let status = unsafe getaddrinfo(host, "\(port)", &hints, &list)
        guard status == 0, let first = unsafe list else {
            throw HTTPError(.unreachable, "\(host): \(unsafe String(cString: gai_strerror(status)))")
        }
        defer { unsafe freeaddrinfo(first) }
        var fault = HTTPError(.unreachable, "no address is known for \(host)")
        var entry: UnsafeMutablePointer<addrinfo>? = unsafe first
        while let current = unsafe entry {
            if let address = unsafe current.pointee.ai_addr {
                switch unsafe attempt(current.pointee.ai_family, address, current.pointee.ai_addrlen, until: deadline) {
                case .success(let descriptor): return PlainSocket(descriptor: descriptor)
                case .failure(let reason): fault = reason
                }
            }
            unsafe entry = current.pointee.ai_next
        }
        throw fault
    }

    private static func attempt(
        _ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t, until deadline: Deadline
    ) -> Result<Int32, HTTPError> {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return .failure(HTTPError(.local, sentence(errno))) }
        if unsafe Glibc.connect(descriptor, address, length) != 0 {
            var failure = errno
            if failure == EINPROGRESS {
                guard wait(descriptor, for: POLLOUT, until: deadline) else {
                    close(descriptor)
                    return .failure(HTTPError(.timedOut, "no answer in time"))
                }
                var size = socklen_t(MemoryLayout<Int32>.size)
                unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &size)
            }
            if failure != 0 {
                close(descriptor)
                return .failure(HTTPError(.unreachable, sentence(failure)))
            }
        }
        return .success(descriptor)
    }

    func send(_ bytes: [UInt8], until deadline: Deadline) throws(HTTPError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.send(descriptor, buffer.baseAddress! + sent, buffer.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count >= 0 {
                sent += count
            } else if errno == EAGAIN || errno == EINTR {
                guard Self.wait(descriptor, for: POLLOUT, until: deadline) else {
                    throw HTTPError(.timedOut, "the relay did not read in time")
                }
            } else {
                throw HTTPError(.unreachable, Self.sentence(errno))
            }
        }
    }

    /// Returns received bytes; nil at the end of the stream.
    func receive(until deadline: Deadline) throws(HTTPError) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: Self.readBytes)
        while true {
            guard Self.wait(descriptor, for: POLLIN, until: deadline) else {
                throw HTTPError(.timedOut, "the relay did not answer in time")
            }
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count > 0 { return Array(buffer.prefix(count)) }
            if count == 0 { return nil }
            if errno != EAGAIN, errno != EINTR { throw HTTPError(.unreachable, Self.sentence(errno)) }
        }
    }

    private static func wait(_ descriptor: Int32, for event: Int32, until deadline: Deadline) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let left = deadline.millisecondsLeft
            if left == 0 { return false }
            let count = unsafe poll(&entry, 1, left)
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }

    private static func sentence(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
}

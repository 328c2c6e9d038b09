internal import Glibc

/// One HTTP/1.1 POST to this machine.
struct PlainPost {
    var host: String
    var port: UInt16
    var path: String

    func send(_ body: [UInt8]) throws(HostError) -> (status: Int, body: [UInt8]) {
        let socket = try connect()
        defer { close(socket) }
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let head =
            "POST \(path) HTTP/1.1\r\nHost: \(authority)\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.count)\r\nConnection: close\r\n\r\n"
        try write(Array(head.utf8) + body, to: socket)
        return try Self.parse(try readAll(from: socket))
    }

    private func connect() throws(HostError) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else {
            throw HostError(.pairing, "no address is known for \(host)")
        }
        // The list is ours until it is freed, and read before.
        defer { unsafe freeaddrinfo(list) }
        var entry = unsafe list
        while let address = unsafe entry?.pointee {
            let descriptor = unsafe socket(
                address.ai_family, address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), address.ai_protocol)
            if descriptor >= 0 {
                var timeout = timeval(tv_sec: PairingRequest.timeoutSeconds, tv_usec: 0)
                for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                    unsafe setsockopt(descriptor, SOL_SOCKET, option, &timeout, socklen_t(MemoryLayout<timeval>.size))
                }
                if unsafe Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return descriptor }
                close(descriptor)
            }
            unsafe entry = unsafe address.ai_next
        }
        throw HostError(.pairing, "nobody answers at \(host), port \(port)")
    }

    private func write(_ bytes: [UInt8], to socket: Int32) throws(HostError) {
        var sent = 0
        while sent < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe Glibc.send(socket, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw HostError(.pairing, "the relay hung up") }
            sent += count
        }
    }

    private func readAll(from socket: Int32) throws(HostError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count <= PairingRequest.responseBytesMax {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw HostError(.pairing, "the relay did not answer in time") }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw HostError(.pairing, "what answered is not a relay of ours")
    }

    static func parse(_ bytes: [UInt8]) throws(HostError) -> (status: Int, body: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
        let separator = Array("\r\n\r\n".utf8)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
            let end = (0..<max(0, bytes.count - 3)).first(where: { bytes[$0..<$0 + 4].elementsEqual(separator) })
        else { throw HostError(.pairing, "what answered is not a relay of ours") }
        return (status, Array(bytes[(end + 4)...]))
    }
}

internal import HeliographCrypto

/// A connection through an HTTP proxy, opened with CONNECT: after that, bytes pass unchanged in both directions.
enum ProxyTunnel {
    /// Wait for the proxy's answer, which it sends when it has reached the server, or given up.
    static let answerSeconds: Int64 = 10
    private static let headBytesMax = 16 << 10

    /// Connects to the relay, through its proxy if it has one. Blocks the calling thread.
    static func connect(
        to relay: RelayAddress, by proxies: ProxySettings, until deadline: Deadline
    ) throws(HTTPError) -> PlainSocket {
        guard let proxy = try proxies.proxy(for: relay), case .tcp(let host, let port, _) = relay.target else {
            return try PlainSocket.connect(to: relay, until: deadline)
        }
        return try connect(to: host, port, through: proxy)
    }

    /// Connects to a server through the proxy. Blocks the calling thread.
    static func connect(
        to host: String, _ port: UInt16, through proxy: ProxyAddress, seconds: Int64 = answerSeconds
    ) throws(HTTPError) -> PlainSocket {
        let deadline = Deadline(seconds: seconds)
        let socket: PlainSocket
        do throws(HTTPError) { socket = try PlainSocket.connect(toHost: proxy.host, proxy.port, until: deadline) } catch {
            throw HTTPError(.proxy, "the proxy \(proxy) cannot be reached: \(error.message)")
        }
        try socket.send(request(to: host, port, proxy), until: deadline)
        var head: [UInt8] = []
        while head.count <= headBytesMax {
            let more: [UInt8]?
            do throws(HTTPError) { more = try socket.receive(until: deadline) } catch {
                guard error.code == .timedOut else { throw hungUp(proxy) }
                throw HTTPError(.proxy, "the proxy \(proxy) does not answer")
            }
            guard let more else { throw hungUp(proxy) }
            head += more
            if try isOpen(head, proxy) { return socket }
        }
        throw HTTPError(.proxy, "the answer of the proxy \(proxy) is too long for one")
    }

    private static func hungUp(_ proxy: ProxyAddress) -> HTTPError {
        HTTPError(.proxy, "the proxy \(proxy) hung up without an answer")
    }

    static func request(to host: String, _ port: UInt16, _ proxy: ProxyAddress) -> [UInt8] {
        let target = RelayAddress.authority(host, port)
        var text = "CONNECT \(target) HTTP/1.1\r\nHost: \(target)\r\n"
        if let credentials = proxy.credentials { text += "Proxy-Authorization: Basic \(Crypto.base64(credentials))\r\n" }
        return Array((text + "\r\n").utf8)
    }

    /// True if the proxy has connected; false if its answer is incomplete. Throws if it refuses.
    static func isOpen(_ head: [UInt8], _ proxy: ProxyAddress) throws(HTTPError) -> Bool {
        let text = String(decoding: head, as: UTF8.self)
        guard "HTTP/1.".hasPrefix(text.prefix(7)) || text.hasPrefix("HTTP/1.") else {
            throw HTTPError(.proxy, "what listens at \(proxy) is no HTTP proxy")
        }
        guard let end = text.range(ofFirst: "\r\n\r\n") else { return false }
        let words = text.prefix { $0 != "\r\n" }.split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]), (100..<600).contains(status) else {
            throw HTTPError(.proxy, "what listens at \(proxy) is no HTTP proxy")
        }
        guard (200..<300).contains(status) else { throw refusal(status, proxy) }
        // The server sends nothing before the client does.
        guard end.upperBound == text.endIndex else {
            throw HTTPError(.proxy, "the proxy \(proxy) opened a connection and sent something of its own")
        }
        return true
    }

    static func refusal(_ status: Int, _ proxy: ProxyAddress) -> HTTPError {
        switch status {
        case 407 where proxy.credentials == nil:
            HTTPError(.proxy, "the proxy \(proxy) wants a name and a password (HTTP 407)")
        // tinyproxy 1.11 answers 401 to a wrong password.
        case 401 where proxy.credentials != nil, 407:
            HTTPError(.proxy, "the proxy \(proxy) does not accept the name and the password (HTTP \(status))")
        default: HTTPError(.proxy, "the proxy \(proxy) does not connect to it (HTTP \(status))")
        }
    }
}

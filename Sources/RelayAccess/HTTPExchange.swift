/// One request to a relay, with an answer of a few kilobytes. Blocks the calling thread.
///
/// Plain HTTP uses its own socket. HTTPS runs `curl`: it knows the system's authorities, and pairing happens once in a machine's
/// life. Both use the same proxy as links.
package struct HTTPExchange: Sendable {
    package struct Answer: Sendable, Equatable {
        package var status: Int
        package var body: [UInt8]
        /// The server's clock, from the `Date` header; nil if the answer has none, and over HTTPS, where curl makes the request.
        package var date: String?
    }

    /// Limit of an answer; one to a pairing has a few hundred bytes.
    package var answerBytesMax = 64 << 10
    /// Time from the first packet to the last byte.
    package var seconds: Int64 = 20
    /// Limit of the headers, in addition to the answer's body.
    private static let headBytesMax = 16 << 10

    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
    }

    package var relay: RelayAddress
    package var method: Method
    package var path: String
    package var body: [UInt8] = []
    /// A file with the body, needed if both a token and a body are sent to a relay over HTTPS: curl reads the body there.
    package var bodyFile: String?
    /// Token for the `Authorization` header. Never put on a command line, which other users of the machine can read.
    package var bearer: String?
    package var certificateAuthorityFile: String?
    package var proxies = ProxySettings.environment
    /// Requests a WebSocket with this subprotocol, to get an answer that refuses it. An answer that accepts it is an error.
    package var subprotocol: String?
    /// Value of `Origin`, as a browser's page at this address would send it.
    package var origin: String?

    package init(
        relay: RelayAddress, method: Method = .post, path: String, body: [UInt8] = [], bearer: String? = nil,
        certificateAuthorityFile: String? = nil
    ) {
        self.relay = relay
        self.method = method
        self.path = path
        self.body = body
        self.bearer = bearer
        self.certificateAuthorityFile = certificateAuthorityFile
    }

    package func perform() throws(HTTPError) -> Answer {
        if case .tcp(_, _, true) = relay.target { return try performWithCurl() }
        return try performPlain()
    }

    // MARK: - Plain HTTP

    private func performPlain() throws(HTTPError) -> Answer {
        let deadline = Deadline(seconds: seconds)
        let socket = try ProxyTunnel.connect(to: relay, by: proxies, until: deadline)
        try socket.send(requestBytes, until: deadline)
        var bytes: [UInt8] = []
        while bytes.count <= Self.headBytesMax + answerBytesMax {
            if let answer = try Self.answer(in: bytes, isWhole: false, bytesMax: answerBytesMax) { return answer }
            guard let more = try socket.receive(until: deadline) else {
                guard let answer = try Self.answer(in: bytes, isWhole: true, bytesMax: answerBytesMax) else {
                    throw HTTPError(.badAnswer, "the relay hung up in the middle of its answer")
                }
                return answer
            }
            bytes += more
        }
        throw HTTPError(.badAnswer, "the answer is too long for a relay's")
    }

    private var requestBytes: [UInt8] {
        var host = "localhost"
        if case .tcp(let name, let port, _) = relay.target {
            host = RelayAddress.authority(name, port == 80 ? nil : port)
        }
        var text = "\(method.rawValue) \(relay.prefix)\(path) HTTP/1.1\r\nHost: \(host)\r\nAccept: application/json\r\n"
        if let subprotocol {
            text += "Connection: Upgrade\r\n"
            for (name, value) in Self.upgrade(to: subprotocol) { text += "\(name): \(value)\r\n" }
        } else {
            text += "Connection: close\r\n"
        }
        if method == .post { text += "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n" }
        if let bearer { text += "Authorization: Bearer \(bearer)\r\n" }
        if let origin { text += "Origin: \(origin)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }

    private static func upgrade(to subprotocol: String) -> [(String, String)] {
        [
            ("Upgrade", "websocket"), ("Sec-WebSocket-Key", "aGVsaW9ncmFwaCBwcm9iZQ=="), ("Sec-WebSocket-Version", "13"),
            ("Sec-WebSocket-Protocol", subprotocol),
        ]
    }

    /// The answer, once it is complete; nil if it is not yet. `isWhole`: true if the peer has closed the connection.
    static func answer(in bytes: [UInt8], isWhole: Bool, bytesMax: Int = 64 << 10) throws(HTTPError) -> Answer? {
        guard let end = firstIndex(of: [13, 10, 13, 10], in: bytes, from: 0) else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let status = lines[0].split(separator: " ")
        guard status.count >= 2, status[0].hasPrefix("HTTP/1."), let code = Int(status[1]), (100..<600).contains(code) else {
            throw HTTPError(.badAnswer, "what answers there does not speak HTTP")
        }
        var length: Int?
        var isChunked = false
        var date: String?
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon].lowercased() {
            case "content-length":
                guard let number = Int(value), number >= 0 else {
                    throw HTTPError(.badAnswer, "the answer's length is no number")
                }
                length = number
            case "date": date = String(value)
            case "transfer-encoding": isChunked = value.lowercased() == "chunked"
            default: break
            }
        }
        let body = bytes[(end + 4)...]
        if isChunked {
            guard let whole = try unchunked(bytes, from: end + 4, bytesMax: bytesMax) else { return nil }
            return Answer(status: code, body: whole, date: date)
        }
        if let length {
            guard length <= bytesMax else { throw HTTPError(.badAnswer, "the answer is too long for a relay's") }
            return body.count >= length ? Answer(status: code, body: Array(body.prefix(length)), date: date) : nil
        }
        guard code != 101 else { throw HTTPError(.badAnswer, "the WebSocket that was opened is not a relay's") }
        if code == 204 { return Answer(status: code, body: [], date: date) }
        return isWhole ? Answer(status: code, body: Array(body), date: date) : nil
    }

    private static func unchunked(_ bytes: [UInt8], from start: Int, bytesMax: Int) throws(HTTPError) -> [UInt8]? {
        var body: [UInt8] = []
        var index = start
        while let end = firstIndex(of: [13, 10], in: bytes, from: index) {
            let size = String(decoding: bytes[index..<end].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
            guard let count = Int(size, radix: 16), count >= 0, count <= bytesMax else {
                throw HTTPError(.badAnswer, "the answer's chunks are broken")
            }
            if count == 0 { return body }
            guard bytes.count >= end + 2 + count + 2 else { return nil }
            body += bytes[(end + 2)..<(end + 2 + count)]
            index = end + 2 + count + 2
        }
        return nil
    }

    private static func firstIndex(of pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        var index = start
        while index + pattern.count <= bytes.count {
            if bytes[index..<(index + pattern.count)].elementsEqual(pattern) { return index }
            index += 1
        }
        return nil
    }

    // MARK: - HTTPS

    /// Text for an exit code, in place of curl's own, which names its options and OpenSSL's functions.
    static func words(for exitCode: Int32, said: String) -> String {
        switch exitCode {
        case 6: "the host name is unknown"
        case 7: "nothing listens there"
        case 28: "it does not answer in time"
        case 35 where ["wrong version number", "packet length too long", "record layer failure"].contains { said.contains($0) }:
            "what listens there does not speak TLS: is its address http://…?"
        case 35: "no TLS connection comes about" + (said.split(separator: ":").last.map { ": \($0)" } ?? "")
        case 52, 56: "it hung up without an answer"
        default: said.isEmpty ? "curl ended with \(exitCode)" : String(said.split(separator: ") ", maxSplits: 1).last ?? "")
        }
    }

    /// The proxy's error for an exit code; nil if the failure was not the proxy's.
    static func proxyError(for exitCode: Int32, said: String, _ proxy: ProxyAddress) -> HTTPError? {
        switch exitCode {
        case 5: HTTPError(.proxy, "the host name of the proxy \(proxy) is unknown")
        case 7, 97: HTTPError(.proxy, "the proxy \(proxy) cannot be reached")
        case 28: HTTPError(.proxy, "the proxy \(proxy), or the relay behind it, does not answer in time")
        case 52, 56:
            said.split(separator: "response ").dropFirst().last.flatMap { Int($0.prefix(3)) }.map {
                ProxyTunnel.refusal($0, proxy)
            }
                ?? HTTPError(.proxy, "the proxy \(proxy) hung up without an answer")
        default: nil
        }
    }

    private static let curlCannotVerify: Int32 = 60
    private static let curlCannotReadAuthorities: Int32 = 77

    private func performWithCurl() throws(HTTPError) -> Answer {
        var arguments = [
            "curl", "-q", "--silent", "--show-error", "--globoff", "--proto", "=https", "--max-time", "\(seconds)",
            "--connect-timeout", "10", "--max-filesize", "\(answerBytesMax)", "--request", method.rawValue, "--header",
            "Accept: application/json", "--write-out", "\\n%{http_code}",
        ]
        if let subprotocol {
            arguments += ["--http1.1", "--header", "Connection: Upgrade"]
            for (name, value) in Self.upgrade(to: subprotocol) { arguments += ["--header", "\(name): \(value)"] }
        }
        if let certificateAuthorityFile { arguments += ["--cacert", certificateAuthorityFile] }
        if let origin { arguments += ["--header", "Origin: \(origin)"] }
        let input: [UInt8]
        if let bearer {
            precondition(body.isEmpty || bodyFile != nil, "curl's standard input takes the token or the body")
            arguments += ["--header", "@-"]
            // Without curl's `Expect: 100-continue`, which delays large bodies.
            if let bodyFile { arguments += ["--header", "Expect:", "--data-binary", "@\(bodyFile)"] }
            input = Array("Authorization: Bearer \(bearer)\n".utf8)
        } else if method == .post {
            arguments += ["--header", "Content-Type: application/json", "--data-binary", "@-"]
            input = body
        } else {
            input = []
        }
        arguments += ["--url", "\(relay)\(path)"]
        // Passed in the environment, as the address may contain a password.
        let proxy = try proxies.proxy(for: relay)
        var variables: [String: String?] = Dictionary(uniqueKeysWithValues: ProxySettings.names.map { ($0, String?.none) })
        if let proxy { variables["https_proxy"] = proxy.text }
        let result = try ChildProcess.run(
            arguments, input: input, outputBytesMax: answerBytesMax + 16, variables: variables)
        guard result.exitCode == 0 else {
            let said = String(decoding: result.errors, as: UTF8.self).split(separator: "\n").first.map(String.init)
            switch result.exitCode {
            case Self.curlCannotVerify:
                let why = (said ?? "").split(separator: ": ").last.map(String.init) ?? "it cannot be verified"
                throw HTTPError(.untrusted, "its certificate is not trusted here: \(why)")
            case Self.curlCannotReadAuthorities:
                throw HTTPError(.local, "\(certificateAuthorityFile ?? "the system's list") has no certificates to trust")
            default:
                if let proxy, let error = Self.proxyError(for: result.exitCode, said: said ?? "", proxy) { throw error }
                throw HTTPError(.unreachable, Self.words(for: result.exitCode, said: said ?? ""))
            }
        }
        guard let newline = result.output.lastIndex(of: 10),
            let status = Int(String(decoding: result.output[(newline + 1)...], as: UTF8.self))
        else { throw HTTPError(.badAnswer, "curl did not say how the relay answered") }
        return Answer(status: status, body: Array(result.output[..<newline]))
    }
}

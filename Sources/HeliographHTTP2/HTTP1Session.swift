/// HTTP/1.1 on one connection, the client's side: one request at a time, the next only after its response. For servers without
/// HTTP/2; it reports the events that HTTP/2 would.
final class HTTP1Session: HTTPSession {
    var events: [HTTP2Session.Event] = [.settingsReceived(streamsMax: 1)]
    var streams: [Int32: HTTP2Session.Stream] = [:]
    private(set) var complaint: String?
    private let limits: HTTP2Limits
    private var lastNumber: Int32 = -1
    private var output: [UInt8] = []
    private var response = HTTP1Response()
    /// True if nothing more is sent or read: a response said so, or a stream ended without one.
    private var isClosing = false
    let peerStreamsMax = 1

    init(limits: HTTP2Limits) { self.limits = limits }

    var isOver: Bool { isClosing && streams.isEmpty && output.isEmpty }

    func receive(_ bytes: [UInt8]) throws(HTTP2Error) {
        guard !bytes.isEmpty else { return }
        guard let (number, stream) = streams.first else {
            if isClosing { return }
            throw broken("an answer that nobody asked for")
        }
        guard stream.end == nil else { return }
        do {
            if let whole = try response.append(bytes, limits) { answered(number, whole) }
        } catch {
            switch error {
            case .tooLarge: reset(number, .cancel, .tooLarge)
            case .malformed(let sentence): throw broken(sentence)
            }
        }
    }

    /// A response without a length is completed by the end of the connection.
    func endOfInput() {
        isClosing = true
        if let (number, stream) = streams.first, stream.end == nil, let whole = response.end() { answered(number, whole) }
    }

    func produce(into bytes: inout [UInt8], upTo countMax: Int) {
        for (number, stream) in streams {
            if let end = stream.end {
                streams[number] = nil
                events.append(.streamEnded(end, stream: number))
            }
            stream.isSent = true
        }
        bytes += output
        output = []
    }

    func sendRequest(_ message: HTTP2Message) -> Int32? {
        guard !isClosing, streams.isEmpty else { return nil }
        lastNumber += 2
        streams[lastNumber] = HTTP2Session.Stream()
        response = HTTP1Response()
        let (method, path) = (message[":method"] ?? "GET", message[":path"] ?? "/")
        var head = "\(method) \(path) HTTP/1.1\r\nhost: \(message[":authority"] ?? "")\r\n"
        for header in message.headers where header.name.utf8.first != UInt8(ascii: ":") {
            head += "\(header.name): \(header.value)\r\n"
        }
        output = Array((head + "\r\n").utf8) + message.body
        return lastNumber
    }

    /// A request cannot be cancelled, so the connection is not used any more.
    func reset(_ number: Int32, _ code: HTTP2ErrorCode, _ end: HTTP2StreamEnd) {
        guard let stream = streams[number] else { return }
        stream.end = stream.end ?? end
        (isClosing, output) = (true, [])
    }

    /// No effect: HTTP/1.1 has no ping, and no answer is reported.
    func ping() {}

    func goAway(_ code: HTTP2ErrorCode, lastStream: Int32?, debug: [UInt8]) { isClosing = true }

    private func answered(_ number: Int32, _ whole: (message: HTTP2Message, isLast: Bool)) {
        // The server answered before it had the whole request.
        if whole.isLast || !output.isEmpty { (isClosing, output) = (true, []) }
        streams[number] = nil
        events.append(.messageReceived(whole.message, stream: number))
        events.append(.streamEnded(.answered, stream: number))
    }

    private func broken(_ sentence: String) -> HTTP2Error {
        isClosing = true
        complaint = sentence
        return HTTP2Error(.protocolBroken, sentence)
    }
}

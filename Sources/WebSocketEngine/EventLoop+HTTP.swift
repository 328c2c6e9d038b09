internal import CHeliographLibwebsockets

/// Plain HTTP: one request at a time on a connection, answered at once or later.
extension EventLoop {
    /// Answers a request. No effect if it is answered or aborted already.
    package func respond(to request: HTTPRequestID, _ response: HTTPResponse) {
        preconditionOnLoop()
        guard let connection = requests[request], let wsi = unsafe connection.socket,
            connection.exchange?.response == nil
        else { return }
        connection.exchange?.response = response
        setDeadline(of: connection, after: connection.limits.responseDeadline)
        guard connection.exchange?.isInHandler == false else { return }
        if connection.exchange?.isDeferred == true {
            departures?.forget(descriptor: unsafe lws_get_socket_fd(wsi))
            unsafe lws_rx_flow_control(wsi, 1)
        }
        unsafe lws_callback_on_writable(wsi)
    }

    func httpHeadReceived(on connection: Connection, _ wsi: OpaquePointer) -> Int32 {
        guard let listener = connection.listener, connection.phase == .http else { return -1 }
        let reader = unsafe HeaderReader(wsi)
        connection.hasAsked = true
        connection.lastHeard = .now
        if let refusal = refusal(of: connection, reader, listener) { return unsafe refuse(wsi, with: refusal) }
        connection.deadline = nil
        guard
            var request = reader.request(peer: connection.peer, extraHeaders: listener.configuration.extraHeaders),
            reader.value(WSI_TOKEN_HTTP)?.hasPrefix("HTTP/1.") == true
        else { return unsafe refuse(wsi, status: 400, "not an HTTP/1.1 request that is served here") }
        // Set first, because each response below may otherwise keep the connection.
        connection.isLastRequest = !listener.handler.mayAskAgain(after: request)
        guard !reader.hasBlankBeforeColon(listener.blankFields) else {
            return unsafe refuse(wsi, status: 400, "a blank before the colon of a header")
        }
        // libwebsockets does not understand chunked requests; guessing their end would allow request smuggling.
        guard reader.occurrences(WSI_TOKEN_HTTP_TRANSFER_ENCODING) == 0 else {
            return unsafe refuse(wsi, status: 411, "send a content-length")
        }
        guard reader.occurrences(WSI_TOKEN_HOST) <= 1, reader.occurrences(WSI_TOKEN_HTTP_CONTENT_LENGTH) <= 1 else {
            return unsafe refuse(wsi, status: 400, "a header came twice")
        }
        guard request.header("host") != nil || reader.value(WSI_TOKEN_HTTP) == "HTTP/1.0" else {
            return unsafe refuse(wsi, status: 400, "send a host")
        }
        let declared = request.header("content-length")
        if declared == nil, ["POST", "PUT", "PATCH"].contains(request.method) {
            return unsafe refuse(wsi, status: 411, "send a content-length")
        }
        let digits = declared ?? "0"
        guard digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), digits.utf8.count <= 18, let count = Int(digits) else {
            return unsafe refuse(wsi, status: 400, "the content-length is not a number")
        }
        let limits = connection.limits
        let isLarge = count > limits.httpBodyBytesMax
        connection.bodyBytesMax = isLarge ? listener.handler.bodyBytesMax(of: request) : nil
        guard count <= connection.bodyBytesMax ?? limits.httpBodyBytesMax else {
            return unsafe refuseBody(connection, wsi, count: count)
        }
        if let refusal = headReceived(&request, on: connection, listener) { return unsafe refuse(wsi, with: refusal) }
        guard count > 0 else { return unsafe deliver(request, on: connection, wsi) }
        request.body.reserveCapacity(min(count, 65_536))
        connection.incomingRequest = request
        setDeadline(of: connection, after: isLarge ? limits.messageDeadline : limits.bodyDeadline)
        return 0
    }

    func httpBodyReceived(_ input: UnsafeMutableRawBufferPointer, on connection: Connection) -> Int32 {
        // The request was refused, and libwebsockets discards its body.
        guard connection.incomingRequest != nil else { return 0 }
        unsafe connection.incomingRequest?.body.append(contentsOf: input)
        connection.lastHeard = .now
        countUnfinished(of: connection)
        let most = connection.bodyBytesMax ?? connection.limits.httpBodyBytesMax
        return connection.incomingRequest!.body.count <= most ? 0 : -1
    }

    func httpBodyCompleted(on connection: Connection, _ wsi: OpaquePointer) -> Int32 {
        // libwebsockets also calls this after an empty POST, and again when the next request is pipelined behind this one.
        guard let request = connection.incomingRequest else { return 0 }
        connection.incomingRequest = nil
        connection.deadline = nil
        countUnfinished(of: connection)
        return unsafe deliver(request, on: connection, wsi)
    }

    private func deliver(_ request: HTTPRequest, on connection: Connection, _ wsi: OpaquePointer) -> Int32 {
        guard let listener = connection.listener else { return -1 }
        var request = request
        request.connection = connection.id
        let id = HTTPRequestID(rawValue: makeID())
        connection.exchange = HTTPExchange(id: id, isHead: request.method == "HEAD")
        requests[id] = connection
        // The response may take an hour; libwebsockets would close the connection after 20 s.
        unsafe clws_clear_timeout(wsi)
        noteActivity()
        listener.handler.requestReceived(request, id: id)
        connection.exchange?.isInHandler = false
        if connection.exchange?.response != nil { return unsafe writeResponse(of: connection, wsi) }
        // While a request waits, libwebsockets leaves input unread, and poll(2) would report it again and again. So reading is
        // turned off, and the departure watch notices if the peer leaves.
        connection.exchange?.isDeferred = true
        unsafe lws_rx_flow_control(wsi, 0)
        departures?.watch(connection, descriptor: unsafe lws_get_socket_fd(wsi))
        return 0
    }

    func writeResponse(of connection: Connection, _ wsi: OpaquePointer) -> Int32 {
        guard let exchange = connection.exchange, let response = exchange.response else { return 0 }
        requests[exchange.id] = nil
        connection.exchange = nil
        connection.lastHeard = .now
        stopCountingForwardedPeer(of: connection)
        return unsafe writeAndGoOn(response, of: connection, wsi, withBody: !exchange.isHead)
    }

    /// Writes the response. The connection may then carry another request, unless this was its last.
    private func writeAndGoOn(
        _ response: HTTPResponse, of connection: Connection, _ wsi: OpaquePointer, withBody: Bool
    ) -> Int32 {
        let isLast = connection.isLastRequest
        guard unsafe write(response, to: wsi, withBody: withBody, andHangUp: isLast),
            unsafe !isLast || clws_ends_with_answer(wsi) == 0
        else { return -1 }
        return unsafe lws_http_transaction_completed(wsi) != 0 ? -1 : 0
    }

    /// Response that refuses the request whatever it asks for; nil if it is not refused.
    func refusal(of connection: Connection, _ reader: HeaderReader, _ listener: Listener) -> HTTPResponse? {
        if let reason = connection.refusal { return turnAwayResponse(reason, listener) }
        guard reader.bytes > configuration.headerBytesMax else { return nil }
        noteTurnedAway(from: listener, .headerKilobytes)
        return HTTPResponse(
            status: TurnAwayReason.headerKilobytes.status, headers: [("content-type", "text/plain; charset=utf-8")],
            body: .bytes(Array("the headers are longer than \(configuration.headerBytesMax) bytes\n".utf8)))
    }

    /// Determines the request's peer and applies the cap per address, before any handler sees the request. Returns the refusal, if any.
    func headReceived(_ request: inout HTTPRequest, on connection: Connection, _ listener: Listener) -> HTTPResponse? {
        request.isNamedByProxy = connection.isNamedByProxy
        if let refusal = listener.handler.headReceived(&request) { return refusal }
        // A connection that comes straight from a peer was counted when it was accepted.
        guard request.peer != connection.peer, let visitor = listener.handler.countedPeer(for: request.peer) else { return nil }
        stopCountingForwardedPeer(of: connection)
        guard listener.admission.asks(visitor, listener.configuration.limits) else {
            noteTurnedAway(from: listener, .address)
            return turnAwayResponse(.address, listener)
        }
        connection.forwardedPeer = visitor
        return nil
    }

    /// Answers a request that no handler sees, and closes the connection.
    func refuse(
        _ wsi: OpaquePointer, status: UInt16, headers: [(String, String)] = [], _ sentence: String
    ) -> Int32 {
        let response = HTTPResponse(
            status: status, headers: headers + [("content-type", "text/plain; charset=utf-8")],
            body: .bytes(Array((sentence + "\n").utf8)))
        return unsafe refuse(wsi, with: response)
    }

    func refuse(_ wsi: OpaquePointer, with response: HTTPResponse) -> Int32 {
        _ = unsafe write(response, to: wsi, withBody: true, andHangUp: true)
        return -1
    }

    /// Refuses a body. If it is not much too large it is discarded, because a peer whose connection is closed while it sends may
    /// never read the response.
    private func refuseBody(_ connection: Connection, _ wsi: OpaquePointer, count: Int) -> Int32 {
        let discardable = 16 * connection.limits.httpBodyBytesMax
        let sentence = "the body is larger than \(connection.bodyBytesMax ?? connection.limits.httpBodyBytesMax) bytes"
        guard count <= discardable else { return unsafe refuse(wsi, status: 413, sentence) }
        setDeadline(of: connection, after: connection.limits.bodyDeadline)
        let response = HTTPResponse(
            status: 413, headers: [("content-type", "text/plain; charset=utf-8")], body: .bytes(Array((sentence + "\n").utf8)))
        return unsafe writeAndGoOn(response, of: connection, wsi, withBody: true)
    }

    func write(_ response: HTTPResponse, to wsi: OpaquePointer, withBody: Bool, andHangUp: Bool) -> Bool {
        var head = "HTTP/1.1 \(response.status) \(Self.phrase(response.status))\r\n"
        for (name, value) in response.headers {
            head += Self.line(name) + ": " + Self.line(value) + "\r\n"
        }
        let mayHaveBody = response.status >= 200 && response.status != 204 && response.status != 304
        if mayHaveBody || response.status == 304 { head += "content-length: \(response.body.count)\r\n" }
        if andHangUp { head += "connection: close\r\n" }
        head += "\r\n"
        let headroom = Int(CLWS_PRE)
        let bodyCount = withBody && mayHaveBody ? response.body.count : 0
        let count = head.utf8.count + bodyCount
        let capacity = headroom + count
        return unsafe withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 16) { buffer in
            let payload = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[headroom...])
            unsafe payload.copyBytes(from: head.utf8)
            if bodyCount > 0 {
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: payload[head.utf8.count...])
                switch response.body {
                case .bytes(let bytes):
                    unsafe rest.copyBytes(from: bytes)
                case .staticBytes(let text):
                    unsafe rest.copyMemory(from: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
                }
            }
            let start = unsafe payload.baseAddress!.assumingMemoryBound(to: UInt8.self)
            return unsafe Int(lws_write(wsi, start, count, LWS_WRITE_HTTP)) >= count
        }
    }

    /// Removes control characters: a line break in a value would let it add headers of its own.
    private static func line(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }

    static func phrase(_ status: UInt16) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}

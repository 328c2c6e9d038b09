import Testing

@testable import HeliographHTTP2

@Suite("An answer of HTTP/1.1")
struct HTTP1ResponseTests {
    private typealias Whole = (message: HTTP2Message, isLast: Bool)

    private static var limits: HTTP2Limits {
        var limits = HTTP2Limits()
        (limits.bodyBytesMax, limits.headerBytesMax) = (64, 512)
        return limits
    }

    private func read(_ text: String) throws -> Whole? {
        var response = HTTP1Response()
        return try response.append(Array(text.utf8), Self.limits)
    }

    @Test(arguments: [
        ("HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n", 201, "", false),
        ("HTTP/1.1 201\u{20}\r\ncontent-length:2\r\n\r\nok", 201, "ok", false),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, "", false), ("HTTP/1.0 201 x\r\ncontent-length: 0\r\n\r\n", 201, "", true),
        ("HTTP/1.1 429 -\r\nConnection: keep-alive, Close\r\nContent-Length: 2\r\n\r\nno", 429, "no", true),
        (
            "HTTP/1.1 400 -\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\nx: y\r\n\r\n", 400,
            "abc0123456789", false
        ),
        (
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: x\r\n\r\nHTTP/1.1 201 -\r\ncontent-length: 0\r\n\r\n",
            201, "", false
        ),
        // An answer without a request is not read, and the connection not used again.
        ("HTTP/1.1 201 -\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 -\r\n", 201, "", true),
    ])
    func `it is the same however it is cut`(text: String, status: Int, body: String, isLast: Bool) throws {
        let whole = try #require(try read(text))
        #expect(whole.message.status == status && whole.message.body == Array(body.utf8) && whole.isLast == isLast)
        var pieces = HTTP1Response()
        var found: Whole?
        for byte in text.utf8 where found == nil { found = try pieces.append([byte], Self.limits) }
        #expect(found?.message == whole.message)
        #expect(pieces.end() == nil)
    }

    @Test func `without a length it lasts until the connection ends`() throws {
        var response = HTTP1Response()
        #expect(try response.append(Array("HTTP/1.1 400 -\r\nX-Reason:  bad \t\r\n\r\nhal".utf8), Self.limits) == nil)
        #expect(try response.append(Array("f".utf8), Self.limits) == nil)
        let whole = try #require(response.end())
        #expect(whole.message.body == Array("half".utf8) && whole.isLast && whole.message["x-reason"] == "bad")
        var half = HTTP1Response()
        _ = try half.append(Array("HTTP/1.1 201 -\r\ncontent-length: 5\r\n\r\nhalf".utf8), Self.limits)
        #expect(half.end() == nil)
    }

    @Test(arguments: [
        "HTTP/2 201\r\n\r\n", "HTTP/1.1 20 x\r\n\r\n", "HTTP/1.1 999 x\r\n\r\n", "HTTP/1.1  201 x\r\n\r\n", "nonsense\r\n\r\n",
        "\r\n\r\n",
        "HTTP/1.1 201 -\r\nno colon\r\n\r\n", "HTTP/1.1 201 -\r\n folded: x\r\n\r\n", "HTTP/1.1 201 -\r\nspace : x\r\n\r\n",
        "HTTP/1.1 201 -\r\nx: \u{0}\r\n\r\n", "HTTP/1.1 201 -\r\nx: a\nb: c\r\n\r\n", "HTTP/1.1 201 -\r\n: x\r\n\r\n",
        "HTTP/1.1 201 -\r\ncontent-length: 1\r\ncontent-length: 1\r\n\r\n", "HTTP/1.1 201 -\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 201 -\r\ncontent-length: 0x1\r\n\r\n", "HTTP/1.1 201 -\r\ncontent-length: 9999999999\r\n\r\n",
        "HTTP/1.1 201 -\r\ncontent-length: 0\r\ntransfer-encoding: chunked\r\n\r\n",
        "HTTP/1.1 201 -\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
        "HTTP/1.1 201 -\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
        "HTTP/1.1 201 -\r\ntransfer-encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 201 -\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n",
        "HTTP/1.1 201 -\r\ntransfer-encoding: chunked\r\n\r\n1\rX",
        "HTTP/1.1 101 Switching\r\n\r\n",
    ])
    func `where readers could disagree it is none`(text: String) {
        let error = #expect(throws: HTTP1Response.ParseError.self) { try read(text) }
        #expect(error != .tooLarge)
    }

    @Test(arguments: [
        "HTTP/1.1 201 -\r\nx: " + String(repeating: "y", count: 600), "HTTP/1.1 201 -\r\ncontent-length: 65\r\n\r\n",
        "HTTP/1.1 201 -\r\n\r\n" + String(repeating: "y", count: 65),
        "HTTP/1.1 201 -\r\ntransfer-encoding: chunked\r\n\r\n41\r\n",
        "HTTP/1.1 201 -\r\ntransfer-encoding: chunked\r\n\r\n7FFFFFFF\r\n",
        "HTTP/1.1 201 -\r\ntransfer-encoding: chunked\r\n\r\n20\r\n" + String(repeating: "y", count: 32) + "\r\n21\r\n",
    ])
    func `what is too long is not read to its end`(text: String) {
        #expect(throws: HTTP1Response.ParseError.tooLarge) { try read(text) }
    }

    @Test func `spoilt in any way it is the same in pieces and as a whole, and within its bounds`() {
        let seed = Array(
            "HTTP/1.1 103 -\r\n\r\nHTTP/1.1 429 -\r\nTransfer-Encoding: chunked\r\nx: y\r\n\r\n2;x=y\r\nok\r\n0\r\nx: y\r\n\r\n"
                .utf8)
        var state: UInt64 = 7
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        for _ in 0..<3_000 {
            var text = seed
            for _ in 0...random(3) {
                switch random(3) {
                case 0: text[random(text.count)] = UInt8(random(256))
                case 1: text.remove(at: random(text.count))
                default: text.insert(Array("\r\n:;0f ".utf8)[random(7)], at: random(text.count))
                }
            }
            var (whole, pieces) = (HTTP1Response(), HTTP1Response())
            let known = Result { try whole.append(text, Self.limits) }
            let found = Result { () throws -> Whole? in
                for byte in text { if let found = try pieces.append([byte], Self.limits) { return found } }
                return nil
            }
            #expect((try? known.get())?.message == (try? found.get())?.message)
            #expect((try? known.get())?.message.body.count ?? 0 <= 64)
        }
    }

    @Test func `an endless row of preliminary answers ends`() {
        #expect(throws: HTTP1Response.ParseError.self) { try read(String(repeating: "HTTP/1.1 100 -\r\n\r\n", count: 9)) }
    }
}

@Suite("A connection of HTTP/1.1")
struct HTTP1SessionTests {
    private func session() -> HTTP1Session {
        let session = HTTP1Session(limits: HTTP2Limits())
        session.events = []
        return session
    }

    private let request = HTTP2Message(
        headers: [
            HTTP2Header(":method", "POST"), HTTP2Header(":authority", "push.example:8443"), HTTP2Header(":path", "/x?y"),
            HTTP2Header("ttl", "60"), HTTP2Header("content-length", "2"),
        ], body: Array("hi".utf8))

    private func output(_ session: HTTP1Session) -> String {
        var bytes: [UInt8] = []
        session.produce(into: &bytes, upTo: .max)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `requests go one after the other`() throws {
        let session = session()
        #expect(session.sendRequest(request) == 1)
        #expect(session.sendRequest(request) == nil, "one at a time")
        #expect(output(session) == "POST /x?y HTTP/1.1\r\nhost: push.example:8443\r\nttl: 60\r\ncontent-length: 2\r\n\r\nhi")
        #expect(session.streams[1]?.isSent == true)
        try session.receive(Array("HTTP/1.1 201 -\r\ncontent-length: 0\r\n\r\n".utf8))
        #expect(session.events.count == 2 && session.streams.isEmpty && !session.isOver)
        #expect(session.sendRequest(request) == 3)
    }

    @Test func `after an answer that says so the connection is over`() throws {
        let session = session()
        _ = session.sendRequest(request)
        _ = output(session)
        try session.receive(Array("HTTP/1.1 201 -\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".utf8))
        #expect(session.isOver && session.sendRequest(request) == nil)
    }

    @Test func `a request that is given up takes the connection with it`() throws {
        let session = session()
        _ = session.sendRequest(request)
        session.reset(1, .cancel, .deadlinePassed)
        #expect(output(session).isEmpty && session.isOver)
        guard case .streamEnded(.deadlinePassed, stream: 1) = session.events.first else {
            Issue.record("\(session.events)")
            return
        }
    }

    @Test func `what flies lands before the connection is closed`() throws {
        let session = session()
        _ = session.sendRequest(request)
        _ = output(session)
        session.goAway(.noError)
        #expect(!session.isOver)
        try session.receive(Array("HTTP/1.1 201 -\r\ncontent-length: 0\r\n\r\n".utf8))
        #expect(session.isOver && session.events.count == 2)
    }

    @Test func `an answer that nobody asked for ends it`() {
        let session = session()
        #expect(throws: HTTP2Error.self) { try session.receive(Array("HTTP/1.1 408 -\r\n\r\n".utf8)) }
        #expect(session.isOver && session.complaint != nil)
    }
}

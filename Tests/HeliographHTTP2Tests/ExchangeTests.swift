import HeliographHTTP2
import Testing

@Suite("Requests and responses", .timeLimit(.minutes(2)))
struct ExchangeTests {
    @Test func `a request goes over whole and its answer comes back`() async throws {
        let pair = try await TestPair()
        #expect(try await pair.client.nextSettings() == 100)
        let stream = try await pair.request("/3/device/aa", body: Array("hello".utf8))
        #expect(stream.number == 1)
        let (message, answered) = try await pair.client.nextResponse()
        #expect(answered == stream)
        #expect(message.status == 200)
        #expect(message["echo"] == "/3/device/aa")
        #expect(message.body == Array("hello".utf8))
        #expect(try await pair.server.nextStreamEnd() == .answered)
    }

    @Test func `large bodies go both ways in many frames`() async throws {
        let body = (0..<60_000).map { UInt8(truncatingIfNeeded: $0 * 31) }
        let pair = try await TestPair()
        _ = try await pair.client.nextSettings()
        for _ in 1...20 { try await pair.request(body: body) }
        for _ in 1...20 { #expect(try await pair.client.nextResponse().message.body == body) }
    }

    @Test func `many requests are all answered, each with its own`() async throws {
        let pair = try await TestPair { $0.streamsMax = 1_000 }
        _ = try await pair.client.nextSettings()
        var paths: [HTTP2StreamID: String] = [:]
        for index in 0..<200 { paths[try await pair.request("/\(index)")] = "/\(index)" }
        for _ in 0..<200 {
            let (message, stream) = try await pair.client.nextResponse()
            #expect(message["echo"] == paths.removeValue(forKey: stream))
        }
        #expect(paths.isEmpty)
    }

    @Test func `the server sees headers as they were sent, twice where they came twice`() async throws {
        let pair = try await TestPair()
        _ = try await pair.client.nextSettings()
        let connection = pair.connection
        let headers = [
            HTTP2Header(":method", "POST"), HTTP2Header(":scheme", "https"), HTTP2Header(":authority", "localhost"),
            HTTP2Header(":path", "/"), HTTP2Header("apns-id", "a"), HTTP2Header("apns-id", "b"), HTTP2Header("empty", ""),
        ]
        _ = try await pair.engine.run { loop in
            try loop.request(HTTP2Message(headers: headers), on: connection, deadline: loop.now + .seconds(10))
        }
        #expect(try await pair.server.nextRequest().message.headers == headers)
    }
}

import HTTP2
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
}

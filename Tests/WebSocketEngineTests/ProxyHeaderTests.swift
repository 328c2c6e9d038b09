import Testing

@testable import WebSocketEngine

@Suite("PROXY headers")
struct ProxyHeaderTests {
    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    private func read(_ bytes: [UInt8]) -> String {
        do throws(ProxyHeader.ParseError) {
            let header = try ProxyHeader(bytes)
            return "\(header.source ?? "itself") \(header.count)"
        } catch {
            return if case .malformed = error { "malformed" } else { "incomplete" }
        }
    }

    private static func binary(_ command: UInt8, _ family: UInt8, _ body: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
    }

    @Test(
        "a line of version 1 names whom the connection is from",
        arguments: [
            ("PROXY TCP4 203.0.113.1 10.0.0.1 4711 443\r\nGET", "203.0.113.1 42"),
            ("PROXY TCP6 2001:DB8::1 ::1 4711 443\r\n", "2001:db8::1 37"),
            ("PROXY TCP6 ::ffff:203.0.113.1 ::1 4711 443\r\n", "203.0.113.1 44"),
            ("PROXY UNKNOWN\r\n", "itself 15"), ("PROXY UNKNOWN whatever it says\r\nx", "itself 32"),
            ("", "malformed"), ("GET / HTTP/1.1\r\n\r\n", "malformed"), ("PROXY TCP4 203.0.113.1", "incomplete"),
            ("PRO", "incomplete"),
            ("PROXY TCP4 203.0.113.1 10.0.0.1 4711 443\n", "malformed"), ("PROXY \n", "malformed"),
            ("PROXY TCP4 203.0.113.1\0x 10.0.0.1 4711 443\r\n", "malformed"), ("PROXY \r\n", "malformed"),
            ("PROXY TCP4 2001:db8::1 ::1 4711 443\r\n", "malformed"),
            ("PROXY TCP6 203.0.113.1 10.0.0.1 4711 443\r\n", "malformed"),
            ("PROXY TCP4 203.0.113.1 10.0.0.1 4711 99999\r\n", "malformed"),
            ("PROXY TCP4 203.0.113.1 10.0.0.1 4711\r\n", "malformed"),
            ("PROXY TCP4 203.0.113.1  10.0.0.1 4711 443\r\n", "malformed"),
            ("PROXY UDP4 203.0.113.1 10.0.0.1 1 2\r\n", "malformed"),
            ("PROXY TCP4 " + String(repeating: "1", count: 100) + "\r\n", "malformed"),
        ])
    func line(_ text: String, _ found: String) {
        #expect(read(Array(text.utf8)) == found)
    }

    @Test("a header of version 2 does, in bytes")
    func bytes() {
        let four: [UInt8] = [203, 0, 113, 1, 10, 0, 0, 1, 0x12, 0x67, 0x01, 0xBB]
        let six: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1] + Array(repeating: 0, count: 20)
        #expect(read(Self.binary(0x21, 0x11, four)) == "203.0.113.1 28")
        #expect(read(Self.binary(0x21, 0x11, four + [0x04, 0x00, 0x01, 0xFF]) + [0x16, 0x03]) == "203.0.113.1 32")
        #expect(read(Self.binary(0x21, 0x21, six)) == "2001:db8::1 52")
        #expect(read(Self.binary(0x20, 0x00, [])) == "itself 16" && read(Self.binary(0x20, 0x11, four)) == "itself 28")
        #expect(read(Self.binary(0x21, 0x00, [])) == "itself 16")
        #expect(read(Self.binary(0x21, 0x31, Array(repeating: 0, count: 216))) == "itself 232")
        for count in 1..<28 { #expect(read(Array(Self.binary(0x21, 0x11, four).prefix(count))) == "incomplete", "\(count)") }
        #expect(read(Self.binary(0x21, 0x11, Array(four.dropLast()))) == "malformed")
        #expect(read(Self.binary(0x21, 0x21, four)) == "malformed")
        #expect(read(Self.binary(0x11, 0x11, four)) == "malformed" && read(Self.binary(0x22, 0x11, four)) == "malformed")
        #expect(read(Self.binary(0x21, 0x12, four)) == "malformed")
        #expect(read(Self.binary(0x21, 0x11, Array(repeating: 0, count: 1_009))) == "malformed")
        var bent = Self.binary(0x21, 0x11, four)
        bent[7] = 0
        #expect(read(bent) == "malformed")
    }
}

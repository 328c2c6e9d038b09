import Testing

@testable import HeliographBench

@Suite struct PeerStreamTests {
    @Test func natsIsTakenApartWhereverItIsCut() throws {
        let said = "INFO {}\r\nPONG\r\nMSG bench 1 5\r\nhello\r\nPING\r\nMSG bench 1 2\r\nhi\r\n"
        #expect(try events(.nats, Array(said.utf8)) == ["greeting", "granted", "hello", "ping", "hi"])
    }

    @Test func mqttIsTakenApartWhereverItIsCut() throws {
        let text = String(repeating: "x", count: 200)
        let packets: [UInt8] =
            [0x20, 2, 0, 0, 0x90, 3, 0, 1, 0, 0x30, 9, 0, 5] + Array("benchhi".utf8) + [0x30, 0xCF, 1, 0, 5]
            + Array(("bench" + text).utf8)
        #expect(try events(.mqtt, packets) == ["greeting", "granted", "hi", text])
    }

    @Test func whatNATSRefusesIsTold() {
        var stream = PeerStream(.nats)
        unsafe Array("-ERR 'Authorization Violation'\r\n".utf8).withUnsafeBytes { unsafe stream.feed($0) }
        #expect(throws: BenchError.self) { try stream.next() }
    }

    private func events(_ dialect: Dialect, _ bytes: [UInt8]) throws -> [String] {
        var whole: [String]?
        for cut in 0...bytes.count {
            var stream = PeerStream(dialect)
            var found: [String] = []
            for part in [bytes[..<cut], bytes[cut...]] {
                unsafe Array(part).withUnsafeBytes { unsafe stream.feed($0) }
                while let item = try stream.next() {
                    if case .event(let range) = item {
                        found.append(String(decoding: stream.bytes[range], as: UTF8.self))
                    } else {
                        found.append("\(item)")
                    }
                }
            }
            if let whole { #expect(found == whole, "cut at \(cut)") }
            whole = whole ?? found
        }
        return whole ?? []
    }
}

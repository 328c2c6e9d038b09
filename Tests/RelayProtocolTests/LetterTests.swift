import RelayProtocol
import Testing

@Suite("Letters and the names of keys")
struct LetterTests {
    private static let key = "c2l4dGVlbi1rZXktYnl0ZQ"

    private func read(_ text: String) throws -> Letter? {
        let message = try MessageToClient(parsing: Array(#"{"type":"letter","from":"\#(Self.key)","bytes":"\#(text)"}"#.utf8))
        guard case .letter(let letter, _) = message else { return nil }
        return letter
    }

    @Test("a letter of any length up to the limit comes out as it went in")
    func roundTrips() throws {
        let key = try #require(HostKeyID(Self.key))
        for count in Array(1...65) + [WireLimits.letterBytesMax - 1, WireLimits.letterBytesMax] {
            let letter = try #require(Letter((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 250) }))
            guard
                case .letter(let read, let from) = try MessageToClient(
                    parsing: MessageToClient.letter(letter, from: .host(key)).bytes)
            else {
                Issue.record("a letter is read as one")
                continue
            }
            #expect(read == letter && from == .host(key))
        }
    }

    @Test("a letter names a host's key or a client, and one that names both is the client's")
    func peers() throws {
        let phone = try #require(ClientID("phone"))
        let written = MessageToClient.letter(try #require(Letter([1])), from: .client(phone)).bytes
        #expect(String(decoding: written, as: UTF8.self) == #"{"type":"letter","client":"phone","bytes":"AQ"}"#)
        for text in [
            #"{"type":"letter","client":"phone","bytes":"AQ"}"#,
            #"{"type":"letter","client":"phone","from":"\#(Self.key)","bytes":"AQ"}"#,
        ] {
            guard case .letter(_, let from) = try MessageToClient(parsing: Array(text.utf8)) else {
                Issue.record("a letter is read as one")
                continue
            }
            #expect(from == .client(phone))
        }
        let error = #expect(throws: WireError.self) {
            try MessageToClient(parsing: Array(#"{"type":"letter","bytes":"AQ"}"#.utf8))
        }
        #expect(error?.path == "$.from")
    }

    @Test("an empty letter, and one byte more than the limit, are none")
    func limits() {
        #expect(Letter([]) == nil)
        #expect(Letter([UInt8](repeating: 0, count: WireLimits.letterBytesMax + 1)) == nil)
    }

    @Test(
        "a second spelling of the same bytes is refused by its place",
        arguments: ["", "A", "AB", "AAB", "AAAAA", "AA==", "AA\\n", " AAA", "AA+A", "AA/A", "ÄAAA"])
    func spellings(text: String) throws {
        let error = #expect(throws: WireError.self) { try read(text) }
        #expect(error?.code == .badValue && error?.path == "$.bytes")
    }

    @Test("a text longer than any letter is refused before it is decoded")
    func tooLong() throws {
        let error = #expect(throws: WireError.self) { try read(String(repeating: "A", count: 5_463)) }
        #expect(error?.code == .outOfRange && error?.path == "$.bytes")
    }

    @Test("a key has one spelling of 16 bytes")
    func keys() {
        #expect(HostKeyID(Self.key)?.bytes == Array("sixteen-key-byte".utf8.prefix(16)))
        for wrong in [
            "", "c2l4dGVlbi1rZXktYnl0Z", "c2l4dGVlbi1rZXktYnl0ZR", "c2l4dGVlbi1rZXktYnl0ZQ==", "c2l4dGVlbi1rZXktYnl0ZQAA",
        ] {
            #expect(HostKeyID(wrong) == nil, "\(wrong)")
        }
    }

    @Test("who has no keys says none, and a key that is not spelled as one is refused by its place")
    func hello() throws {
        #expect(!String(decoding: HostMessage.hello(Hello(software: "s")).bytes, as: UTF8.self).contains("key"))
        for place in [#""key":"short""#, #""key":7"#] {
            let error = #expect(throws: WireError.self) {
                try HostMessage(parsing: Array(#"{"type":"hello","version":1,"software":"s",\#(place)}"#.utf8))
            }
            #expect(error?.path == "$.key")
        }
    }
}

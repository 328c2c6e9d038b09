import HeliographTestSupport
import Testing

@testable import RelayProtocol

@Suite("The tape of a JSON text")
struct JSONTapeTests {
    /// The result of reading a text: its values, or why it is refused.
    private func reading(of bytes: [UInt8], isUTF8: Bool = false) -> Result<[PlainJSON.Node], PlainJSON.Refusal> {
        do throws(WireError) {
            let document = try JSONDocument(parsing: bytes, isUTF8: isUTF8)
            return .success((0..<document.nodes.count).map { plain(document.nodes[$0]) })
        } catch { return .failure(PlainJSON.Refusal(code: error.code)) }
    }

    private func plain(_ node: JSONNode) -> PlainJSON.Node {
        let kind: PlainJSON.Node.Kind =
            switch node.kind {
            case .object: .object
            case .array: .array
            case .string: .string
            case .number: .number
            case .true: .true
            case .false: .false
            case .null: .null
            }
        return PlainJSON.Node(
            kind: kind, isEscaped: node.isEscaped, start: node.start, end: node.end, next: node.next, count: node.count)
    }

    private func compare(_ bytes: [UInt8]) {
        let expected = Result { () throws(PlainJSON.Refusal) in try PlainJSON.nodes(of: bytes) }
        #expect(reading(of: bytes) == expected, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
        // A WebSocket has looked at the bytes by then.
        if String(validating: bytes, as: UTF8.self) != nil { #expect(reading(of: bytes, isUTF8: true) == expected) }
    }

    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", ",", ":", "\"", "\\", " ", "\n", "\"a\"", "\"\\u0061\"", "\"b\":", "\"\\ud83d\\ude00\"",
            "\"\\ud800\"", "\"\\udc00x\"",
            "\\u00", "\"é\":[]", "0", "-", "1", "01", "-0.5e+3", "1e400", "9223372036854775808", "true", "false", "null", "nul",
            "{}", "[[", "]]",
            "\"key\":{", "\u{FEFF}", "\u{0}", "1.", "+1",
        ].map { Array($0.utf8) } + [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF], [0x80]]

    private static let texts: [[UInt8]] = [
        #"{"type":"events","session":"sess_7f3a","first":17,"events":[{"at":1795178096000,"kind":"message","head":{"text":"é\n"},"body":{"a":[1,-2.5e3]}}]}"#,
        #"[{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"k":11,"l":12,"m":13,"n":14},{"\u0061":1,"a\u0000":2}]"#,
        "[[{\"x\":" + String(repeating: "[", count: 33) + String(repeating: "]", count: 33) + "}]]",
        #" "\ud83d\ude00 \"quoted\" \\ \u007f" "#, "[]", "-0",
    ].map { Array($0.utf8) }

    @Test("says what a plain reader says, of texts that are cut, changed and mixed", arguments: 0..<UInt64(8))
    func differences(_ seed: UInt64) {
        var dice = SeededDice(seed: seed)
        for text in Self.texts { compare(text) }
        for _ in 0..<400 {
            var text = Self.texts.randomElement(using: &dice)!
            for _ in 0..<Int.random(in: 1...4, using: &dice) {
                let place = Int.random(in: 0...text.count, using: &dice)
                let end = min(text.count, place + Int.random(in: 0...8, using: &dice))
                switch Int.random(in: 0..<4, using: &dice) {
                case 0: text.removeSubrange(place..<end)
                case 1: text.insert(contentsOf: text[place..<end], at: place)
                case 2: text.replaceSubrange(place..<end, with: Self.pieces.randomElement(using: &dice)!)
                default: text.insert(contentsOf: Self.pieces.randomElement(using: &dice)!, at: place)
                }
            }
            compare(text)
            compare((0..<Int.random(in: 1...12, using: &dice)).flatMap { _ in Self.pieces.randomElement(using: &dice)! })
        }
    }

    @Test("keys are compared alike in objects of any width, in any spelling", arguments: 1...16)
    func keys(_ width: Int) {
        for twin in 0..<width {
            for spelling in ["k\(twin)", "\\u006b\(twin)", "k\(twin)x", "K\(twin)"] {
                let members = (0..<width).map { "\"k\($0)\":[\($0),{}]" } + ["\"\(spelling)\":0"]
                compare(Array("{\(members.joined(separator: ","))}".utf8))
            }
        }
    }

    @Test("has no more room than any text of its length needs, whatever the text is")
    func room() throws {
        let most = JSONDocument.depthMax
        let (open, close) = (String(repeating: "[", count: most), String(repeating: "]", count: most))
        let numbers = [String](repeating: "1", count: 5_000).joined(separator: ",")
        for text in [
            "1", "[]", open + close, "[\(numbers)]", open + numbers + close,
            "[" + [String](repeating: "{\"\":1}", count: 3_000).joined(separator: ",") + "]",
            "\"\(String(repeating: "x", count: 100_000))\"",
        ] {
            let document = try JSONDocument(parsing: text)
            #expect(document.nodes.count <= document.nodes.room)
            #expect(document.nodes.room <= text.utf8.count / 2 + most + 1)
        }
        // A text that ends with most of its arrays open fails, and does not overrun the room.
        for text in [open, open + numbers, open + "1"] { #expect(throws: WireError.self) { try JSONDocument(parsing: text) } }
    }

    @Test(
        "whole numbers at the ends of 64 bits are written as they are",
        arguments: [.min, .min + 1, -10, -1, 0, 9, 10, .max] as [Int64])
    func numbers(_ number: Int64) {
        var room = ByteRoom(room: 0)
        room.append(number)
        #expect(String(decoding: room.finish(), as: UTF8.self) == String(number))
    }

    @Test("every kind of event is spelled as kinds are")
    func kinds() {
        for kind in EventKind.allCases { #expect(EventKind.isSpelled(kind.rawValue)) }
    }
}

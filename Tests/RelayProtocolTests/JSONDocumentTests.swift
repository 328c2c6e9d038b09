import RelayProtocol
import Testing

@Suite("Strict JSON")
struct JSONDocumentTests {
    private func code(_ text: String) -> WireError.Code? { code(Array(text.utf8)) }

    private func code(_ bytes: [UInt8]) -> WireError.Code? {
        do throws(WireError) {
            _ = try JSONDocument(parsing: bytes)
            return nil
        } catch { return error.code }
    }

    @Test(
        "accepts what RFC 8259 allows",
        arguments: [
            "{}", "[]", " [1, -0.5e+3, \"\\u00e9\\ud83d\\ude00\", true, false, null] ", "\"x\"", "0", "{\"a\":{\"a\":1}}",
            "{\"a\":1,\"A\":2}",
        ])
    func accepts(_ text: String) { #expect(code(text) == nil) }

    @Test(
        "refuses what only some parsers accept",
        arguments: [
            "", " ", "{", "[1,]", "{\"a\":1,}", "{a:1}", "'a'", "01", "1.", ".5", "+1", "1e", "NaN", "Infinity", "tru", "nulll",
            "[1 2]",
            "{\"a\" 1}", "\"\u{0}\"", "\"\\x41\"", "\"\\u12\"", "// x\n1", "1 2", "\"a\nb\"", "{\"a\":}", "[,1]", "\"",
        ])
    func refuses(_ text: String) { #expect(code(text) == .badJSON) }

    @Test("refuses a byte-order mark and UTF-16")
    func otherEncodings() {
        #expect(code([0xEF, 0xBB, 0xBF, 0x31]) == .badJSON)
        #expect(code([0xFF, 0xFE, 0x31, 0x00]) == .badUTF8)
    }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [
            [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80], [0xF0, 0x9F, 0x98], [0xFF],
        ] as [[UInt8]])
    func badUTF8(_ bytes: [UInt8]) { #expect(code([0x22] + bytes + [0x22]) == .badUTF8) }

    // Both sides process eight bytes at a time.
    @Test("every byte is judged alike wherever in a string it stands, by the parser and by the writer", arguments: 0...18)
    func everyPlace(_ before: Int) throws {
        for byte in UInt8.min...UInt8.max {
            for after in [0, 1, 7, 8, 9] {
                let text = [UInt8](repeating: 0x61, count: before) + [byte] + [UInt8](repeating: 0x7E, count: after)
                let expected: WireError.Code? =
                    switch byte {
                    case 0x80...: .badUTF8
                    // A quote ends the string with more behind it, and after a backslash stands no escape.
                    case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"): .badJSON
                    default: nil
                    }
                #expect(code([0x22] + text + [0x22]) == expected, "\(byte) after \(before), before \(after)")
                guard byte < 0x80 else { continue }
                let written = JSONWriter.string(String(decoding: text, as: UTF8.self))
                #expect(written.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
                #expect(try JSONDocument(parsing: written).root.string().utf8.elementsEqual(text))
            }
        }
    }

    @Test("refuses a key that stands twice, in any spelling, in narrow and wide objects")
    func duplicates() {
        #expect(code(#"{"decision":"deny","decision":"allow"}"#) == .duplicateKey)
        #expect(code(#"{"decision":"deny","d\u0065cision":"allow"}"#) == .duplicateKey)
        let wide = (0..<100).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        #expect(code("{\(wide)}") == nil)
        #expect(code("{\(wide),\"k\\u0035\":0}") == .duplicateKey)
        #expect(code("{\(wide),\"x\":{\"k1\":1,\"k1\":2}}") == .duplicateKey)
    }

    @Test(
        "refuses a surrogate without its other half",
        arguments: [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#])
    func surrogates(_ text: String) { #expect(code(text) == .loneSurrogate) }

    @Test("takes 36 levels and refuses 37, and 200 without overflowing")
    func depth() {
        func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(code(nested(36)) == nil)
        #expect(code(nested(37)) == .tooDeep)
        #expect(code(nested(200)) == .tooDeep)
    }

    @Test("names the place of a refusal")
    func places() throws {
        let value = try JSONDocument(parsing: #"{"a":[1,{"b":"x"},{"c":null}],"d":true}"#).root
        #expect(throws: WireError(.wrongType, at: "$.a[1].b", "this must be a number")) {
            try value.array("a")[1].integer("b")
        }
        #expect(throws: WireError(.missingField, at: "$.a[2].c", "the field is missing")) {
            try value.array("a")[2].string("c")
        }
        #expect(try value.required("d").path == "$.d")
    }

    @Test("whole numbers are digits within the range, and nothing else")
    func integers() throws {
        func integer(_ text: String) throws -> Int64 { try JSONDocument(parsing: text).root.integer() }
        #expect(try integer("9007199254740991") == 9_007_199_254_740_991)
        #expect(try integer("-0") == 0)
        for text in ["9007199254740992", "1e2", "1.0", "99999999999999999999", "-9007199254740992"] {
            #expect(throws: WireError.self) { try integer(text) }
        }
    }

    @Test("what is carried keeps its bytes")
    func rawBytes() throws {
        let body = #"{ "command" : "printf \u0027\\n\u0027" , "n":1.50 }"#
        let value = try JSONDocument(parsing: "{\"body\":\(body)}").root
        #expect(String(decoding: try value.required("body").bytes, as: UTF8.self) == body)
    }

    @Test("what is written is read back", arguments: ["", "é\u{202E}\u{0}\u{1B}[31m\"\\/\n\r\t\u{7F}", "😀", "</script>"])
    func roundTrip(_ text: String) throws {
        let bytes = JSONWriter.object { $0.field("text", text) }
        #expect(try JSONDocument(parsing: bytes).root.string("text") == text)
    }

    @Test("hostile bytes never trap: every truncation and every flipped byte is parsed or refused")
    func mutations() {
        let text = Array(#"{"type":"events","n":[-1.5e3,"\ud83d\ude00é",{"a":null}],"b":{"x":{},"y":[]}}"#.utf8)
        for end in 0..<text.count { #expect(code(Array(text[..<end])) != nil) }
        for place in text.indices {
            for byte in [0x00, 0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x80, 0xFF] as [UInt8] {
                var mutated = text
                mutated[place] = byte
                if let document = try? JSONDocument(parsing: mutated) { _ = try? document.root.members().map(\.value.path) }
            }
        }
    }
}

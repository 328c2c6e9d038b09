import Testing

@testable import RelayProtocol

struct JSONLineTests {
    @Test func jsonLinesAreOneLineOfTheSameJSON() throws {
        let text = JSONLine.text(Array("{ \"a\" :\n\t[1, 2],\r\n\"b\": \"x y\\\"\\n\u{202E}\u{9B}\u{E0041}é\u{7F}\" }".utf8))
        #expect(text == #"{"a":[1,2],"b":"x y\"\n\u202e\u009b\udb40\udc41é\u007f"}"#)
        let value = try JSONDocument(parsing: text).root
        #expect(try value.string("b") == "x y\"\n\u{202E}\u{9B}\u{E0041}é\u{7F}")
    }

    /// The limit is far above the time needed, but below that of copying the text for each character.
    @Test(.timeLimit(.minutes(1))) func aLongHostileTextIsSoonSpelledOut() {
        let text = String(repeating: "\u{1B}\u{202E}", count: WireLimits.eventBytesMax / 4)
        #expect(JSONLine.text(JSONWriter.string(text)).utf8.count == 2 + WireLimits.eventBytesMax / 4 * 12)
    }
}

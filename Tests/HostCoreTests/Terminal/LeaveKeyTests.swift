import Testing

@testable import HostCore

@Suite("The key that leaves the window") struct LeaveKeyTests {
    /// The text that is passed on; nil if the person leaves.
    private func typed(_ key: inout LeaveKey, _ text: String) -> String? {
        let (passed, leaves) = key.take(Array(text.utf8))
        return leaves ? nil : String(decoding: passed, as: UTF8.self)
    }

    @Test(
        "Ctrl-\\ and Ctrl-4, however a terminal sends them, with any lock on",
        arguments: [
            "\u{1C}", "\u{1B}[92;5u", "\u{1B}[92;69u", "\u{1B}[92;133u", "\u{1B}[92;197u", "\u{1B}[52;5u", "\u{1B}[27;5;92~",
            "\u{1B}[27;133;92~", "\u{1B}[92::92;5:1u", "\u{1B}[35::92;5u", "\u{1B}[39:52;6u", "\u{1B}[92;5:2u",
            "\u{1B}[92;5;28u",
        ])
    func leaves(_ keys: String) {
        var whole = LeaveKey()
        #expect(typed(&whole, "ab" + keys) == nil)
        // Wherever it is cut.
        for cut in 1..<keys.utf8.count {
            var key = LeaveKey()
            #expect(typed(&key, String(decoding: keys.utf8.prefix(cut), as: UTF8.self)) == "" && key.isHolding)
            #expect(typed(&key, String(decoding: keys.utf8.dropFirst(cut), as: UTF8.self)) == nil)
        }
    }

    @Test("what was typed before it is passed on, and nothing behind it")
    func before() {
        var key = LeaveKey()
        let (passed, leaves) = key.take(Array("x\u{1B}[A\u{1B}[92;5uy".utf8))
        #expect(leaves && passed == Array("x\u{1B}[A".utf8))
    }

    @Test(
        "every other key is passed on as it came",
        arguments: [
            "a\u{1B}b", "\u{1B}\u{1B}[A", "\u{1B}[92u", "\u{1B}[92;1u", "\u{1B}[92;7u", "\u{1B}[92;13u", "\u{1B}[92;5:3u",
            "\u{1B}[93;5u", "\u{1B}[;5u", "\u{1B}[92;u", "\u{1B}[27;5;93~", "\u{1B}[26;5;92~", "\u{1B}[3~", "\u{1B}[<35;92;5M",
            "\u{1B}[99999999999;5u", "\u{1B}[" + String(repeating: "9", count: 200) + ";5u", "\u{1B}OP",
            "\u{1B}]11;rgb:0/0/0\u{1B}\\",
            "\u{1B}[9\u{8}2;5u",
        ])
    func others(_ keys: String) {
        var key = LeaveKey()
        #expect(typed(&key, keys + ".") == keys + ".")
        #expect(!key.isHolding)
        // Wherever it is cut.
        var slow = LeaveKey()
        let pieces = keys.utf8.map { typed(&slow, String(decoding: [$0], as: UTF8.self)) ?? "left" }
        #expect(pieces.joined() + String(decoding: slow.flush(), as: UTF8.self) == keys)
    }

    @Test("a paste is text, whatever it has, also if its marks are cut", arguments: [false, true])
    func paste(isSlow: Bool) {
        let text = "\u{1B}[200~a\u{1C}b\u{1B}[92;5u\u{1B}[20\u{1B}\u{1B}[201~"
        for cut in 1..<text.utf8.count {
            var key = LeaveKey()
            var first = typed(&key, String(decoding: text.utf8.prefix(cut), as: UTF8.self))
            if isSlow { first? += String(decoding: key.flush(), as: UTF8.self) }
            let second = typed(&key, String(decoding: text.utf8.dropFirst(cut), as: UTF8.self))
            #expect((first ?? "left") + (second ?? "left") == text)
            #expect(typed(&key, "\u{1C}") == nil)
        }
    }

    @Test("Escape alone is passed on when nothing follows, and the key after it still leaves")
    func escape() {
        var key = LeaveKey()
        #expect(typed(&key, "\u{1B}") == "" && key.isHolding)
        #expect(key.flush() == [0x1B] && !key.isHolding)
        #expect(typed(&key, "[92;5u") == "[92;5u")
        #expect(typed(&key, "\u{1B}[2") == "" && key.flush() == Array("\u{1B}[2".utf8))
        #expect(typed(&key, "x00~") == "x00~", "no paste")
        #expect(typed(&key, "\u{1B}\u{1C}") == nil)
    }
}

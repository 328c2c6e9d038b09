import Testing

@testable import RelayProtocol

struct VisibleTextTests {
    @Test(arguments: [
        ("\u{1B}[31mred", "⟨U+001B⟩[31mred"), ("\u{1B}]52;c;aGk=\u{7}", "⟨U+001B⟩]52;c;aGk=⟨U+0007⟩"),
        ("\u{1B}]8;;http://x\u{1B}\\y", "⟨U+001B⟩]8;;http://x⟨U+001B⟩\\y"), ("a\u{9B}2Jb", "a⟨U+009B⟩2Jb"),
        ("a\u{7F}\u{8}b", "a⟨U+007F⟩⟨U+0008⟩b"), ("rm \u{202E}fr-", "rm ⟨U+202E⟩fr-"),
        ("a\u{2066}b\u{2069}\u{200F}\u{61C}", "a⟨U+2066⟩b⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩"),
        ("a\u{200B}b\u{200D}c\u{FEFF}d\u{2060}\u{AD}", "a⟨U+200B⟩b⟨U+200D⟩c⟨U+FEFF⟩d⟨U+2060⟩⟨U+00AD⟩"),
        ("ok\u{E0041}\u{E007F}", "ok⟨U+E0041⟩⟨U+E007F⟩"), ("a\u{3164}b\u{115F}\u{2800}", "a⟨U+3164⟩b⟨U+115F⟩⟨U+2800⟩"),
        ("a\u{FE0F}\u{E0101}", "a⟨U+FE0F⟩⟨U+E0101⟩"), ("a\u{2028}b\u{2029}", "a⟨U+2028⟩b⟨U+2029⟩"),
        ("a\rb\r\nc", "a⟨U+000D⟩b⟨U+000D⟩\nc"), ("a\u{E000}\u{FFFE}", "a⟨U+E000⟩⟨U+FFFE⟩"),
        ("rm\u{A0}-rf\u{3000}x", "rm⟨U+00A0⟩-rf⟨U+3000⟩x"), ("tab\tand\nline", "tab\tand\nline"),
        ("❤\u{FE0F} 👨\u{200D}👩", "❤⟨U+FE0F⟩ 👨⟨U+200D⟩👩"), ("plain äöü 漢字 😀", "plain äöü 漢字 😀"), ("", ""),
    ])
    func whatIsDecidedOnHidesNothing(_ text: String, _ shown: String) {
        #expect(Array(VisibleText.exact(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test func noOutputHasAControlCharacterWhateverComesIn() {
        // All planes with characters, and a sample of the private ones.
        var everything = ""
        for value in Array(UInt32(0)...0x3FFFF) + Array(0xE0000...0xE0FFF) + [0xF0000, 0x10FFFD, 0x10FFFF] {
            if let scalar = Unicode.Scalar(value) { everything.unicodeScalars.append(scalar) }
        }
        for scalar in VisibleText.exactLine(everything).unicodeScalars {
            if VisibleText.isHidden(scalar) { Issue.record("\(VisibleText.spelling(scalar)) came through") }
        }
        for scalar in VisibleText.line(everything).unicodeScalars
        where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) {
            Issue.record("\(VisibleText.spelling(scalar)) came through")
        }
    }

    /// The limit is far above the time needed, but below that of copying the text for each character.
    @Test(.timeLimit(.minutes(1))) func aLongHostileTextIsSoonSpelledOut() {
        let text = String(repeating: "\u{1B}\u{202E}", count: WireLimits.eventBytesMax / 4)
        #expect(VisibleText.exact(text).utf8.count == WireLimits.eventBytesMax / 4 * 24)
    }

    @Test func emojiStayWholeInProse() {
        #expect(VisibleText.prose("❤\u{FE0F} 👨\u{200D}👩") == "❤\u{FE0F} 👨\u{200D}👩")
        #expect(VisibleText.prose("a\u{200D}b") == "a⟨U+200D⟩b")
        #expect(VisibleText.prose("1\u{FE0F}") == "1⟨U+FE0F⟩")
    }

    @Test func aLineStaysALine() {
        #expect(VisibleText.line("a\nb\tc") == "a⏎b c")
    }

    @Test func marksDoNotPileUpNorSitOnOurText() {
        let pile = "a" + String(repeating: "\u{301}", count: 6)
        #expect(VisibleText.exact(pile).unicodeScalars.filter { $0.value == 0x301 }.count == VisibleText.marksMax)
        #expect(VisibleText.exact("\u{301}a") == "⟨U+0301⟩a")
        #expect(VisibleText.exact("a\n\u{301}") == "a\n⟨U+0301⟩")
    }

    @Test func whatMisleadsIsWarnedOf() {
        #expect(VisibleText.warnings(about: "ls -la\n\techo") == [])
        #expect(VisibleText.warnings(about: "Grüße 漢字 привет") == [])
        #expect(VisibleText.warnings(about: "a\u{202E}b").first?.hasPrefix("1 invisible") == true)
        #expect(
            VisibleText.warnings(about: "\u{441}url x") == ["letters of several alphabets look alike in one word: ⟨U+0441⟩url"])
        #expect(VisibleText.warnings(about: "שלום").count == 1)
    }

    @Test func whatCanBeReadAsSomethingElseMayMislead() {
        for text in ["\u{441}url x", "שלום", "a \u{5D0}"] { #expect(VisibleText.mayMislead(text)) }
        // Hidden characters are spelled out: nothing is left that misleads.
        for text in ["ls -la", "Grüße 漢字 привет", "a\u{202E}b"] { #expect(!VisibleText.mayMislead(text)) }
    }
}

import Testing

@testable import HostCore

@Suite("What stands on a terminal's screen")
struct TerminalScreenTests {
    private func shown(_ text: String, rows: Int = 4, columns: Int = 8) -> [String] {
        var screen = TerminalScreen(rows: rows, columns: columns)
        screen.take(text.utf8)
        return screen.lines
    }

    private static let written: [(String, [String])] = [
        ("abcdefghij", ["abcdefgh", "ij", "", ""]),
        ("abcdefgh\r\nij", ["abcdefgh", "ij", "", ""]),
        ("\u{1B}[?7labcdefghij", ["abcdefgj", "", "", ""]),
        ("ab\u{8}c\rX", ["Xc", "", "", ""]),
        ("a\tb", ["a      b", "", "", ""]),
        ("1\r\n2\r\n3\r\n4\r\n5", ["2", "3", "4", "5"]),
        ("\u{1B}[3;4Hx\u{1B}[2Ay\u{1B}[1;1Hz", ["z   y", "", "   x", ""]),
        ("abcdef\u{1B}[3D\u{1B}[K", ["abc", "", "", ""]),
        ("abcdef\u{1B}[3D\u{1B}[1K", ["    ef", "", "", ""]),
        ("ab\r\ncd\u{1B}[1;2H\u{1B}[J", ["a", "", "", ""]),
        ("ab\r\ncd\u{1B}[2Jx", ["", "  x", "", ""]),
        ("abcdef\u{1B}[1;2H\u{1B}[2P", ["adef", "", "", ""]),
        ("abcdef\u{1B}[1;2H\u{1B}[2@", ["a  bcdef", "", "", ""]),
        ("abcdef\u{1B}[1;2H\u{1B}[2X", ["a  def", "", "", ""]),
        ("1\r\n2\r\n3\u{1B}[1;1H\u{1B}[L", ["", "1", "2", "3"]),
        ("1\r\n2\r\n3\u{1B}[1;1H\u{1B}[M", ["2", "3", "", ""]),
        ("1\r\n2\r\n3\r\n4\u{1B}[2;3r\u{1B}[3;1H\nx", ["1", "3", "x", "4"]),
        ("1\r\n2\r\n3\r\n4\u{1B}[2;3r\u{1B}[2;1H\u{1B}Mx", ["1", "x", "2", "4"]),
        ("1\r\n2\u{1B}[S", ["2", "", "", ""]),
        ("1\r\n2\u{1B}[T", ["", "1", "2", ""]),
        ("ab\u{1B}7\u{1B}[4;4Hx\u{1B}8c", ["abc", "", "", "   x"]),
        ("ab\u{1B}[3b", ["abbbb", "", "", ""]),
        ("old\u{1B}[?1049h\u{1B}[Hnew\u{1B}[?1049l!", ["old!", "", "", ""]),
        ("\u{1B}]0;a title\u{7}ab\u{1B}]0;another\u{1B}\\c", ["abc", "", "", ""]),
        ("\u{1B}[38;2;1;2;3ma\u{1B}[mb", ["ab", "", "", ""]),
    ]

    @Test("text, cursor moves, erasing and scrolling", arguments: written)
    func writes(_ text: String, _ lines: [String]) { #expect(shown(text) == lines) }

    @Test("wide characters take two columns, and what belongs to a character takes none")
    func wide() {
        #expect(shown("中文\u{1B}[1;5Hx") == ["中文x", "", "", ""])
        #expect(shown("abcdefg中") == ["abcdefg", "中", "", ""], "it does not fit into one column")
        #expect(shown("e\u{301}x\u{1B}[1;2Hy") == ["e\u{301}y", "", "", ""])
        #expect(shown("👩‍👩‍👧x\u{1B}[1;3Hy") == ["👩‍👩‍👧y", "", "", ""])
        #expect(shown("🇩🇪x\u{1B}[1;3Hy") == ["🇩🇪y", "", "", ""])
        #expect(shown("a\u{200D}b\u{1B}[1;3Hx") == ["a\u{200D}bx", "", "", ""], "what joins pictures joins no letters")
        #expect(shown("a\u{AD}b\u{1B}[1;3Hx") == ["a\u{AD}bx", "", "", ""])
        #expect(shown("中\u{1B}[1;2Hx") == [" x", "", "", ""], "half of it is none")
        #expect(shown("中\u{1B}[1;1Hx") == ["x", "", "", ""])
    }

    private static let drawn: [(String, String)] = [
        ("\u{1B}[1;4mab\u{1B}[22mc\u{1B}[24md", "ab[1;4] c[4] d"), ("\u{1B}[38;5;208ma\u{1B}[39mb", "a[38;5;208] b"),
        ("\u{1B}[48;2;1;2;3ma", "a[48;2;1;2;3]"), ("\u{1B}[97;100ma\u{1B}[0;7mb", "a[97;100] b[7]"),
    ]

    @Test("colours and attributes stay with what was written under them, and erasing leaves the background")
    func styles() {
        for (text, runs) in Self.drawn {
            var screen = TerminalScreen(rows: 1, columns: 8)
            screen.take(text.utf8)
            #expect(
                screen.runs(0).map { "\($0.text)\($0.style.parameters.map { "[\($0)]" } ?? "")" }.joined(separator: " ") == runs
            )
        }
        var screen = TerminalScreen(rows: 1, columns: 4)
        screen.take("\u{1B}[41m\u{1B}[K\u{1B}[0mx".utf8)
        #expect(screen.runs(0).map(\.text) == ["x", "   "] && screen.runs(0).last?.style.parameters == "41")
    }

    @Test("lines of boxes are drawn as lines, by either character set")
    func boxes() {
        #expect(shown("\u{1B}(0lqk\u{1B}(Bq") == ["┌─┐q", "", "", ""])
        #expect(shown("\u{1B})0\u{E}x\u{F}x\u{1B}(0\u{1B}[!px") == ["│xx", "", "", ""])
    }

    @Test("a smaller and a larger window keep what fits, and the cursor stays within it")
    func resized() {
        var screen = TerminalScreen(rows: 4, columns: 8)
        screen.take("1\r\n2\r\n3\r\nlast one".utf8)
        screen.resize(rows: 2, columns: 4)
        #expect(screen.lines == ["3", "last"] && screen.cursorPlace == (1, 3))
        screen.resize(rows: 3, columns: 6)
        #expect(screen.lines == ["3", "last", ""])
    }

    @Test("anything at all, in pieces of any length, is taken, and gives the same screen")
    func anything() throws {
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<40 {
            let seed = UInt64.random(in: 0...UInt64.max, using: &dice)
            var bytes: [UInt8] = []
            var state = seed
            for _ in 0..<600 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let pick = UInt8(truncatingIfNeeded: state >> 33)
                let alphabet = Array("\u{1B}[[[]?;;0123456789ABCDHJKLMPXSTrmhl中é👩‍👧 \r\n\u{8}\u{7}".utf8)
                bytes.append(state >> 60 == 0 ? pick : alphabet[Int(pick) % alphabet.count])
            }
            var whole = TerminalScreen(rows: 5, columns: 9)
            whole.take(bytes)
            var pieces = TerminalScreen(rows: 5, columns: 9)
            for byte in bytes { pieces.take([byte]) }
            #expect(whole.lines == pieces.lines, "seed \(seed)")
            // Format characters, such as a soft hyphen, take no column.
            let shown = whole.lines.map { $0.filter { $0.unicodeScalars.first?.properties.generalCategory != .format } }
            #expect(shown.allSatisfy { $0.count <= 9 }, "seed \(seed)")
        }
    }

    @Test("what a program asked of its terminal is repeated to one that comes later, and taken back at the end")
    func modes() {
        var screen = TerminalScreen(rows: 4, columns: 8)
        screen.take("\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?1000l\u{1B}[?25l\u{1B}[>1u\u{1B}[?2026h".utf8)
        let replay = String(decoding: screen.modes.replay, as: UTF8.self)
        #expect(replay == "\u{1B}[?1049h\u{1B}[?1006h\u{1B}[?2004h\u{1B}[?25l\u{1B}[>1u")
        let reset = String(decoding: screen.modes.reset, as: UTF8.self)
        #expect(reset.hasPrefix("\u{1B}[0m\u{1B}[<1u") && reset.hasSuffix("\u{1B}[?1049l\u{1B}[?25h"))
        var other = TerminalScreen(rows: 4, columns: 8)
        other.take(screen.modes.replay)
        other.take(screen.modes.reset)
        #expect(other.modes == TerminalModes())
    }

    @Test(
        "what a terminal says by itself is not typed",
        arguments: [
            ("a", true), ("\u{1B}", true), ("\u{1B}[A", true), ("\u{1B}[200~x\u{1B}[201~", true), ("\u{1B}[I", false),
            ("\u{1B}[O", false), ("\u{1B}[<35;10;5M", false), ("\u{1B}[<35;10;5Ma", true), ("\u{1B}[?62;22c", false),
            ("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", false), ("\u{1B}P>|xterm\u{1B}\\", false), ("\u{1B}[?997;1n", false),
        ])
    func keys(_ text: String, _ isTyped: Bool) {
        var keys = LocalKeys()
        #expect(keys.take(Array(text.utf8)) == isTyped)
    }
}

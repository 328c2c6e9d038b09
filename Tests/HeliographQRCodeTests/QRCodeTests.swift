import HeliographQRCode
import Testing

@Suite struct QRCodeTests {
    @Test func `a short text makes the smallest code, with a finder in three corners`() throws {
        let code = try QRCode(text: "HELIOGRAPH")
        let rows = code.rowsText
        #expect(rows.count == 21)
        #expect(rows.allSatisfy { $0.count == 21 })
        let finder = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
        #expect(rows.prefix(7).map { String($0.prefix(7)) } == finder)
        #expect(rows.prefix(7).map { String($0.suffix(7)) } == finder)
        #expect(rows.suffix(7).map { String($0.prefix(7)) } == finder)
    }

    @Test func `the terminal shows every module and the quiet zone`() throws {
        let code = try QRCode(text: "https://relay.example/pair#7Q2MW-0VKXB-3NRCE-94TGH")
        let width = code.rows.count + 8
        for inverted in [false, true] {
            let lines = code.terminal(inverted: inverted).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            #expect(lines.count == (width + 1) / 2)
            var drawn: [[Bool]] = []
            for line in lines {
                drawn.append(line.map { $0 == "█" || $0 == "▀" })
                drawn.append(line.map { $0 == "█" || $0 == "▄" })
            }
            for row in 0..<width {
                #expect(drawn[row].count == width)
                for column in 0..<width {
                    let isInside = (4..<width - 4).contains(row) && (4..<width - 4).contains(column)
                    let isDark = isInside && code.rows[row - 4][column - 4]
                    if drawn[row][column] != (isDark == inverted) { Issue.record("module \(row), \(column)") }
                }
            }
        }
    }

    @Test func `in colours it is black on white whatever the terminal's own are`() throws {
        let code = try QRCode(text: "HELIOGRAPH")
        let lines = code.terminal(coloured: true).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        let (begin, end) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[0m")
        #expect(lines.allSatisfy { $0.hasPrefix(begin) && $0.hasSuffix(end) })
        let drawn = lines.map { $0.dropFirst(begin.count).dropLast(end.count) + "\n" }.joined()
        #expect(drawn == code.terminal(inverted: true))
    }

    @Test func `the longest text fits and one byte more does not`() throws {
        #expect(try QRCode(text: String(repeating: "x", count: QRCode.textBytesMax)).rows.count == 177)
        for count in [0, QRCode.textBytesMax + 1] {
            let error = #expect(throws: QRCodeError.self) { try QRCode(text: String(repeating: "x", count: count)) }
            #expect(error?.bytes == count)
        }
    }
}

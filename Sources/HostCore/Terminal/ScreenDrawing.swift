import RelayProtocol

/// A terminal's screen as clients get it: without what looks like a secret, and with the number of the drawing since which each row
/// is unchanged.
struct ScreenDrawing: Sendable {
    typealias Runs = [TerminalScreen.Run]

    /// Number of the last drawing that differs from the one before; 0 if there was none.
    private(set) var number: Int64 = 0
    private var rows = 0
    private var columns = 0
    /// The cursor's place; nil while the program hides it.
    private var cursor: (row: Int, column: Int)?
    private var wrapsPaste = false
    private var hasApplicationKeys = false
    private var lines: [Runs] = []
    /// Number of the drawing since which each row is unchanged.
    private var since: [Int64] = []

    private static let redactor = Redactor()

    mutating func draw(_ screen: TerminalScreen) {
        let drawn = Self.lines(of: screen)
        let place = screen.modes.isCursorShown ? screen.cursorPlace : nil
        let isResized = (screen.rows, screen.columns) != (rows, columns)
        let isMoved = place?.row != cursor?.row || place?.column != cursor?.column
        let modes = (screen.modes.isBracketedPaste, screen.modes.hasApplicationKeys)
        guard isResized || isMoved || modes != (wrapsPaste, hasApplicationKeys) || drawn != lines else { return }
        number += 1
        since =
            isResized
            ? Array(repeating: number, count: drawn.count)
            : drawn.indices.map { drawn[$0] == lines[$0] ? since[$0] : number }
        (rows, columns, cursor, lines) = (screen.rows, screen.columns, place, drawn)
        (wrapsPaste, hasApplicationKeys) = modes
    }

    // MARK: Secrets

    /// Rows searched together for secrets: text that fills its row may continue in the next one.
    private static func lines(of screen: TerminalScreen) -> [Runs] {
        var lines = (0..<screen.rows).map(screen.runs)
        var texts: [(rows: Range<Int>, text: String)] = []
        var first = 0
        for row in 0..<screen.rows where !screen.isFull(row) || row == screen.rows - 1 {
            texts.append((first..<row + 1, lines[first...row].map { $0.map(\.text).joined() }.joined()))
            first = row + 1
        }
        let clean = redactor.lines(of: texts.map(\.text).joined(separator: "\n"), isExcerpt: true)
        for ((rows, text), clean) in zip(texts, clean) where clean != text {
            var rest = clean[...]
            for row in rows {
                let part = row == rows.upperBound - 1 ? rest : rest.prefix(screen.columns)
                rest = rest.dropFirst(part.count)
                lines[row] = part.isEmpty ? [] : [TerminalScreen.Run(text: String(part), style: TerminalStyle())]
            }
        }
        return lines
    }

    // MARK: The wire

    /// The rows that have changed since the drawing of that number, which has the name `base`; with 0 all of them.
    func json(as name: String, after: Int64, base: String?) -> [UInt8] {
        let changed = lines.indices.filter { since[$0] > after && !(after == 0 && lines[$0].isEmpty) }
        var shown = changed.map { Self.line($0, lines[$0]) }
        if Self.size(shown) > WireLimits.screenBytesMax - Self.headBytes {
            // If there is no room, the colours are left out rather than text.
            shown = changed.map { row in
                Self.line(row, [TerminalScreen.Run(text: lines[row].map(\.text).joined(), style: TerminalStyle())])
            }
        }
        var isCut = false
        var size = Self.size(shown)
        while size > WireLimits.screenBytesMax - Self.headBytes {
            size -= Self.size([shown.removeLast()])
            isCut = true
        }
        return JSONWriter.object { writer in
            writer.field("of", name)
            writer.field("base", base)
            writer.flag("whole", after == 0)
            writer.flag("cut", isCut)
            writer.field("rows", Int64(rows))
            writer.field("columns", Int64(columns))
            if let cursor {
                writer.object("cursor") {
                    $0.field("row", Int64(cursor.row))
                    $0.field("column", Int64(cursor.column))
                }
            }
            writer.flag("wrapsPaste", wrapsPaste)
            writer.flag("applicationKeys", hasApplicationKeys)
            writer.array("lines", shown)
        }
    }

    /// Bytes for everything but the rows.
    private static let headBytes = 512

    private static func size(_ lines: [[UInt8]]) -> Int { lines.reduce(0) { $0 + $1.count + 1 } }

    private static func line(_ row: Int, _ runs: Runs) -> [UInt8] {
        JSONWriter.object { writer in
            writer.field("row", Int64(row))
            writer.array(
                "runs",
                runs.flatMap { run in
                    byWidth(run.text).map { part in
                        JSONWriter.object {
                            $0.field("text", part.text)
                            $0.field("style", run.style.parameters)
                            $0.flag("wide", part.isWide)
                        }
                    }
                })
        }
    }

    /// The text in parts whose characters are equally wide.
    private static func byWidth(_ text: String) -> [(text: String, isWide: Bool)] {
        var parts: [(text: String, isWide: Bool)] = []
        for character in text {
            let isWide =
                character.unicodeScalars.first.map(ScalarWidth.columns) == 2
                || character.unicodeScalars.contains(ScalarWidth.pictureSelector)
            if parts.last?.isWide == isWide {
                parts[parts.count - 1].text.append(character)
            } else {
                parts.append((String(character), isWide))
            }
        }
        return parts
    }
}

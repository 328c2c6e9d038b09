/// Terminal cells of a text, approximately: terminals disagree on the rest.
package enum DisplayWidth {
    package static func of(_ text: String) -> Int {
        text.reduce(0) { $0 + of($1) }
    }

    /// Cuts text between characters and ends it with `…`; text that fits stays whole.
    package static func cut(_ text: String, to width: Int) -> String {
        guard of(text) > width else { return text }
        guard width > 0 else { return "" }
        var result = ""
        var used = 0
        for character in text {
            let cells = of(character)
            if used + cells > width - 1 { break }
            used += cells
            result.append(character)
        }
        return result + "…"
    }

    /// The text cut to `width` and filled up with spaces.
    package static func fit(_ text: String, to width: Int, alignsRight: Bool = false) -> String {
        let text = cut(text, to: width)
        let space = String(repeating: " ", count: max(0, width - of(text)))
        return alignsRight ? space + text : text + space
    }

    /// Breaks a line into pieces of at most `width` cells, on boundaries between characters; nothing is left out.
    package static func wrap(_ line: String, to width: Int) -> [String] {
        var pieces: [String] = []
        var piece = ""
        var used = 0
        for character in line {
            let cells = character == "\t" ? 8 - used % 8 : of(character)
            if used + cells > width, !piece.isEmpty {
                pieces.append(piece)
                piece = ""
                used = 0
            }
            // Tabs become spaces, because the gutter moves the terminal's own tab stops.
            if character == "\t" {
                piece += String(repeating: " ", count: min(cells, max(1, width)))
            } else {
                piece.append(character)
            }
            used += cells
        }
        pieces.append(piece)
        return pieces
    }

    static func of(_ character: Character) -> Int {
        var width = 0
        for scalar in character.unicodeScalars {
            if scalar.value == 0xFE0F { return 2 }
            width = max(width, of(scalar))
        }
        return width
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7F ? 1 : 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x17000...0x18CFF, 0x1B000...0x1B2FF, 0x1F1E6...0x1F1FF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}

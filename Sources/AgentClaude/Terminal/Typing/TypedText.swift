internal import HostCore

/// A person's prompt, typed so that Claude Code takes it for text and for nothing else, and recognised again.
///
/// | could be taken for | prevented by |
/// |---|---|
/// | a command: `/` is its first character but for blanks | `> ` before it |
/// | a command of the shell: `!`; a notice of the agent's own (`ClaudeNotice`) | the same |
/// | unfinished, because of a `\` at its end; a name to be completed | a blank after it, which the agent removes again |
/// | pasted text, which counts for less | pieces (``chunks``) |
package struct TypedText: Sendable, Equatable {
    /// The text in the form in which the agent reports it as taken.
    package let text: String
    /// True if the text has so many lines that typing it in pieces would take too long, so it is sent as a paste.
    package let isPasted: Bool
    private let bare: String

    private static let pieceCharactersMax = 600
    private static let pieceBreaksMax = 2
    /// Most pieces: the agent redraws its screen for each, which takes some half of a second for this many.
    private static let piecesMax = 60
    private static let tab = "    "

    /// Nil if there is nothing left to type.
    package init?(_ said: String) {
        var text = TextCut.trim(Self.clean(said))
        guard text.unicodeScalars.contains(where: { !Self.isBlank($0) }) else { return nil }
        // The scalar is compared, because a combining mark on it would make another character.
        let first = text.unicodeScalars.first { !Self.isBlank($0) }
        if first == "/" || first == "!" || ClaudeNotice.isOne(text) { text = "> " + text }
        self.text = text
        bare = Self.bare(text)
        isPasted = Self.pieces(text).count > Self.piecesMax
    }

    /// Bytes for the terminal, without Enter.
    package var keys: [UInt8] {
        let last = text.unicodeScalars.split(whereSeparator: Self.isBlank).last
        let mayGoOn = text.hasSuffix("\\") || last?.contains { "@/#:".unicodeScalars.contains($0) } == true
        let whole = mayGoOn ? text + " " : text
        let pieces = isPasted ? [whole] : Self.pieces(whole)
        return pieces.flatMap { Array("\u{1B}[200~\($0)\u{1B}[201~".utf8) }
    }

    /// True if the box shows exactly this text, or the end of it if it is too tall.
    package func isShown(in box: PromptBox) -> Bool {
        guard !box.isShell, !box.isHint else { return false }
        let shown = Self.bare(box.rows.joined(separator: "\n"))
        if isPasted { return Self.isCollapsed(shown) }
        return box.hidesBeginning ? !shown.isEmpty && bare.hasSuffix(shown) : shown == bare
    }

    /// True if the box shows the beginning of this text, or all of it.
    package func isBegun(in box: PromptBox) -> Bool {
        guard !box.isShell, !box.isHint else { return false }
        let shown = Self.bare(box.rows.joined(separator: "\n"))
        if shown.isEmpty { return false }
        if isPasted { return Self.isCollapsed(shown) }
        return box.hidesBeginning ? bare.contains(shown) : bare.hasPrefix(shown)
    }

    /// True if the prompt that the agent reports is this text.
    package func isTaken(as prompt: String) -> Bool { Self.bare(Self.unwrapped(prompt)) == bare }

    /// True if the prompt contains this text together with something else.
    package func isMixed(into prompt: String) -> Bool {
        let prompt = Self.bare(Self.unwrapped(prompt))
        return prompt != bare && prompt.contains(bare)
    }

    // MARK: Spelling

    /// The text as the agent would change it, without the characters that it removes.
    private static func clean(_ text: String) -> String {
        var clean = String.UnicodeScalarView()
        for character in text {
            if character == "\r\n" || character == "\r" {
                clean.append("\n")
                continue
            }
            for scalar in character.unicodeScalars {
                switch scalar.value {
                case 0x0A: clean.append(scalar)
                case 0x0D: clean.append("\n")
                case 0x09: clean.append(contentsOf: tab.unicodeScalars)
                case 0..<0x20, 0x7F..<0xA0, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF, 0xE0000...0xE007F:
                    break
                default: clean.append(scalar)
                }
            }
        }
        return String(clean)
    }

    private static func pieces(_ text: String) -> [String] {
        var pieces: [String] = []
        var piece = ""
        var length = 0
        var breaks = 0
        for character in text {
            if length >= pieceCharactersMax || (character == "\n" && breaks >= pieceBreaksMax) {
                pieces.append(piece)
                (piece, length, breaks) = ("", 0, 0)
            }
            piece.append(character)
            // Each scalar of a character counts.
            length += character.unicodeScalars.count
            if character == "\n" { breaks += 1 }
        }
        return piece.isEmpty ? pieces : pieces + [piece]
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

    /// The text without blanks, because rows are wrapped wherever there is no more room.
    private static func bare(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !isBlank($0) }))
    }

    /// True for a collapsed paste, `[Pasted text #1 +4 lines]`, without its blanks.
    private static func isCollapsed(_ bare: String) -> Bool {
        guard bare.hasPrefix("[Pastedtext#"), bare.hasSuffix("]") else { return false }
        let rest = bare.dropFirst(12).dropLast().drop { $0.isNumber }
        return rest.isEmpty
            || (rest.hasPrefix("+") && rest.hasSuffix("lines") && rest.dropFirst().dropLast(5).allSatisfy(\.isNumber))
    }

    /// The prompt without the two numbered marks that the agent puts around a paste.
    private static func unwrapped(_ prompt: String) -> String {
        let mark = "pasted_content id=\""
        var rest = prompt[...]
        var text = ""
        while let start = rest.firstIndex(of: "<") {
            text += rest[..<start]
            let tag = rest[start...].dropFirst()
            let name = tag.first == "/" ? tag.dropFirst() : tag
            if name.hasPrefix(mark), let end = name.firstIndex(of: ">"), name[..<end].count < 64 {
                rest = name[name.index(after: end)...]
            } else {
                text += "<"
                rest = tag
            }
        }
        return text + rest
    }
}

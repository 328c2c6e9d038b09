/// A client's prompt, written so that no agent takes it for anything else.
///
/// Editors send their commands as text (`/compact`), and agents differ in what they skip before it: Mistral Vibe skips spaces. So a
/// text that might be a command gets a line of ours before it, in the same block, because some agents look at each block.
enum LiteralPrompt {
    static let note = "(The text below was sent as a message, not as a command.)"
    /// First characters of commands, shell lines, notes and mentions in the known agents.
    private static let signs: Set<Unicode.Scalar> = ["/", "!", "#", "@", "$", "\\"]

    static func text(_ text: String) -> String {
        guard let first = text.unicodeScalars.first(where: { !isInvisible($0) }), signs.contains(first) else { return text }
        return note + "\n" + text
    }

    /// True if a prompt that an agent shows is this one; agents differ in the spaces that they keep.
    static func isSame(_ shown: String, as sent: String) -> Bool {
        let shown = visible(shown)
        return !shown.isEmpty && shown == visible(sent)
    }

    private static func visible(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.filter { !isInvisible($0) } }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark: true
        default: scalar.properties.isDefaultIgnorableCodePoint
        }
    }
}

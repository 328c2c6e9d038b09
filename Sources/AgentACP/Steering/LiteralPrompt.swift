/// What a client's person wrote, so that no agent takes it for anything but a prompt.
///
/// Editors send their commands as text (`/compact`), and agents differ in what they look past before it: Mistral Vibe skips spaces. So a
/// text that might be one gets a line of ours before it, in the same block, since some agents look at each block.
enum LiteralPrompt {
    static let note = "(The text below was sent as a message, not as a command.)"
    /// Commands, shell lines, notes and mentions, in the agents that we know.
    private static let signs: Set<Unicode.Scalar> = ["/", "!", "#", "@", "$", "\\"]

    static func text(_ text: String) -> String {
        guard let first = text.unicodeScalars.first(where: { !isInvisible($0) }), signs.contains(first) else { return text }
        return note + "\n" + text
    }

    /// Whether an agent that shows a prompt shows this one; agents differ in what they keep of its spaces.
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

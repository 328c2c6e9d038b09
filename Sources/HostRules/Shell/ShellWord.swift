/// One word of a command line, after the shell has removed its quotes.
struct ShellWord: Equatable, Sendable {
    /// The word as the program receives it; for an unknown one, only its literal parts.
    var text = ""
    /// False if the shell changes it: a variable, a substitution, a glob, braces, a tilde. It can then become any number of words.
    var isKnown = true
    /// True if a part of the word is quoted, so that it is not a reserved word.
    var isQuoted = false

    init(_ text: String = "") { self.text = text }

    /// A word, or several, that only the program's input has.
    static var unseen: ShellWord {
        var word = ShellWord()
        word.isKnown = false
        return word
    }

    /// Its names and paths as separate words, whatever is between them, and a value joined to an option's letter; empty for an
    /// unknown word.
    var pieces: [ShellWord] {
        guard isKnown else { return [] }
        let value = text.hasPrefix("-") && !text.hasPrefix("--") ? text.dropFirst(2) : ""
        return [text[...], value].flatMap { $0.split { $0.isWhitespace || "'\"`;&|<>()[]{}=,$!:%".contains($0) } }
            .map { ShellWord(String($0)) }
    }
}

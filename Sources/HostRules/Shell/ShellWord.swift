/// One word of a command line, after the shell has removed its quotes.
struct ShellWord: Equatable, Sendable {
    /// The word as the program receives it; for an unknown one, only its literal parts.
    var text = ""
    /// False if the shell changes it: a variable, a substitution, a glob, braces, a tilde. It can then become any number of words.
    var isKnown = true
    /// True if a part of the word is quoted, so that it is not a reserved word.
    var isQuoted = false

    init(_ text: String = "") { self.text = text }

    /// Its names and paths as separate words, whatever is between them; empty for an unknown word.
    var pieces: [ShellWord] {
        guard isKnown else { return [] }
        return text.split { $0.isWhitespace || "'\"`;&|<>()[]{}=,$!".contains($0) }.map { ShellWord(String($0)) }
    }
}

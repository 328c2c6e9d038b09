/// One word of a command line, after the shell has removed its quotes.
struct ShellWord: Equatable, Sendable {
    /// The word as the program receives it; of an unknown one, only what is literal in it.
    var text = ""
    /// False if the shell makes something else of it: a variable, a substitution, a glob, braces, a tilde. It can then be any number of
    /// words.
    var isKnown = true
    /// A part of it is quoted, so that it is no reserved word.
    var isQuoted = false

    init(_ text: String = "") { self.text = text }

    /// Its names and paths, as words, whatever stands between them; none of an unknown word.
    var pieces: [ShellWord] {
        guard isKnown else { return [] }
        return text.split { $0.isWhitespace || "'\"`;&|<>()[]{}=,$!".contains($0) }.map { ShellWord(String($0)) }
    }
}

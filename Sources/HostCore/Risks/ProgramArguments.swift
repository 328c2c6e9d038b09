/// The words after a program's name.
struct ProgramArguments {
    let words: [String]
    /// The program reads what another one writes.
    let isPiped: Bool

    init(_ words: [String], isPiped: Bool) {
        self.words = words
        self.isPiped = isPiped
    }

    /// One of these words is there.
    func names(_ wanted: String...) -> Bool { words.contains(where: wanted.contains) }

    /// One of these options is there: `letters` also where several are in one word, `names` also with a value behind `=`.
    func has(_ letters: String, _ names: String...) -> Bool {
        words.contains { word in
            (Self.isLetters(word) && letters.contains(where: word.contains))
                || names.contains { word == $0 || word.hasPrefix($0 + "=") }
        }
    }

    func contain(_ isWanted: (String) -> Bool) -> Bool { words.contains(where: isWanted) }

    /// `-rf`, not `--recursive`.
    private static func isLetters(_ word: String) -> Bool {
        let bytes = Array(word.utf8.prefix(2))
        return bytes.count == 2 && bytes[0] == UInt8(ascii: "-")
            && ((65...90).contains(bytes[1]) || (97...122).contains(bytes[1]))
    }
}

/// The words after a program's name.
struct ProgramArguments {
    let words: [String]
    /// True if the program reads another one's output.
    let isPiped: Bool

    init(_ words: [String], isPiped: Bool) {
        self.words = words
        self.isPiped = isPiped
    }

    /// True if one of these words is present.
    func names(_ wanted: String...) -> Bool { words.contains(where: wanted.contains) }

    /// True if one of these options is present: `letters` also combined in one word, `names` also with `=` and a value.
    func has(_ letters: String, _ names: String...) -> Bool {
        words.contains { word in
            (Self.isLetters(word) && letters.contains(where: word.contains))
                || names.contains { word == $0 || word.hasPrefix($0 + "=") }
        }
    }

    func contain(_ isWanted: (String) -> Bool) -> Bool { words.contains(where: isWanted) }

    /// True for short options such as `-rf`, not for `--recursive`.
    private static func isLetters(_ word: String) -> Bool {
        let bytes = Array(word.utf8.prefix(2))
        return bytes.count == 2 && bytes[0] == UInt8(ascii: "-")
            && ((65...90).contains(bytes[1]) || (97...122).contains(bytes[1]))
    }
}

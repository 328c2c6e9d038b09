/// The little of the shell's grammar that our own commands need.
enum ShellWords {
    /// One word for `/bin/sh` that means exactly this text.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// The words of a simple command; nil where the shell would do anything but split and unquote.
    static func split(_ command: String) -> [String]? {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var rest = command.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t":
                if let finished = word { words.append(String(finished)) }
                word = nil
            case "'":
                guard let end = rest.firstIndex(of: "'") else { return nil }
                word = (word ?? .init()) + rest[..<end]
                rest = rest[rest.index(after: end)...]
            case "\"":
                guard let inside = doubleQuoted(&rest) else { return nil }
                word = (word ?? .init()) + inside
            case "\\":
                guard let next = rest.popFirst(), next != "\n" else { return nil }
                word = (word ?? .init()) + [next]
            case "|", "&", ";", "<", ">", "(", ")", "$", "`", "*", "?", "[", "]", "#", "~", "{", "}", "!", "\n", "\r":
                return nil
            default: word = (word ?? .init()) + [scalar]
            }
        }
        if let finished = word { words.append(String(finished)) }
        return words
    }

    /// The inside up to the closing quote, which is consumed.
    private static func doubleQuoted(_ rest: inout Substring.UnicodeScalarView) -> String.UnicodeScalarView? {
        var inside = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return inside
            case "$", "`": return nil
            case "\\":
                guard let next = rest.popFirst(), next != "\n" else { return nil }
                if !["\"", "\\", "$", "`"].contains(next) { inside.append("\\") }
                inside.append(next)
            default: inside.append(scalar)
            }
        }
        return nil
    }
}

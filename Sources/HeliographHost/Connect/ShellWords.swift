/// The small part of the shell's grammar that our own commands need.
package enum ShellWords {
    /// Quotes a text as one word for `/bin/sh`.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// The text as one word for people, quoted only if needed.
    package static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || "/._-+:@%".utf8.contains(byte)
            }
        return isPlain ? text : quoted(text)
    }

    /// The words of a simple command; nil if the shell would do more than split and unquote.
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

    /// The inside of double quotes; the closing quote is consumed.
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

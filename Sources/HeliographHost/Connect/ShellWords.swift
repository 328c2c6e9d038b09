/// The little of the shell's grammar that our own commands need.
package enum ShellWords {
    /// One word for `/bin/sh` that means exactly this text.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// One word for people to read: quoted only if needed.
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

    /// The words of a simple command; nil if the shell would do anything but split and unquote.
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

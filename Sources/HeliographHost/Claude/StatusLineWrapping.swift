import RelayProtocol

/// Wraps a status line command inside its JSON string, and unwraps it to the byte: after `disconnect`, every escape has the
/// person's own spelling again.
enum StatusLineWrapping {
    private static let opening = Array("statusline claude --wrap '".utf8)
    private static let quoteEscape = Array("\\u0027".utf8)

    /// `raw`: a JSON string with its quotes; so is the result.
    static func wrap(_ raw: ArraySlice<UInt8>, executable: String) -> [UInt8] {
        var result = JSONWriter.string("\(ShellWords.quoted(executable)) ")
        result.removeLast()
        result += opening
        for token in tokens(of: raw.dropFirst().dropLast()) {
            result += token
            // In the shell `'` becomes `'\''`; each quote keeps its own spelling.
            if isQuote(token) { result += Array("\\\\".utf8) + token + token }
        }
        return result + Array("'\"".utf8)
    }

    /// The unwrapped string; nil if it is not spelled as `wrap` spells it, for example because a person edited it.
    static func unwrap(_ raw: ArraySlice<UInt8>) -> [UInt8]? {
        let inside = Array(raw.dropFirst().dropLast())
        guard let start = inside.indices.first(where: { inside[$0...].starts(with: opening) }) else { return nil }
        var rest = tokens(of: inside[(start + opening.count)...])[...]
        guard rest.popLast().map(Array.init) == [UInt8(ascii: "'")] else { return nil }
        var result = [UInt8(ascii: "\"")]
        while let token = rest.popFirst() {
            result += token
            guard isQuote(token) else { continue }
            let escape = rest.prefix(3).map(Array.init)
            guard escape == [Array("\\\\".utf8), Array(token), Array(token)] else { return nil }
            rest = rest.dropFirst(3)
        }
        return result + [UInt8(ascii: "\"")]
    }

    private static func isQuote(_ token: ArraySlice<UInt8>) -> Bool {
        token.elementsEqual([UInt8(ascii: "'")]) || token.elementsEqual(quoteEscape)
    }

    /// The bytes and escapes of a JSON string, each escape as a whole.
    private static func tokens(of raw: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var tokens: [ArraySlice<UInt8>] = []
        var rest = raw
        while let first = rest.first {
            let length = first != UInt8(ascii: "\\") ? 1 : rest.dropFirst().first == UInt8(ascii: "u") ? 6 : 2
            tokens.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return tokens
    }
}

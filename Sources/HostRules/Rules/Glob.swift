/// A text with stars, each of which matches any characters.
struct Glob: Equatable, Sendable {
    /// Literal parts; a star is between each two.
    let parts: [String]

    var isLiteral: Bool { parts.count == 1 }
    var isStar: Bool { parts == ["", ""] }

    init(_ text: String) { parts = text.split(separator: "*", omittingEmptySubsequences: false).map(String.init) }
    init(literal: String) { parts = [literal] }
    init(parts: [String]) { self.parts = parts }

    /// True if the text matches, byte by byte or ignoring case.
    func matches(_ text: String, ignoringCase: Bool = false) -> Bool {
        let text = Array((ignoringCase ? text.lowercased() : text).utf8)
        let parts = parts.map { Array((ignoringCase ? $0.lowercased() : $0).utf8) }
        guard let first = parts.first, let last = parts.last else { return false }
        guard parts.count > 1 else { return text == first }
        guard text.count >= first.count + last.count, text.starts(with: first), text.suffix(last.count).elementsEqual(last)
        else {
            return false
        }
        var rest = text[first.count..<(text.count - last.count)]
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let place = rest.indices.first(where: { rest[$0...].starts(with: part) }) else { return false }
            rest = rest[(place + part.count)...]
        }
        return true
    }
}

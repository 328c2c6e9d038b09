/// Lines of a diff, each with its sign in front, without their secrets.
package struct SignedLines {
    package private(set) var lines: [String] = []
    package private(set) var added: Int64 = 0
    package private(set) var removed: Int64 = 0
    /// True if some lines are not shown unchanged.
    package private(set) var isRedacted = false

    /// `signed`: lines that begin with a space, `+`, `-`, `\` or, for the heads of hunks, `@`. Each side is searched for secrets as
    /// it is in its file, because a sign before each line of a private key makes another text of it. `isExcerpt`: the lines are of
    /// a part of a file.
    package init(_ signed: [String], isExcerpt: Bool, _ redactor: Redactor) {
        let signs = signed.map { $0.utf8.first ?? UInt8(ascii: " ") }
        func side(without other: UInt8) -> [String?] {
            let isOfSide = signs.map { $0 != other && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "@") }
            let text = zip(signed, isOfSide).filter(\.1).map { Self.unsigned($0.0) }.joined(separator: "\n")
            var shown = redactor.lines(of: text, isExcerpt: isExcerpt)[...]
            return isOfSide.map { $0 ? shown.popFirst() : nil }
        }
        let (old, new) = (side(without: UInt8(ascii: "+")), side(without: UInt8(ascii: "-")))
        for index in signed.indices {
            // A part hidden in one side is hidden in both.
            let shown = [old[index], new[index]].compactMap(\.self)
            if let hidden = shown.first(where: { !$0.utf8.elementsEqual(Self.unsigned(signed[index]).utf8) }) {
                lines.append(String(decoding: [signs[index]], as: UTF8.self) + hidden)
                isRedacted = true
            } else {
                lines.append(signed[index])
            }
            if signs[index] == UInt8(ascii: "+") { added += 1 }
            if signs[index] == UInt8(ascii: "-") { removed += 1 }
        }
    }

    private static func unsigned(_ line: String) -> String { String(decoding: line.utf8.dropFirst(), as: UTF8.self) }
}

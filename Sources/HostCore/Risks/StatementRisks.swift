/// Statements in a command that delete from a database.
enum StatementRisks {
    static let sentence = "Deletes from a database."
    /// Most blanks between two words of a statement.
    private static let blanksMax = 9
    private static let statements: [(first: [UInt8], next: [[UInt8]])] = [
        (Array("drop".utf8), ["table", "database", "schema"].map { Array($0.utf8) }),
        (Array("truncate".utf8), [Array("table".utf8)]),
        (Array("delete".utf8), [Array("from".utf8)]),
    ]

    static func deletes(in text: [UInt8]) -> Bool {
        var index = 0
        while index < text.count {
            guard CommandRisks.isWordByte(text[index]) else {
                index += 1
                continue
            }
            let end = wordEnd(in: text, from: index)
            for (first, next) in statements where isWord(first, at: index..<end, of: text) {
                let begin = text[end...].prefix(blanksMax + 1).firstIndex { !isBlank($0) } ?? end
                if begin > end, next.contains(where: { isWord($0, at: begin..<wordEnd(in: text, from: begin), of: text) }) {
                    return true
                }
            }
            index = end
        }
        return false
    }

    private static func wordEnd(in text: [UInt8], from index: Int) -> Int {
        text[index...].firstIndex { !CommandRisks.isWordByte($0) } ?? text.count
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

    /// Compares without regard to case.
    private static func isWord(_ word: [UInt8], at place: Range<Int>, of text: [UInt8]) -> Bool {
        place.count == word.count && zip(word, text[place]).allSatisfy { $0 == $1 | 0x20 }
    }
}

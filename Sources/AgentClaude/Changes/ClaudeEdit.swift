/// One replacement in a text, found and made as Claude Code does it.
struct ClaudeEdit {
    private let old: [UInt8]
    private let new: [UInt8]

    init(old: String, new: String) {
        (self.old, self.new) = (Array(old.utf8), Array(new.utf8))
    }

    /// Indices at which the old text occurs, without overlaps. Compared by bytes, because two spellings of a letter are two texts.
    func places(in text: [UInt8]) -> [Int] {
        guard let first = old.first, old.count <= text.count else { return [] }
        var places: [Int] = []
        var index = 0
        while index <= text.count - old.count {
            if text[index] == first, text[index..<(index + old.count)].elementsEqual(old) {
                places.append(index)
                index += old.count
            } else {
                index += 1
            }
        }
        return places
    }

    func applied(at places: [Int], in text: [UInt8]) -> [UInt8] {
        // If the text is deleted and one of its occurrences is at the end of a line, the line end is deleted too.
        let end = UInt8(ascii: "\n")
        let isLine = new.isEmpty && old.last != end && places.contains { endsLine($0, text) }
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        var index = 0
        for place in places where !isLine || endsLine(place, text) {
            result += text[index..<place]
            result += new
            index = place + old.count + (isLine ? 1 : 0)
        }
        return result + text[index...]
    }

    private func endsLine(_ place: Int, _ text: [UInt8]) -> Bool {
        place + old.count < text.count && text[place + old.count] == UInt8(ascii: "\n")
    }
}

import RelayProtocol

/// A person's JSON text that is changed as little as possible: everything else keeps its bytes.
///
/// Adding something and removing it again gives back the very same text. For that, a container that was empty before has to be
/// distinguished from one that was added, and the text itself has to record it, because nothing else survives:
///
/// | before | after the first addition | after its removal |
/// |---|---|---|
/// | no container | no blank line after the bracket | the container is removed too |
/// | `{}` | a blank line after the bracket | `{}` |
/// | `{ }`, any other space inside | a blank line, and that space before the closing bracket | as before |
/// | a line break inside, as if laid out | two blank lines | as before |
///
/// In a text of one line, a space stands for the blank line.
///
/// It accepts what JavaScript accepts: a byte-order mark, which stays, a key that occurs twice, of which the last counts, and an
/// empty file.
struct JSONText {
    enum Step { case key(String), index(Int) }

    private(set) var bytes: [UInt8]
    /// True if the text did not exist before: its root counts as added.
    private let isNew: Bool
    private let document: JSONDocument
    /// Length of the byte order mark in `bytes`, which the document leaves out.
    private let markBytes: Int
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Reads a text; nil means that there is none yet.
    init(_ text: [UInt8]?) throws(WireError) {
        let isNew = text?.allSatisfy { [9, 10, 13, 32].contains($0) } ?? true
        try self.init(bytes: isNew ? Array("{}\n".utf8) : text ?? [], isNew: isNew)
    }

    private init(bytes: [UInt8], isNew: Bool) throws(WireError) {
        let text = Self.withoutMark(bytes)
        markBytes = bytes.count - text.count
        document = try JSONDocument(parsing: text, takesDoubledKeys: true)
        self.bytes = bytes
        self.isNew = isNew
    }

    static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
        bytes.starts(with: byteOrderMark) ? Array(bytes.dropFirst(byteOrderMark.count)) : bytes
    }

    // MARK: - Reading

    var root: JSONValue { document.root }

    func value(at path: [Step]) -> JSONValue? {
        var value = document.root
        for step in path {
            let child: JSONValue? =
                switch step {
                case .key(let key): try? value.members().last { $0.key == key }?.value
                case .index(let index): (try? value.array()).flatMap { $0.indices.contains(index) ? $0[index] : nil }
                }
            guard let child else { return nil }
            value = child
        }
        return value
    }

    // MARK: - Changing

    mutating func replace(_ path: [Step], with bytes: [UInt8]) {
        guard let range = value(at: path).map(span) else { preconditionFailure("there is nothing at this path") }
        splice(range, bytes)
    }

    mutating func append(_ key: String, _ value: JSONTree, to path: [Step]) {
        append(to: path) { JSONTree.member(key, value, $0) }
    }

    mutating func append(_ element: JSONTree, to path: [Step]) {
        append(to: path) { element.bytes($0) }
    }

    /// Removes a child, and every container around it that was added with it and is empty now. Returns false if nothing is left of
    /// the text.
    mutating func remove(_ path: [Step]) -> Bool {
        guard let last = path.last else { return false }
        let parentPath = Array(path.dropLast())
        guard let parent = value(at: parentPath) else { preconditionFailure("there is nothing at this path") }
        let children = self.children(of: parent)
        let place: Int? =
            switch last {
            case .index(let index): index
            case .key(let key): try? parent.members().lastIndex { $0.key == key }
            }
        guard let place, children.indices.contains(place) else { preconditionFailure("there is nothing at this path") }
        let child = children[place]
        if place > 0 {
            splice(children[place - 1].upperBound..<child.upperBound, [])
        } else if children.count > 1 {
            splice(child.lowerBound..<children[1].lowerBound, [])
        } else {
            guard let space = spaceBefore(removing: child, from: parent) else { return remove(parentPath) }
            let range = span(of: parent)
            splice(range.lowerBound + 1..<range.upperBound - 1, space)
        }
        return true
    }

    // MARK: - Layout

    private mutating func append(to path: [Step], _ render: (JSONTree.Layout) -> [UInt8]) {
        guard let container = value(at: path) else { preconditionFailure("there is nothing at this path") }
        let range = span(of: container)
        let children = self.children(of: container)
        guard let first = children.first, let last = children.last else {
            return appendFirst(to: range, isAddition: isNew && path.isEmpty, render)
        }
        let lead = Array(bytes[range.lowerBound + 1..<first.lowerBound])
        var layout = JSONTree.Layout(lineBreak: nil, indentation: indentation, space: space)
        guard lead.contains(10) else {
            var separator = space
            if children.count > 1 {
                separator = Array(
                    bytes[children[children.count - 2].upperBound..<last.lowerBound].drop { $0 != 44 }.dropFirst())
            }
            return splice(last.upperBound..<last.upperBound, [44] + separator + render(layout))
        }
        layout.lineBreak = lineBreak + lineIndentation(at: last.lowerBound)
        splice(last.upperBound..<last.upperBound, [44] + (layout.lineBreak ?? []) + render(layout))
    }

    private mutating func appendFirst(to range: Range<Int>, isAddition: Bool, _ render: (JSONTree.Layout) -> [UInt8]) {
        let space = Array(bytes[range.lowerBound + 1..<range.upperBound - 1])
        let close = lineBreak + lineIndentation(at: range.lowerBound)
        let layout = JSONTree.Layout(lineBreak: close + indentation, indentation: indentation, space: self.space)
        let replacement: [UInt8]
        if isInOneLine {
            let layout = JSONTree.Layout(lineBreak: nil, indentation: indentation, space: self.space)
            replacement = [32] + render(layout) + space
        } else {
            let blankLines = isAddition ? [] : space == close ? lineBreak + lineBreak : lineBreak
            replacement = blankLines + close + indentation + render(layout) + (space.isEmpty ? close : space)
        }
        splice(range.lowerBound + 1..<range.upperBound - 1, replacement)
    }

    /// The content of a container before its only child was added; nil if the container was added with it.
    private func spaceBefore(removing child: Range<Int>, from container: JSONValue) -> [UInt8]? {
        let range = span(of: container)
        let lead = bytes[range.lowerBound + 1..<child.lowerBound]
        let tail = Array(bytes[child.upperBound..<range.upperBound - 1])
        let isTailOurs = tail == lineBreak + lineIndentation(at: range.lowerBound)
        switch lead.count(where: { $0 == 10 }) {
        case 0: return lead.isEmpty ? nil : tail
        case 1: return nil
        case 2: return isTailOurs ? [] : tail
        default: return tail
        }
    }

    private var lineBreak: [UInt8] {
        guard let place = bytes.firstIndex(of: 10), place > 0, bytes[place - 1] == 13 else { return [10] }
        return [13, 10]
    }

    /// True if the text is on one line and not empty; such a text stays on one line.
    private var isInOneLine: Bool {
        let range = span(of: root)
        return !bytes[range].contains(10) && !children(of: root).isEmpty
    }

    /// Indentation of one level, taken from the first member.
    private var indentation: [UInt8] {
        guard let first = children(of: root).first, bytes[span(of: root).lowerBound..<first.lowerBound].contains(10) else {
            return [32, 32]
        }
        let indentation = lineIndentation(at: first.lowerBound)
        return indentation.isEmpty ? [32, 32] : indentation
    }

    private var space: [UInt8] {
        guard let member = try? root.members().first else { return [32] }
        let start = span(of: member.value).lowerBound
        return bytes[start - 1] == UInt8(ascii: ":") ? [] : [32]
    }

    /// The whitespace at the beginning of the line that contains this byte.
    private func lineIndentation(at place: Int) -> [UInt8] {
        let start = bytes[..<place].lastIndex(of: 10).map { $0 + 1 } ?? 0
        return Array(bytes[start..<place].prefix { $0 == 32 || $0 == 9 })
    }

    /// The ranges of the children; a member begins with its key.
    private func children(of container: JSONValue) -> [Range<Int>] {
        if let elements = try? container.array() { return elements.map(span) }
        var start = span(of: container).lowerBound + 1
        return ((try? container.members()) ?? []).map { member in
            // Between two members are space and one comma, then the quote of the key.
            while bytes[start] != UInt8(ascii: "\"") { start += 1 }
            let range = start..<span(of: member.value).upperBound
            start = range.upperBound
            return range
        }
    }

    private func span(of value: JSONValue) -> Range<Int> {
        value.bytes.startIndex + markBytes..<value.bytes.endIndex + markBytes
    }

    private mutating func splice(_ range: Range<Int>, _ replacement: [UInt8]) {
        var changed = bytes
        changed.replaceSubrange(range, with: replacement)
        do {
            self = try JSONText(bytes: changed, isNew: isNew)
        } catch {
            preconditionFailure("a splice broke the JSON: \(error)")
        }
    }
}

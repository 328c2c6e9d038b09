/// Finds identifiers by a unique prefix, as people type them.
package enum ShortNames {
    package enum Match<Element> {
        case none
        case one(Element)
        case several([Element])
    }

    /// Shortest prefix that is shown; shorter ones are hard to distinguish at a glance.
    package static let lengthMin = 6

    /// Shortest prefix for a name. A word with which all of a kind begin, `claude-` or `toolu_`, distinguishes nothing and is not
    /// counted.
    private static func lengthMin(_ name: String) -> Int {
        guard let mark = name.firstIndex(where: { $0 == "-" || $0 == "_" }), name[..<mark].allSatisfy(\.isLetter) else {
            return lengthMin
        }
        return name.distance(from: name.startIndex, to: mark) + 1 + lengthMin
    }

    package static func shortest(of name: String) -> String { String(name.prefix(lengthMin(name))) }

    /// The shortest prefixes of at least `lengthMin` characters that distinguish these identifiers.
    package static func shortest(of names: some Sequence<String>) -> [String: String] {
        let sorted = Set(names).sorted()
        var result: [String: String] = [:]
        for (index, name) in sorted.enumerated() {
            var length = lengthMin(name)
            if index > 0 { length = max(length, commonLength(sorted[index - 1], name) + 1) }
            if index + 1 < sorted.count { length = max(length, commonLength(sorted[index + 1], name) + 1) }
            result[name] = String(name.prefix(length))
        }
        return result
    }

    /// Finds an element by its name or a prefix. A whole name takes precedence over longer names that begin with it.
    package static func match<Element>(
        _ text: String, among elements: some Sequence<Element>, by name: (Element) -> String
    ) -> Match<Element> {
        guard !text.isEmpty else { return .none }
        let begun = elements.filter { name($0).hasPrefix(text) }
        let whole = begun.filter { name($0) == text }
        switch (whole.count, begun.count) {
        case (1, _): return .one(whole[0])
        case (0, 1): return .one(begun[0])
        case (0, 0): return .none
        default: return .several(whole.isEmpty ? begun : whole)
        }
    }

    private static func commonLength(_ left: String, _ right: String) -> Int {
        zip(left, right).prefix { $0 == $1 }.count
    }
}

/// A place in a `JSONDocument`, read with typed errors that name it.
package struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    private var node: JSONNode { document.nodes[index] }

    /// Whole numbers beyond this cannot be told apart by a JavaScript client.
    package static let integerMax: Int64 = 1 << 53 - 1

    package var path: String { document.path(to: index) }

    /// The bytes of this value exactly as they came.
    package var bytes: ArraySlice<UInt8> { document.bytes[node.start..<node.end] }

    package var isObject: Bool { node.kind == .object }
    package var isNull: Bool { node.kind == .null }

    // MARK: - This value as something

    package func object() throws(WireError) -> JSONValue {
        guard node.kind == .object else { throw wrongType("an object") }
        return self
    }

    package func string() throws(WireError) -> String {
        guard node.kind == .string else { throw wrongType("a string") }
        return document.text(of: index)
    }

    package func bool() throws(WireError) -> Bool {
        switch node.kind {
        case .true: return true
        case .false: return false
        default: throw wrongType("true or false")
        }
    }

    /// A whole number written as one: `1.0` and `1e2` are refused.
    package func integer(in range: ClosedRange<Int64> = -integerMax...integerMax) throws(WireError) -> Int64 {
        guard node.kind == .number else { throw wrongType("a number") }
        var digits = bytes
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        var value: Int64 = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw wrongType("a whole number") }
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            if overflowed || carried { throw outOfRange(range) }
            value = sum
        }
        if isNegative { value = -value }
        guard range.contains(value) else { throw outOfRange(range) }
        return value
    }

    /// Any JSON number as a double; agents write money and percentages so.
    package func number() throws(WireError) -> Double {
        guard node.kind == .number, let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
            throw wrongType("a number")
        }
        return value
    }

    package func array() throws(WireError) -> [JSONValue] {
        guard node.kind == .array else { throw wrongType("an array") }
        var elements: [JSONValue] = []
        elements.reserveCapacity(node.count)
        var child = index + 1
        while child < node.next {
            elements.append(JSONValue(document: document, index: child))
            child = document.nodes[child].next
        }
        return elements
    }

    /// The members of an object in the order they stand.
    package func members() throws(WireError) -> [(key: String, value: JSONValue)] {
        guard node.kind == .object else { throw wrongType("an object") }
        var members: [(key: String, value: JSONValue)] = []
        members.reserveCapacity(node.count)
        var child = index + 1
        while child < node.next {
            members.append((document.text(of: child), JSONValue(document: document, index: child + 1)))
            child = document.nodes[child + 1].next
        }
        return members
    }

    // MARK: - Members

    /// The member, or nil where it is absent or null.
    package func optional(_ key: StaticString) -> JSONValue? {
        guard node.kind == .object else { return nil }
        var child = index + 1
        while child < node.next {
            if document.isText(of: child, equalTo: key) {
                let value = JSONValue(document: document, index: child + 1)
                return value.isNull ? nil : value
            }
            child = document.nodes[child + 1].next
        }
        return nil
    }

    package func required(_ key: StaticString) throws(WireError) -> JSONValue {
        guard node.kind == .object else { throw wrongType("an object") }
        guard let value = optional(key) else {
            throw WireError(.missingField, at: "\(path).\(key)", "the field is missing")
        }
        return value
    }

    package func string(_ key: StaticString, bytesMax: Int = .max) throws(WireError) -> String {
        try required(key).text(bytesMax: bytesMax)
    }

    package func optionalString(_ key: StaticString, bytesMax: Int = .max) throws(WireError) -> String? {
        guard let value = optional(key) else { return nil }
        return try value.text(bytesMax: bytesMax)
    }

    package func integer(
        _ key: StaticString, in range: ClosedRange<Int64> = 0...integerMax
    ) throws(WireError) -> Int64 {
        try required(key).integer(in: range)
    }

    package func optionalInteger(
        _ key: StaticString, in range: ClosedRange<Int64> = 0...integerMax
    ) throws(WireError) -> Int64? {
        guard let value = optional(key) else { return nil }
        return try value.integer(in: range)
    }

    /// Absent means false.
    package func flag(_ key: StaticString) throws(WireError) -> Bool {
        guard let value = optional(key) else { return false }
        return try value.bool()
    }

    package func identifier<Tag>(_ key: StaticString) throws(WireError) -> Identifier<Tag> {
        try required(key).identifier()
    }

    package func optionalIdentifier<Tag>(_ key: StaticString) throws(WireError) -> Identifier<Tag>? {
        guard let value = optional(key) else { return nil }
        return try value.identifier()
    }

    package func identifier<Tag>() throws(WireError) -> Identifier<Tag> {
        guard let identifier = Identifier<Tag>(try string()) else {
            throw WireError(.badValue, at: path, "an identifier has 1 to 64 of A-Z a-z 0-9 _ -")
        }
        return identifier
    }

    /// One of a closed set of words.
    package func word<Word: RawRepresentable & CaseIterable>(
        _ key: StaticString, _: Word.Type = Word.self
    ) throws(WireError) -> Word where Word.RawValue == String {
        let value = try required(key)
        guard let word = Word(rawValue: try value.string()) else {
            let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw WireError(.badValue, at: value.path, "this is none of: \(words)")
        }
        return word
    }

    package func array(_ key: StaticString, countMax: Int = .max) throws(WireError) -> [JSONValue] {
        let value = try required(key)
        if value.node.kind == .array, value.node.count > countMax {
            throw WireError(.outOfRange, at: value.path, "more than \(countMax) entries")
        }
        return try value.array()
    }

    func text(bytesMax: Int) throws(WireError) -> String {
        // The text itself is measured, not its spelling: what is accepted here is written again with other escapes, and must
        // then be accepted once more.
        let text = try string()
        guard text.utf8.count <= bytesMax else { throw WireError(.outOfRange, at: path, "longer than \(bytesMax) bytes") }
        return text
    }

    package func wrongType(_ wanted: String) -> WireError { WireError(.wrongType, at: path, "this must be \(wanted)") }

    private func outOfRange(_ range: ClosedRange<Int64>) -> WireError {
        WireError(.outOfRange, at: path, "this must lie between \(range.lowerBound) and \(range.upperBound)")
    }
}

/// A value in a `JSONDocument`, read with typed errors that contain its path.
package struct JSONValue: Sendable {
    let document: JSONDocument
    let index: Int

    private var node: JSONNode { document.nodes[index] }

    /// The largest integer that a JavaScript client represents exactly.
    package static let integerMax: Int64 = 1 << 53 - 1

    package var path: String { document.path(to: index) }

    /// The bytes of this value exactly as they came.
    package var bytes: ArraySlice<UInt8> { document.bytes[node.start..<node.end] }

    package var isObject: Bool { node.kind == .object }
    package var isArray: Bool { node.kind == .array }
    package var isString: Bool { node.kind == .string }
    package var isNull: Bool { node.kind == .null }

    /// True if more than `max` containers are nested, this value included.
    package func isDeeper(than max: Int) -> Bool { document.isDeeper(index, than: max) }

    // MARK: - This value as something

    package func object() throws(WireError) -> JSONValue {
        try document.requireObject(at: index)
        return self
    }

    package func string() throws(WireError) -> String { try document.string(at: index) }

    package func string(bytesMax: Int) throws(WireError) -> String { try document.string(at: index, bytesMax: bytesMax) }

    package func bool() throws(WireError) -> Bool { try document.bool(at: index) }

    /// An integer written as one: `1.0` and `1e2` are refused.
    package func integer(in range: ClosedRange<Int64> = -integerMax...integerMax) throws(WireError) -> Int64 {
        try document.integer(at: index, in: range)
    }

    /// Any JSON number as a double: agents write money and percentages with fractions.
    package func number() throws(WireError) -> Double {
        guard node.kind == .number, let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else {
            throw wrongType("a number")
        }
        return value
    }

    package func array() throws(WireError) -> [JSONValue] {
        guard node.kind == .array else { throw wrongType("an array") }
        return Array(JSONElements(of: self))
    }

    package func members() throws(WireError) -> [(key: String, value: JSONValue)] {
        try document.requireObject(at: index)
        var members: [(key: String, value: JSONValue)] = []
        members.reserveCapacity(node.count)
        var child = index + 1
        while child < node.next {
            members.append((document.text(of: child), JSONValue(document: document, index: child + 1)))
            child = document.nodes[child + 1].next
        }
        return members
    }

    /// The names of an object's members, in their order: for callers that need the bytes of a name.
    package func names() throws(WireError) -> [JSONValue] {
        try document.requireObject(at: index)
        var names: [JSONValue] = []
        names.reserveCapacity(node.count)
        var child = index + 1
        while child < node.next {
            names.append(JSONValue(document: document, index: child))
            child = document.nodes[child + 1].next
        }
        return names
    }

    // MARK: - Members

    /// The member, or nil if it is absent or null.
    package func optional(_ key: StaticString) -> JSONValue? {
        guard let member = document.member(key, of: index) else { return nil }
        return JSONValue(document: document, index: member)
    }

    package func object(_ key: StaticString) throws(WireError) -> JSONValue {
        let member = try document.requiredMember(key, of: index)
        try document.requireObject(at: member)
        return JSONValue(document: document, index: member)
    }

    /// Throws if the member is present and not an object.
    func checkOptionalObject(_ key: StaticString) throws(WireError) {
        if let member = document.member(key, of: index) { try document.requireObject(at: member) }
    }

    package func required(_ key: StaticString) throws(WireError) -> JSONValue {
        JSONValue(document: document, index: try document.requiredMember(key, of: index))
    }

    package func string(_ key: StaticString, bytesMax: Int = .max) throws(WireError) -> String {
        try document.string(at: document.requiredMember(key, of: index), bytesMax: bytesMax)
    }

    package func optionalString(_ key: StaticString, bytesMax: Int = .max) throws(WireError) -> String? {
        guard let member = document.member(key, of: index) else { return nil }
        return try document.string(at: member, bytesMax: bytesMax)
    }

    package func integer(
        _ key: StaticString, in range: ClosedRange<Int64> = 0...integerMax
    ) throws(WireError) -> Int64 {
        try document.integer(at: document.requiredMember(key, of: index), in: range)
    }

    package func optionalInteger(
        _ key: StaticString, in range: ClosedRange<Int64> = 0...integerMax
    ) throws(WireError) -> Int64? {
        guard let member = document.member(key, of: index) else { return nil }
        return try document.integer(at: member, in: range)
    }

    /// Absent means false.
    package func flag(_ key: StaticString) throws(WireError) -> Bool {
        guard let member = document.member(key, of: index) else { return false }
        return try document.bool(at: member)
    }

    package func identifier<Tag>(_ key: StaticString) throws(WireError) -> Identifier<Tag> {
        try document.identifier(at: document.requiredMember(key, of: index))
    }

    package func optionalIdentifier<Tag>(_ key: StaticString) throws(WireError) -> Identifier<Tag>? {
        guard let member = document.member(key, of: index) else { return nil }
        return try document.identifier(at: member)
    }

    package func identifier<Tag>() throws(WireError) -> Identifier<Tag> { try document.identifier(at: index) }

    /// True if the member is exactly this text; false if there is none.
    func says(_ text: StaticString, _ key: StaticString) -> Bool {
        guard let member = document.member(key, of: index), document.nodes[member].kind == .string else { return false }
        return document.isText(of: member, equalTo: text)
    }

    /// Range of the member's text in the document's bytes; nil if there is no text, or one with escapes.
    func plainText(_ key: StaticString) -> Range<Int>? {
        guard let member = document.member(key, of: index) else { return nil }
        let node = document.nodes[member]
        return node.kind == .string && !node.isEscaped ? node.start + 1..<node.end - 1 : nil
    }

    /// A member whose text must be one of a closed set of words.
    package func word<Words: RawRepresentable & CaseIterable>(
        _ key: StaticString, _: Words.Type = Words.self
    ) throws(WireError) -> Words where Words.RawValue == String {
        try required(key).word()
    }

    package func word<Words: RawRepresentable & CaseIterable>(_: Words.Type = Words.self) throws(WireError) -> Words
    where Words.RawValue == String {
        guard let word = Words(rawValue: try string()) else {
            let words = Words.allCases.map(\.rawValue).joined(separator: ", ")
            throw WireError(.badValue, at: path, "this is none of: \(words)")
        }
        return word
    }

    package func array(_ key: StaticString, countMax: Int = .max) throws(WireError) -> [JSONValue] {
        Array(try elements(key, countMax: countMax))
    }

    /// The elements of an array member, read one after the other without copies.
    func elements(_ key: StaticString, countMax: Int = .max) throws(WireError) -> JSONElements {
        let value = try required(key)
        guard value.node.kind == .array else { throw value.wrongType("an array") }
        guard value.node.count <= countMax else {
            throw WireError(.outOfRange, at: value.path, "more than \(countMax) entries")
        }
        return JSONElements(of: value)
    }

    package func wrongType(_ wanted: String) -> WireError { document.wrongType(index, wanted) }
}

/// Iterates over the elements of an array in place.
struct JSONElements: Sequence, IteratorProtocol {
    private let document: JSONDocument
    private var child: Int
    private let end: Int
    let underestimatedCount: Int

    /// `array` must be a JSON array.
    fileprivate init(of array: JSONValue) {
        document = array.document
        let node = document.nodes[array.index]
        child = array.index + 1
        end = node.next
        underestimatedCount = node.count
    }

    mutating func next() -> JSONValue? {
        guard child < end else { return nil }
        defer { child = document.nodes[child].next }
        return JSONValue(document: document, index: child)
    }
}

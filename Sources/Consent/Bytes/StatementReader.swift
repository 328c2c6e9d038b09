internal import RelayProtocol

/// Reads what `StatementWriter` wrote, and nothing else; errors name the faulty part.
struct StatementReader {
    private let name: String
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8], of name: String) {
        self.name = name
        rest = bytes[...]
    }

    mutating func domain(_ domain: StaticString) throws(ConsentError) {
        let prefix = StatementWriter.prefix(domain)
        guard rest.starts(with: prefix) else {
            throw ConsentError(.badDomain, at: name, "this does not begin as a \(domain)")
        }
        rest = rest.dropFirst(prefix.count)
    }

    mutating func part(_ part: String, countMax: Int) throws(ConsentError) -> [UInt8] {
        let count = try UInt32(truncatingIfNeeded: number(part, bytes: 4))
        guard count <= countMax else {
            throw ConsentError(.badLength, at: place(part), "longer than \(countMax) bytes")
        }
        return try bytes(part, Int(count))
    }

    mutating func fixed<Form>(_ part: String) throws(ConsentError) -> FixedBytes<Form> {
        let bytes = try self.part(part, countMax: Form.count)
        guard bytes.count == Form.count else {
            throw ConsentError(.badLength, at: place(part), "this has \(Form.count) bytes, not \(bytes.count)")
        }
        guard let value = FixedBytes<Form>(bytes) else {
            throw ConsentError(.badPoint, at: place(part), "this is not the uncompressed form of a point")
        }
        return value
    }

    /// Nil if the part is empty.
    mutating func fixedIfAny<Form>(_ part: String) throws(ConsentError) -> FixedBytes<Form>? {
        guard rest.prefix(4).elementsEqual([0, 0, 0, 0]) else { return try fixed(part) }
        rest = rest.dropFirst(4)
        return nil
    }

    /// A name that people read: at least one character, no control character, one line.
    mutating func name(_ part: String) throws(ConsentError) -> String {
        let bytes = try self.part(part, countMax: WireLimits.nameBytesMax)
        guard let text = String(validating: bytes, as: UTF8.self), ConsentName.isSpelled(text) else {
            throw ConsentError(.badText, at: place(part), "a name is one line of UTF-8 without control characters")
        }
        return text
    }

    /// A count, which every client can hold.
    mutating func count(_ part: String) throws(ConsentError) -> Int64 {
        let number = try number(part, bytes: 8)
        guard number <= UInt64(JSONValue.integerMax) else {
            throw ConsentError(.badValue, at: place(part), "more than \(JSONValue.integerMax)")
        }
        return Int64(number)
    }

    var isAtEnd: Bool { rest.isEmpty }

    func end() throws(ConsentError) {
        guard rest.isEmpty else { throw ConsentError(.badLength, at: name, "\(rest.count) bytes after its end") }
    }

    func place(_ part: String) -> String { "\(name).\(part)" }

    private mutating func number(_ part: String, bytes count: Int) throws(ConsentError) -> UInt64 {
        try bytes(part, count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func bytes(_ part: String, _ count: Int) throws(ConsentError) -> [UInt8] {
        guard rest.count >= count else { throw ConsentError(.badLength, at: place(part), "the bytes end before it does") }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}

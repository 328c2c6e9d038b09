/// One strictly parsed JSON text: the bytes, and a tape of where each value begins and ends.
///
/// Strict means RFC 8259 in strict UTF-8 and nothing else: no byte-order mark, no trailing comma, no duplicate key (also not
/// in an escaped spelling), no lone surrogate, no nesting beyond `depthMax`. Parsers that differ on such input have let an
/// attacker show one thing and do another, so it never gets past this type. Values are read on demand and their bytes can be
/// carried on without being encoded again.
package final class JSONDocument: Sendable {
    /// Nesting of containers: an event of the greatest depth can be read inside every message that carries it.
    package static let depthMax = WireLimits.eventDepthMax + WireLimits.envelopeDepthMax
    /// Largest size that the tape can index. Every input has its own limit, far below this.
    static let bytesMax = Int(Int32.max)

    package let bytes: [UInt8]
    let nodes: JSONTape
    /// Greatest number of nested containers.
    private let depth: Int

    /// Parses strictly.
    /// - isUTF8: The caller has checked that the bytes are UTF-8, as a WebSocket does with each text.
    /// - takesDoubledKeys: Accepts duplicate keys. Only for a person's file that is edited in place, and whose own program accepts
    ///   them; `members()` returns them all.
    package init(parsing bytes: [UInt8], isUTF8: Bool = false, takesDoubledKeys: Bool = false) throws(WireError) {
        var parser = JSONParser(byteCount: bytes.count, takesDoubledKeys: takesDoubledKeys)
        try parser.parse(bytes.span, isUTF8: isUTF8)
        self.bytes = bytes
        depth = parser.deepest
        nodes = parser.finish()
    }

    package convenience init(parsing text: String) throws(WireError) {
        try self.init(parsing: Array(text.utf8))
    }

    package var root: JSONValue { JSONValue(document: self, index: 0) }

    /// The path of a node, such as `$.events[3].kind`; computed only if an error is described.
    func path(to target: Int) -> String {
        var path = "$"
        var current = 0
        while current != target {
            let node = nodes[current]
            var child = current + 1
            var position = 0
            while child < node.next {
                let isObject = node.kind == .object
                let value = isObject ? child + 1 : child
                if target < nodes[value].next {
                    path += isObject ? "." + text(of: child) : "[\(position)]"
                    current = value
                    if target < value { return path }
                    break
                }
                child = nodes[value].next
                position += 1
            }
            if child >= node.next { return path }
        }
        return path
    }

    /// True if more than `max` containers are nested in a value, itself included. Hardly any document is that deep, and then no
    /// node is visited.
    func isDeeper(_ index: Int, than max: Int) -> Bool {
        guard depth > max else { return false }
        var ends: [Int] = []
        for place in index..<nodes[index].next where nodes[place].kind == .object || nodes[place].kind == .array {
            while let end = ends.last, end <= place { ends.removeLast() }
            ends.append(nodes[place].next)
            if ends.count > max { return true }
        }
        return false
    }

    func text(of index: Int) -> String {
        let node = nodes[index]
        let raw = bytes[node.start + 1..<node.end - 1]
        if !node.isEscaped { return String(decoding: raw, as: UTF8.self) }
        return String(decoding: JSONString.unescape(raw), as: UTF8.self)
    }

    /// Compares a string node byte by byte: Swift's own `==` would also accept a canonical equivalent.
    func isText(of index: Int, equalTo other: StaticString) -> Bool {
        let node = nodes[index]
        let buffer = unsafe UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        if node.isEscaped { return unsafe JSONString.unescape(bytes[node.start + 1..<node.end - 1]).elementsEqual(buffer) }
        guard node.length - 2 == buffer.count else { return false }
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            // Safe: each node is a part of the bytes, and one of this length has as many bytes between its quotes.
            let text = unsafe UnsafeBufferPointer(rebasing: bytes[node.start + 1..<node.end - 1])
            for offset in 0..<buffer.count where unsafe text[offset] != buffer[offset] { return false }
            return true
        }
    }
}

/// Access to values by their index on the tape: a `JSONValue` for each field that is read would cost reference counting.
extension JSONDocument {
    /// Index of an object's member; nil if it is absent or null.
    func member(_ key: StaticString, of object: Int) -> Int? {
        let container = nodes[object]
        guard container.kind == .object else { return nil }
        let end = container.next
        // Length of the key with its quotes.
        let length = key.utf8CodeUnitCount + 2
        var child = object + 1
        while child < end {
            let node = nodes[child]
            if node.length == length || node.isEscaped, isText(of: child, equalTo: key) {
                return nodes[child + 1].kind == .null ? nil : child + 1
            }
            child = nodes[child + 1].next
        }
        return nil
    }

    func requiredMember(_ key: StaticString, of object: Int) throws(WireError) -> Int {
        try requireObject(at: object)
        guard let member = member(key, of: object) else {
            throw WireError(.missingField, at: object, then: ".\(key)", of: self, "the field is missing")
        }
        return member
    }

    func requireObject(at index: Int) throws(WireError) {
        guard nodes[index].kind == .object else { throw wrongType(index, "an object") }
    }

    func string(at index: Int) throws(WireError) -> String {
        guard nodes[index].kind == .string else { throw wrongType(index, "a string") }
        return text(of: index)
    }

    func string(at index: Int, bytesMax: Int) throws(WireError) -> String {
        // The limit is for the decoded text, not its spelling: what is accepted here is written again with other escapes, and must
        // then be accepted once more.
        let text = try string(at: index)
        guard text.utf8.count <= bytesMax else {
            throw WireError(.outOfRange, at: index, of: self, "longer than \(bytesMax) bytes")
        }
        return text
    }

    func bool(at index: Int) throws(WireError) -> Bool {
        switch nodes[index].kind {
        case .true: return true
        case .false: return false
        default: throw wrongType(index, "true or false")
        }
    }

    func integer(at index: Int, in range: ClosedRange<Int64>) throws(WireError) -> Int64 {
        let node = nodes[index]
        guard node.kind == .number else { throw wrongType(index, "a number") }
        let isNegative = bytes[node.start] == UInt8(ascii: "-")
        var value: Int64 = 0
        for place in node.start + (isNegative ? 1 : 0)..<node.end {
            let byte = bytes[place]
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw wrongType(index, "a whole number") }
            let (product, overflowed) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
            if overflowed || carried { throw outOfRange(index, range) }
            value = sum
        }
        if isNegative { value = -value }
        guard range.contains(value) else { throw outOfRange(index, range) }
        return value
    }

    func identifier<Tag>(at index: Int) throws(WireError) -> Identifier<Tag> {
        guard let identifier = Identifier<Tag>(try string(at: index)) else {
            throw WireError(.badValue, at: index, of: self, "an identifier has 1 to 64 of A-Z a-z 0-9 _ -")
        }
        return identifier
    }

    func wrongType(_ index: Int, _ wanted: String) -> WireError {
        WireError(.wrongType, at: index, of: self, "this must be \(wanted)")
    }

    private func outOfRange(_ index: Int, _ range: ClosedRange<Int64>) -> WireError {
        WireError(.outOfRange, at: index, of: self, "this must lie between \(range.lowerBound) and \(range.upperBound)")
    }
}

/// One value on the tape. A container is followed by its children; an object's children are key, value, key, value.
///
/// Offsets have 32 bits to halve the size, as a message has a node for every dozen bytes; see `JSONDocument.bytesMax`.
struct JSONNode: Sendable {
    enum Kind: UInt8 { case object, array, string, number, `true`, `false`, null }

    let kind: Kind
    /// The string contains an escape, and has to be decoded before it is compared or read.
    let isEscaped: Bool
    private let first: UInt32
    private var last: UInt32
    private var following: UInt32
    private var children: UInt32 = 0

    init(kind: Kind, isEscaped: Bool = false, start: Int, end: Int, next: Int) {
        self.kind = kind
        self.isEscaped = isEscaped
        first = UInt32(start)
        last = UInt32(end)
        following = UInt32(next)
    }

    /// Index of the first byte, and below it of the byte after the last; quotes and brackets are included.
    var start: Int { Int(first) }
    var end: Int {
        get { Int(last) }
        set { last = UInt32(newValue) }
    }
    /// Bytes of the value.
    var length: Int { Int(last - first) }
    /// The tape index after this value and its children.
    var next: Int {
        get { Int(following) }
        set { following = UInt32(newValue) }
    }
    /// Number of an array's elements or an object's members.
    var count: Int {
        get { Int(children) }
        set { children = UInt32(newValue) }
    }
}

/// One strictly parsed JSON text: the bytes, and a tape of where each value begins and ends.
///
/// Strict means RFC 8259 in strict UTF-8 and nothing else: no byte-order mark, no trailing comma, no duplicate key (also not
/// in an escaped spelling), no lone surrogate, no nesting beyond `depthMax`. Parsers that differ on such input have let an
/// attacker show one thing and do another, so it never gets past this type. Values are read on demand and their bytes can be
/// carried on without being encoded again.
package struct JSONDocument: Sendable {
    /// Containers inside containers; our own messages need six, an agent's tool input seldom more than ten.
    package static let depthMax = 32

    package let bytes: [UInt8]
    let nodes: [JSONNode]

    package init(parsing bytes: [UInt8]) throws(WireError) {
        var parser = JSONParser(bytes: bytes)
        try parser.parse()
        self.bytes = bytes
        self.nodes = parser.nodes
    }

    package init(parsing text: String) throws(WireError) {
        try self.init(parsing: Array(text.utf8))
    }

    package var root: JSONValue { JSONValue(document: self, index: 0) }

    /// Where a node stands, as a path like `$.events[3].kind`; computed only when an error needs it.
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

    /// The decoded text of a string node.
    func text(of index: Int) -> String {
        let node = nodes[index]
        let raw = bytes[node.start + 1..<node.end - 1]
        if !node.isEscaped { return String(decoding: raw, as: UTF8.self) }
        return String(decoding: JSONString.unescape(raw), as: UTF8.self)
    }

    /// Whether a string node says exactly this, byte by byte: Swift's own `==` would also accept a canonical equivalent.
    func isText(of index: Int, equalTo other: StaticString) -> Bool {
        let node = nodes[index]
        let buffer = unsafe UnsafeBufferPointer(start: other.utf8Start, count: other.utf8CodeUnitCount)
        if node.isEscaped { return unsafe JSONString.unescape(bytes[node.start + 1..<node.end - 1]).elementsEqual(buffer) }
        guard node.end - node.start - 2 == buffer.count else { return false }
        for offset in 0..<buffer.count where unsafe bytes[node.start + 1 + offset] != buffer[offset] { return false }
        return true
    }
}

/// One value on the tape. A container is followed by its children; an object's children are key, value, key, value.
struct JSONNode: Sendable {
    enum Kind: UInt8 { case object, array, string, number, `true`, `false`, null }

    var kind: Kind
    /// A string that holds an escape has to be decoded before it is compared or read.
    var isEscaped = false
    /// First byte and the byte after the last, quotes and brackets included.
    var start: Int
    var end: Int
    /// The tape index after this value and all that is in it.
    var next: Int
    /// Elements of an array or members of an object.
    var count = 0
}

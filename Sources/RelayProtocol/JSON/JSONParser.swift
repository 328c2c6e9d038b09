/// The strict parser behind `JSONDocument`: one pass, no recursion, every error with its place.
struct JSONParser: ~Copyable {
    /// While a container is open, its `next` is the index of the enclosing container.
    private var nodes: JSONTape

    /// Greatest number of containers that were open at one time.
    private(set) var deepest = 0

    private var index = 0
    /// Index of the innermost open container; `none` outside of all.
    private var container = none
    private var depth = 0
    /// The keys of objects with many members, by the object's index on the tape.
    private var wideKeys: [Int: Set<[UInt8]>] = [:]
    /// Members of an object from which on its keys are kept in a set: comparing each with each would be quadratic.
    private static let keysComparedDirectlyMax = 12
    /// Stands for no container: the tape of the longest text has fewer nodes.
    private static let none = Int(Int32.max)

    private let takesDoubledKeys: Bool

    /// `byteCount`: bytes of the text.
    init(byteCount: Int, takesDoubledKeys: Bool) {
        nodes = JSONTape(byteCount: min(byteCount, JSONDocument.bytesMax))
        self.takesDoubledKeys = takesDoubledKeys
    }

    consuming func finish() -> JSONTape { nodes }

    mutating func parse(_ bytes: Span<UInt8>, isUTF8: Bool) throws(WireError) {
        guard bytes.count <= JSONDocument.bytesMax else {
            let most = JSONDocument.bytesMax
            throw WireError(.outOfRange, at: "byte \(most)", "a text has at most \(most) bytes")
        }
        try refuseByteOrderMark(bytes)
        if !isUTF8 { try validateUTF8(bytes) }
        skipSpace(bytes)
        try parseValue(bytes)
        while container != Self.none {
            skipSpace(bytes)
            if nodes[container].kind == .object {
                try parseNextMember(bytes)
            } else if try !closes(with: UInt8(ascii: "]"), bytes) {
                nodes[container].count += 1
                try parseValue(bytes)
            }
        }
        skipSpace(bytes)
        if index < bytes.count { throw refusal(.badJSON, "there is more after the value") }
    }

    // MARK: - Containers

    @inline(__always)
    private mutating func parseNextMember(_ bytes: Span<UInt8>) throws(WireError) {
        if try closes(with: UInt8(ascii: "}"), bytes) { return }
        guard current(bytes) == UInt8(ascii: "\"") else { throw refusal(.badJSON, "a key must be a string") }
        let key = nodes.count
        try parseString(bytes)
        if !takesDoubledKeys { try refuseDuplicate(key, bytes) }
        skipSpace(bytes)
        guard current(bytes) == UInt8(ascii: ":") else { throw refusal(.badJSON, "a colon is missing after the key") }
        index += 1
        skipSpace(bytes)
        nodes[container].count += 1
        try parseValue(bytes)
    }

    /// Consumes the closing bracket, or the comma that must be between two children.
    @inline(__always)
    private mutating func closes(with bracket: UInt8, _ bytes: Span<UInt8>) throws(WireError) -> Bool {
        guard let byte = current(bytes) else { throw refusal(.badJSON, "the text ends inside a container") }
        if byte == bracket {
            index += 1
            let outer = nodes[container].next
            nodes[container].end = index
            nodes[container].next = nodes.count
            container = outer
            depth -= 1
            return true
        }
        if nodes[container].count > 0 {
            guard byte == UInt8(ascii: ",") else { throw refusal(.badJSON, "a comma is missing") }
            index += 1
            skipSpace(bytes)
            if current(bytes) == bracket { throw refusal(.badJSON, "there is a comma before the closing bracket") }
        }
        return false
    }

    @inline(__always)
    private mutating func refuseDuplicate(_ key: Int, _ bytes: Span<UInt8>) throws(WireError) {
        guard nodes[container].count < Self.keysComparedDirectlyMax else { return try refuseDuplicateAmongMany(key, bytes) }
        let length = nodes[key].length
        var other = container + 1
        while other < key {
            if nodes[other].length == length || nodes[other].isEscaped || nodes[key].isEscaped, equalKeys(other, key, bytes) {
                throw duplicate(key, bytes)
            }
            other = nodes[other + 1].next
        }
    }

    @inline(never)
    private mutating func refuseDuplicateAmongMany(_ key: Int, _ bytes: Span<UInt8>) throws(WireError) {
        if nodes[container].count == Self.keysComparedDirectlyMax {
            var keys = Set<[UInt8]>()
            var other = container + 1
            while other < key {
                keys.insert(keyBytes(other, bytes))
                other = nodes[other + 1].next
            }
            wideKeys[container] = keys
        }
        let name = keyBytes(key, bytes)
        if wideKeys[container]?.insert(name).inserted == false { throw duplicate(key, bytes) }
    }

    private func equalKeys(_ left: Int, _ right: Int, _ bytes: Span<UInt8>) -> Bool {
        let (a, b) = (nodes[left], nodes[right])
        if !a.isEscaped && !b.isEscaped {
            guard a.length == b.length else { return false }
            for offset in 0..<b.length where bytes[a.start + offset] != bytes[b.start + offset] { return false }
            return true
        }
        return keyBytes(left, bytes) == keyBytes(right, bytes)
    }

    private func keyBytes(_ key: Int, _ bytes: Span<UInt8>) -> [UInt8] {
        let node = nodes[key]
        let raw = unsafe bytes.extracting(node.start + 1..<node.end - 1).withUnsafeBufferPointer { unsafe Array($0) }
        return node.isEscaped ? JSONString.unescape(raw[...]) : raw
    }

    private func duplicate(_ key: Int, _ bytes: Span<UInt8>) -> WireError {
        refusal(.duplicateKey, "the key \"\(String(decoding: keyBytes(key, bytes), as: UTF8.self))\" occurs twice")
    }

    // MARK: - Scalars

    @inline(__always)
    private func current(_ bytes: Span<UInt8>) -> UInt8? { index < bytes.count ? bytes[index] : nil }

    @inline(__always)
    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        // A fast path: JSON written by machines has no white space.
        while index < bytes.count, bytes[index] <= 0x20 {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func parseValue(_ bytes: Span<UInt8>) throws(WireError) {
        guard let byte = current(bytes) else { throw refusal(.badJSON, "a value is missing") }
        switch byte {
        case UInt8(ascii: "{"): try open(.object)
        case UInt8(ascii: "["): try open(.array)
        case UInt8(ascii: "\""): try parseString(bytes)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber(bytes)
        case UInt8(ascii: "t"): try parseWord("true", .true, bytes)
        case UInt8(ascii: "f"): try parseWord("false", .false, bytes)
        case UInt8(ascii: "n"): try parseWord("null", .null, bytes)
        default: throw refusal(.badJSON, "no value begins like this")
        }
    }

    private mutating func open(_ kind: JSONNode.Kind) throws(WireError) {
        guard depth < JSONDocument.depthMax else {
            throw refusal(.tooDeep, "nested deeper than \(JSONDocument.depthMax)")
        }
        depth += 1
        if depth > deepest { deepest = depth }
        let outer = container
        container = nodes.count
        nodes.append(JSONNode(kind: kind, start: index, end: index, next: outer))
        index += 1
    }

    private mutating func append(_ kind: JSONNode.Kind, from start: Int, isEscaped: Bool = false) {
        nodes.append(JSONNode(kind: kind, isEscaped: isEscaped, start: start, end: index, next: nodes.count + 1))
    }

    private mutating func parseWord(_ word: StaticString, _ kind: JSONNode.Kind, _ bytes: Span<UInt8>) throws(WireError) {
        let start = index
        for offset in 0..<word.utf8CodeUnitCount {
            guard unsafe current(bytes) == word.utf8Start[offset] else { throw refusal(.badJSON, "no value begins like this") }
            index += 1
        }
        append(kind, from: start)
    }

    private mutating func parseString(_ bytes: Span<UInt8>) throws(WireError) {
        let start = index
        var isEscaped = false
        index += 1
        while true {
            index = ByteScan.endOfPlain(in: bytes, from: index)
            switch current(bytes) {
            case UInt8(ascii: "\""):
                index += 1
                append(.string, from: start, isEscaped: isEscaped)
                return
            case UInt8(ascii: "\\"):
                isEscaped = true
                try parseEscape(bytes)
            case nil: throw refusal(.badJSON, "the text ends inside a string")
            default: throw refusal(.badJSON, "a string contains an unescaped control character")
            }
        }
    }

    private mutating func parseEscape(_ bytes: Span<UInt8>) throws(WireError) {
        index += 1
        switch current(bytes) {
        case UInt8(ascii: "u"):
            let high = try parseHexadecimal(bytes)
            if (0xDC00..<0xE000).contains(high) { throw refusal(.loneSurrogate, "a low surrogate has no partner") }
            guard (0xD800..<0xDC00).contains(high) else { return }
            guard current(bytes) == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u") else {
                throw refusal(.loneSurrogate, "a high surrogate has no partner")
            }
            index += 1
            guard (0xDC00..<0xE000).contains(try parseHexadecimal(bytes)) else {
                throw refusal(.loneSurrogate, "a high surrogate has no partner")
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        default: throw refusal(.badJSON, "no such escape")
        }
    }

    /// Reads `uXXXX` from the `u` on.
    private mutating func parseHexadecimal(_ bytes: Span<UInt8>) throws(WireError) -> UInt32 {
        index += 1
        guard index + 4 <= bytes.count else { throw refusal(.badJSON, "the text ends inside an escape") }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = JSONString.digit(bytes[index]) else { throw refusal(.badJSON, "no such escape") }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    private mutating func parseNumber(_ bytes: Span<UInt8>) throws(WireError) {
        let start = index
        if current(bytes) == UInt8(ascii: "-") { index += 1 }
        if current(bytes) == UInt8(ascii: "0") { index += 1 } else { try parseDigits(bytes) }
        if current(bytes) == UInt8(ascii: ".") {
            index += 1
            try parseDigits(bytes)
        }
        if current(bytes) == UInt8(ascii: "e") || current(bytes) == UInt8(ascii: "E") {
            index += 1
            if current(bytes) == UInt8(ascii: "+") || current(bytes) == UInt8(ascii: "-") { index += 1 }
            try parseDigits(bytes)
        }
        append(.number, from: start)
    }

    private mutating func parseDigits(_ bytes: Span<UInt8>) throws(WireError) {
        let start = index
        while let byte = current(bytes), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        if index == start { throw refusal(.badJSON, "a digit is missing") }
    }

    // MARK: - Refusals

    private func refuseByteOrderMark(_ bytes: Span<UInt8>) throws(WireError) {
        guard bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF else { return }
        throw WireError(.badJSON, at: "byte 0", "it begins with a byte-order mark")
    }

    private func validateUTF8(_ bytes: Span<UInt8>) throws(WireError) {
        if let place = UTF8Check.firstInvalidByte(in: bytes) {
            throw WireError(.badUTF8, at: "byte \(place)", "these bytes are not UTF-8")
        }
    }

    private func refusal(_ code: WireError.Code, _ message: String) -> WireError {
        WireError(code, at: "byte \(index)", message)
    }
}

/// The strict parser behind `JSONDocument`: one pass, no recursion, every refusal with its place.
struct JSONParser {
    let bytes: [UInt8]
    private(set) var nodes: [JSONNode] = []

    /// Containers that were open at one time.
    private(set) var deepest = 0

    private var index = 0
    private var open: [Int] = []
    /// The keys of objects that have many, by the object's place on the tape.
    private var wideKeys: [Int: Set<[UInt8]>] = [:]
    /// From this many members on, an object's keys are kept in a set: comparing each with each would be quadratic.
    private static let keysComparedDirectlyMax = 12

    init(bytes: [UInt8]) {
        self.bytes = bytes
        nodes.reserveCapacity(max(16, min(bytes.count, JSONDocument.bytesMax) / 12))
        open.reserveCapacity(JSONDocument.depthMax)
    }

    mutating func parse(isUTF8: Bool) throws(WireError) {
        guard bytes.count <= JSONDocument.bytesMax else {
            let most = JSONDocument.bytesMax
            throw WireError(.outOfRange, at: "byte \(most)", "a text has at most \(most) bytes")
        }
        try refuseByteOrderMark()
        if !isUTF8 { try validateUTF8() }
        skipSpace()
        try parseValue()
        while let container = open.last {
            skipSpace()
            if nodes[container].kind == .object {
                try parseNextMember(of: container)
            } else {
                try parseNextElement(of: container)
            }
        }
        skipSpace()
        if index < bytes.count { throw refusal(.badJSON, "there is more after the value") }
    }

    // MARK: - Containers

    private mutating func parseNextMember(of container: Int) throws(WireError) {
        if try closes(container, with: UInt8(ascii: "}")) { return }
        guard current == UInt8(ascii: "\"") else { throw refusal(.badJSON, "a key must be a string") }
        let key = nodes.count
        try parseString()
        try refuseDuplicate(key, in: container)
        skipSpace()
        guard current == UInt8(ascii: ":") else { throw refusal(.badJSON, "a colon is missing after the key") }
        index += 1
        skipSpace()
        nodes[container].count += 1
        try parseValue()
    }

    private mutating func parseNextElement(of container: Int) throws(WireError) {
        if try closes(container, with: UInt8(ascii: "]")) { return }
        nodes[container].count += 1
        try parseValue()
    }

    /// Consumes the closing bracket, or the comma that must be between two children.
    private mutating func closes(_ container: Int, with bracket: UInt8) throws(WireError) -> Bool {
        guard let byte = current else { throw refusal(.badJSON, "the text ends inside a container") }
        if byte == bracket {
            index += 1
            nodes[container].end = index
            nodes[container].next = nodes.count
            open.removeLast()
            return true
        }
        if nodes[container].count > 0 {
            guard byte == UInt8(ascii: ",") else { throw refusal(.badJSON, "a comma is missing") }
            index += 1
            skipSpace()
            if current == bracket { throw refusal(.badJSON, "there is a comma before the closing bracket") }
        }
        return false
    }

    private mutating func refuseDuplicate(_ key: Int, in container: Int) throws(WireError) {
        let count = nodes[container].count
        if count < Self.keysComparedDirectlyMax {
            var other = container + 1
            while other < key {
                if equalKeys(other, key) { throw duplicate(key) }
                other = nodes[other + 1].next
            }
            return
        }
        if count == Self.keysComparedDirectlyMax {
            var keys = Set<[UInt8]>()
            var other = container + 1
            while other < key {
                keys.insert(keyBytes(other))
                other = nodes[other + 1].next
            }
            wideKeys[container] = keys
        }
        let bytes = keyBytes(key)
        if wideKeys[container]?.insert(bytes).inserted == false { throw duplicate(key) }
    }

    private func equalKeys(_ left: Int, _ right: Int) -> Bool {
        let (a, b) = (nodes[left], nodes[right])
        if !a.isEscaped && !b.isEscaped {
            guard a.end - a.start == b.end - b.start else { return false }
            for offset in 0..<b.end - b.start where bytes[a.start + offset] != bytes[b.start + offset] { return false }
            return true
        }
        return keyBytes(left) == keyBytes(right)
    }

    private func keyBytes(_ key: Int) -> [UInt8] {
        let raw = bytes[nodes[key].start + 1..<nodes[key].end - 1]
        return nodes[key].isEscaped ? JSONString.unescape(raw) : Array(raw)
    }

    private func duplicate(_ key: Int) -> WireError {
        refusal(.duplicateKey, "the key \"\(String(decoding: keyBytes(key), as: UTF8.self))\" occurs twice")
    }

    // MARK: - Scalars

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    @inline(__always)
    private mutating func skipSpace() {
        // What writes JSON for machines writes none.
        while index < bytes.count, bytes[index] <= 0x20 {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func parseValue() throws(WireError) {
        guard let byte = current else { throw refusal(.badJSON, "a value is missing") }
        switch byte {
        case UInt8(ascii: "{"): try open(.object)
        case UInt8(ascii: "["): try open(.array)
        case UInt8(ascii: "\""): try parseString()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try parseNumber()
        case UInt8(ascii: "t"): try parseWord("true", .true)
        case UInt8(ascii: "f"): try parseWord("false", .false)
        case UInt8(ascii: "n"): try parseWord("null", .null)
        default: throw refusal(.badJSON, "no value begins like this")
        }
    }

    private mutating func open(_ kind: JSONNode.Kind) throws(WireError) {
        guard open.count < JSONDocument.depthMax else {
            throw refusal(.tooDeep, "nested deeper than \(JSONDocument.depthMax)")
        }
        open.append(nodes.count)
        if open.count > deepest { deepest = open.count }
        nodes.append(JSONNode(kind: kind, start: index, end: index, next: nodes.count + 1))
        index += 1
    }

    private mutating func append(_ kind: JSONNode.Kind, from start: Int, isEscaped: Bool = false) {
        nodes.append(JSONNode(kind: kind, isEscaped: isEscaped, start: start, end: index, next: nodes.count + 1))
    }

    private mutating func parseWord(_ word: StaticString, _ kind: JSONNode.Kind) throws(WireError) {
        let start = index
        for offset in 0..<word.utf8CodeUnitCount {
            guard unsafe current == word.utf8Start[offset] else { throw refusal(.badJSON, "no value begins like this") }
            index += 1
        }
        append(kind, from: start)
    }

    private mutating func parseString() throws(WireError) {
        let start = index
        var isEscaped = false
        index += 1
        while true {
            index = ByteScan.endOfPlain(in: bytes.span, from: index)
            switch current {
            case UInt8(ascii: "\""):
                index += 1
                append(.string, from: start, isEscaped: isEscaped)
                return
            case UInt8(ascii: "\\"):
                isEscaped = true
                try parseEscape()
            case nil: throw refusal(.badJSON, "the text ends inside a string")
            default: throw refusal(.badJSON, "a string contains an unescaped control character")
            }
        }
    }

    private mutating func parseEscape() throws(WireError) {
        index += 1
        switch current {
        case UInt8(ascii: "u"):
            let high = try parseHexadecimal()
            if (0xDC00..<0xE000).contains(high) { throw refusal(.loneSurrogate, "a low surrogate has no partner") }
            guard (0xD800..<0xDC00).contains(high) else { return }
            guard current == UInt8(ascii: "\\"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "u") else {
                throw refusal(.loneSurrogate, "a high surrogate has no partner")
            }
            index += 1
            guard (0xDC00..<0xE000).contains(try parseHexadecimal()) else {
                throw refusal(.loneSurrogate, "a high surrogate has no partner")
            }
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        default: throw refusal(.badJSON, "no such escape")
        }
    }

    /// Reads `uXXXX` from the `u` on.
    private mutating func parseHexadecimal() throws(WireError) -> UInt32 {
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

    private mutating func parseNumber() throws(WireError) {
        let start = index
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") { index += 1 } else { try parseDigits() }
        if current == UInt8(ascii: ".") {
            index += 1
            try parseDigits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            try parseDigits()
        }
        append(.number, from: start)
    }

    private mutating func parseDigits() throws(WireError) {
        let start = index
        while let byte = current, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        if index == start { throw refusal(.badJSON, "a digit is missing") }
    }

    // MARK: - Refusals

    private func refuseByteOrderMark() throws(WireError) {
        guard bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF else { return }
        throw WireError(.badJSON, at: "byte 0", "it begins with a byte-order mark")
    }

    private func validateUTF8() throws(WireError) {
        if let place = UTF8Check.firstInvalidByte(in: bytes) {
            throw WireError(.badUTF8, at: "byte \(place)", "these bytes are not UTF-8")
        }
    }

    private func refusal(_ code: WireError.Code, _ message: String) -> WireError {
        WireError(code, at: "byte \(index)", message)
    }
}

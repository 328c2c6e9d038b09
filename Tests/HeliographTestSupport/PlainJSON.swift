package import RelayProtocol

/// A second reader of strict JSON, as plain as it can be: what `JSONDocument` says of a text is held against it. It shares no code with that.
package struct PlainJSON {
    package struct Node: Equatable, Sendable {
        package enum Kind: Equatable, Sendable { case object, array, string, number, `true`, `false`, null }

        package var kind: Kind
        package var isEscaped: Bool
        package var start: Int
        package var end: Int
        package var next: Int
        package var count: Int

        package init(kind: Kind, isEscaped: Bool = false, start: Int, end: Int = 0, next: Int = 0, count: Int = 0) {
            (self.kind, self.isEscaped, self.count) = (kind, isEscaped, count)
            (self.start, self.end, self.next) = (start, end, next)
        }
    }

    package struct Refusal: Error, Equatable {
        package let code: WireError.Code

        package init(code: WireError.Code) { self.code = code }
    }

    private let bytes: [UInt8]
    private var index = 0
    private var nodes: [Node] = []

    /// The values of a text in their order.
    package static func nodes(of bytes: [UInt8]) throws(Refusal) -> [Node] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw Refusal(code: .badJSON) }
        if String(validating: bytes, as: UTF8.self) == nil { throw Refusal(code: .badUTF8) }
        var reader = PlainJSON(bytes: bytes)
        try reader.readValue(inside: 0)
        reader.skipSpace()
        guard reader.index == bytes.count else { throw Refusal(code: .badJSON) }
        return reader.nodes
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func readValue(inside depth: Int) throws(Refusal) {
        skipSpace()
        let place = nodes.count
        nodes.append(Node(kind: .null, start: index))
        switch take() {
        case "{": try readObject(place, depth)
        case "[": try readArray(place, depth)
        case "\"": (nodes[place].kind, nodes[place].isEscaped) = (.string, try readString().isEscaped)
        case "t": try readRest("rue", .true, place)
        case "f": try readRest("alse", .false, place)
        case "n": try readRest("ull", .null, place)
        case "-":
            try readNumber(take())
            nodes[place].kind = .number
        case let first:
            try readNumber(first)
            nodes[place].kind = .number
        }
        nodes[place].end = index
        nodes[place].next = nodes.count
    }

    private mutating func readObject(_ place: Int, _ depth: Int) throws(Refusal) {
        if depth == JSONDocument.depthMax { throw Refusal(code: .tooDeep) }
        nodes[place].kind = .object
        var keys: Set<[UInt8]> = []
        skipSpace()
        if takes("}") { return }
        repeat {
            skipSpace()
            let start = index
            guard take() == "\"" else { throw Refusal(code: .badJSON) }
            let key = try readString()
            nodes.append(Node(kind: .string, isEscaped: key.isEscaped, start: start, end: index, next: nodes.count + 1))
            guard keys.insert(key.text).inserted else { throw Refusal(code: .duplicateKey) }
            skipSpace()
            guard take() == ":" else { throw Refusal(code: .badJSON) }
            nodes[place].count += 1
            try readValue(inside: depth + 1)
        } while try goesOn(until: "}")
    }

    private mutating func readArray(_ place: Int, _ depth: Int) throws(Refusal) {
        if depth == JSONDocument.depthMax { throw Refusal(code: .tooDeep) }
        nodes[place].kind = .array
        skipSpace()
        if takes("]") { return }
        repeat {
            nodes[place].count += 1
            try readValue(inside: depth + 1)
        } while try goesOn(until: "]")
    }

    private mutating func goesOn(until bracket: Unicode.Scalar) throws(Refusal) -> Bool {
        skipSpace()
        if takes(bracket) { return false }
        guard take() == "," else { throw Refusal(code: .badJSON) }
        return true
    }

    private mutating func readRest(_ word: StaticString, _ kind: Node.Kind, _ place: Int) throws(Refusal) {
        for scalar in "\(word)".unicodeScalars where take() != scalar { throw Refusal(code: .badJSON) }
        nodes[place].kind = kind
    }

    /// Everything between the quotes, decoded, and the quote behind it.
    private mutating func readString() throws(Refusal) -> (text: [UInt8], isEscaped: Bool) {
        var (text, isEscaped): ([UInt8], Bool) = ([], false)
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return (text, isEscaped)
            case 0..<0x20: throw Refusal(code: .badJSON)
            case UInt8(ascii: "\\"):
                isEscaped = true
                text += Array(String(try readEscape()).utf8)
            default: text.append(byte)
            }
        }
        throw Refusal(code: .badJSON)
    }

    private mutating func readEscape() throws(Refusal) -> Unicode.Scalar {
        switch take() {
        case "\"": return "\""
        case "\\": return "\\"
        case "/": return "/"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": break
        default: throw Refusal(code: .badJSON)
        }
        let first = try readFourDigits()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, bytes[index...].starts(with: "\\u".utf8) else { throw Refusal(code: .loneSurrogate) }
        index += 2
        let second = try readFourDigits()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar((first & 0x3FF) << 10 + (second & 0x3FF) + 0x10000)
        else { throw Refusal(code: .loneSurrogate) }
        return scalar
    }

    private mutating func readFourDigits() throws(Refusal) -> UInt32 {
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4, let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
            digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { throw Refusal(code: .badJSON) }
        index += 4
        return value
    }

    /// Reads the number after its sign.
    private mutating func readNumber(_ first: Unicode.Scalar?) throws(Refusal) {
        guard let first, ("0"..."9").contains(first) else { throw Refusal(code: .badJSON) }
        if first != "0" { skipDigits() }
        if takes(".") { try readDigits() }
        if takes("e") || takes("E") {
            _ = takes("+") || takes("-")
            try readDigits()
        }
    }

    private mutating func readDigits() throws(Refusal) {
        let start = index
        skipDigits()
        if index == start { throw Refusal(code: .badJSON) }
    }

    private mutating func skipDigits() {
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
    }

    /// Takes this byte if it is the next.
    private mutating func takes(_ byte: Unicode.Scalar) -> Bool {
        guard index < bytes.count, bytes[index] == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    private mutating func take() -> Unicode.Scalar? {
        guard index < bytes.count else { return nil }
        index += 1
        return Unicode.Scalar(bytes[index - 1])
    }
}

package import RelayProtocol

/// Turns a program's almost-JSON into strict JSON: it repairs half an emoji in a string (JavaScript has such), bytes that are not
/// UTF-8, a key used twice, nesting beyond what is read, a missing end.
///
/// One pass. Nothing is dropped silently: a sign replaces what cannot stay. People are shown the result and can only deny it:
/// parsers differ on such input, so nobody may allow one reading of it.
package struct JSONRepair {
    /// Replaces a value that is nested too deeply.
    static let tooDeep = "⟨nested deeper than \(JSONDocument.depthMax)⟩"

    private let bytes: [UInt8]
    private var index = 0
    private var result: [UInt8] = []

    /// The repaired object; empty if the bytes are none at all.
    package static func document(_ bytes: [UInt8]) -> JSONDocument {
        var repair = JSONRepair(bytes)
        repair.skipSpace()
        if repair.current == UInt8(ascii: "{") { repair.value(depth: 0) } else { repair.result = Array("{}".utf8) }
        do throws(WireError) {
            return try JSONDocument(parsing: repair.result)
        } catch { preconditionFailure("what was repaired is strict JSON: \(error)") }
    }

    private init(_ bytes: [UInt8]) {
        // Decoding replaces what is not UTF-8.
        self.bytes = Array(String(decoding: bytes, as: UTF8.self).utf8)
        result.reserveCapacity(bytes.count)
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    // MARK: Values

    /// Recursive, but never deeper than a document may be.
    private mutating func value(depth: Int) {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            if depth < JSONDocument.depthMax {
                container(depth: depth + 1)
            } else {
                skipContainer()
                result += JSONWriter.string(Self.tooDeep)
            }
        case UInt8(ascii: "\""): result += JSONWriter.string(string())
        default: result += word()
        }
    }

    private mutating func container(depth: Int) {
        let isObject = current == UInt8(ascii: "{")
        let end = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        result.append(bytes[index])
        index += 1
        var keys: Set<[UInt8]> = []
        var isFirst = true
        while true {
            skipSpace()
            while current == UInt8(ascii: ",") || current == UInt8(ascii: ":") {
                index += 1
                skipSpace()
            }
            guard let byte = current else { break }
            if byte == end || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                index += 1
                break
            }
            if !isFirst { result.append(UInt8(ascii: ",")) }
            isFirst = false
            if isObject { key(&keys) }
            value(depth: depth)
        }
        result.append(end)
    }

    /// Reads a key. One that occurs twice keeps both values, the later under a new name.
    private mutating func key(_ keys: inout Set<[UInt8]>) {
        let name = current == UInt8(ascii: "\"") ? string() : String(decoding: bareWord(), as: UTF8.self)
        var number = 1
        var spelled = JSONWriter.string(name)
        while !keys.insert(spelled).inserted {
            number += 1
            spelled = JSONWriter.string("\(name)⟨\(number)⟩")
        }
        result += spelled
        result.append(UInt8(ascii: ":"))
        skipSpace()
        if current == UInt8(ascii: ":") { index += 1 }
    }

    /// Reads a word: a number, true, false or null as it is, anything else as text.
    private mutating func word() -> [UInt8] {
        let word = bareWord()
        if word.isEmpty { return Array("null".utf8) }
        return (try? JSONDocument(parsing: word)) == nil ? JSONWriter.string(String(decoding: word, as: UTF8.self)) : word
    }

    private mutating func bareWord() -> [UInt8] {
        let start = index
        while let byte = current, byte > 0x20, !Self.ends.contains(byte) { index += 1 }
        return Array(bytes[start..<index])
    }

    private static let ends = Set(",:[]{}\"".utf8)

    private mutating func skipContainer() {
        var depth = 0
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                _ = string()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return }
        }
    }

    private mutating func skipSpace() {
        while let byte = current, byte <= 0x20 { index += 1 }
    }

    // MARK: Strings

    private mutating func string() -> String {
        var text: [UInt8] = []
        index += 1
        while let byte = current {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += escape()
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape() -> [UInt8] {
        guard let byte = current else { return [] }
        index += 1
        switch byte {
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(unicode()).utf8)
        default: return [byte]
        }
    }

    /// Reads a character after `\u`. Half a surrogate pair becomes the replacement character.
    private mutating func unicode() -> Character {
        guard let unit = unit(at: index) else { return "\u{FFFD}" }
        index += 4
        if let scalar = Unicode.Scalar(unit) { return Character(scalar) }
        guard (0xD800..<0xDC00).contains(unit), current == UInt8(ascii: "\\"), index + 1 < bytes.count,
            bytes[index + 1] == UInt8(ascii: "u"), let low = self.unit(at: index + 2), (0xDC00..<0xE000).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else { return "\u{FFFD}" }
        index += 6
        return Character(scalar)
    }

    private func unit(at start: Int) -> UInt32? {
        guard start + 4 <= bytes.count else { return nil }
        let digits = bytes[start..<start + 4]
        guard digits.allSatisfy({ $0 < 0x80 && Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

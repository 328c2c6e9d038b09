package import RelayProtocol

/// Takes what looks like a secret out of text before it leaves this machine, and says whether it did.
///
/// Only the secret part is replaced, by `⟨redacted⟩`; every other byte stays. A person must be able to decide on what is left,
/// so a redaction cannot hide a command: it never covers white space, a quote or a shell operator (but for the lines of a
/// private key), however an attacker dresses up a command as a password. What it looks for is known shapes and telling
/// names; a secret that looks like an ordinary word under an ordinary name passes. All scans are linear in the text.
package struct Redactor: Sendable {
    package static let mark = "⟨redacted⟩"

    package init() {}

    package func redact(text: String) -> (text: String, redacted: Bool) { redact(text: text, hidesTornKeys: false) }

    /// Of what a program printed, where a key is hidden though its end is not there: nobody runs it.
    func redact(output text: String) -> (text: String, redacted: Bool) { redact(text: text, hidesTornKeys: true) }

    private func redact(text: String, hidesTornKeys: Bool) -> (text: String, redacted: Bool) {
        let bytes = Array(text.utf8)
        let ranges = SecretScanner.secrets(in: bytes, hidesTornKeys: hidesTornKeys)
        if ranges.isEmpty { return (text, false) }
        var edits = Splices()
        for range in ranges { edits.append(range, Array(Self.mark.utf8)) }
        return (String(decoding: edits.applied(to: bytes[...]), as: UTF8.self), true)
    }

    /// The value's own bytes but for the secrets in its strings, and the values of members with a secret's name.
    package func redact(_ value: JSONValue) -> (json: [UInt8], redacted: Bool) {
        var edits = Splices()
        Self.walk(value, name: nil, &edits)
        return (edits.applied(to: value.bytes), !edits.isEmpty)
    }

    /// How many private keys stand in its strings, and how many that only begin like one and so are not hidden.
    func keys(in value: JSONValue) -> (whole: Int, torn: Int) {
        switch value.bytes.first ?? 0 {
        case UInt8(ascii: "{"):
            return ((try? value.members()) ?? []).reduce((0, 0)) { Self.sum($0, keys(in: $1.value)) }
        case UInt8(ascii: "["): return ((try? value.array()) ?? []).reduce((0, 0)) { Self.sum($0, keys(in: $1)) }
        case UInt8(ascii: "\""): return SecretScanner.keys(in: EscapedText(value.bytes.dropFirst().dropLast()).bytes)
        default: return (0, 0)
        }
    }

    private static func sum(_ one: (whole: Int, torn: Int), _ other: (whole: Int, torn: Int)) -> (whole: Int, torn: Int) {
        (one.whole + other.whole, one.torn + other.torn)
    }

    /// `name` is the kind of secret that the member is named after, also for the elements of an array.
    private static func walk(_ value: JSONValue, name: SecretName?, _ edits: inout Splices) {
        switch value.bytes.first ?? 0 {
        case UInt8(ascii: "{"):
            for member in (try? value.members()) ?? [] {
                walk(member.value, name: SecretName(Array(member.key.utf8)[...], isData: true), &edits)
            }
        case UInt8(ascii: "["):
            for element in (try? value.array()) ?? [] { walk(element, name: name, &edits) }
        case UInt8(ascii: "\""):
            let string = EscapedText(value.bytes.dropFirst().dropLast())
            var ranges = SecretScanner.secrets(in: string.bytes)
            if name != nil, SecretScanner.isWorthHiding(string.bytes[...]) {
                ranges = SecretScanner.plainRuns(in: string.bytes, 0..<string.bytes.count)
            }
            for range in ranges { edits.append(string.rawRange(range), Array(mark.utf8)) }
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            // A number: a PIN, seldom; a count or a flag is shorter.
            guard name != nil, value.bytes.count >= 4 else { return }
            edits.append(value.bytes.startIndex..<value.bytes.endIndex, Array("\"\(mark)\"".utf8))
        default: return
        }
    }
}

/// Replacements in ascending order.
private struct Splices {
    private var edits: [(range: Range<Int>, replacement: [UInt8])] = []

    var isEmpty: Bool { edits.isEmpty }

    mutating func append(_ range: Range<Int>, _ replacement: [UInt8]) { edits.append((range, replacement)) }

    func applied(to bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        for edit in edits {
            result += bytes[index..<edit.range.lowerBound]
            result += edit.replacement
            index = edit.range.upperBound
        }
        return result + bytes[index...]
    }
}

/// The inside of a JSON string with its escapes resolved, and where each byte came from.
private struct EscapedText {
    let bytes: [UInt8]
    /// The raw place of each byte; nil where nothing is escaped.
    private let places: [Int]?
    private let raw: Range<Int>

    init(_ raw: ArraySlice<UInt8>) {
        self.raw = raw.startIndex..<raw.endIndex
        guard raw.contains(UInt8(ascii: "\\")) else {
            (bytes, places) = (Array(raw), nil)
            return
        }
        var bytes: [UInt8] = []
        var places: [Int] = []
        var index = raw.startIndex
        while index < raw.endIndex {
            let start = index
            if raw[index] != UInt8(ascii: "\\") {
                bytes.append(raw[index])
                index += 1
            } else {
                index += 2
                switch raw[start + 1] {
                case UInt8(ascii: "n"): bytes.append(10)
                case UInt8(ascii: "r"): bytes.append(13)
                case UInt8(ascii: "t"): bytes.append(9)
                case UInt8(ascii: "b"): bytes.append(8)
                case UInt8(ascii: "f"): bytes.append(12)
                case UInt8(ascii: "u"):
                    var unit = Self.unit(raw, index)
                    index += 4
                    if (0xD800..<0xDC00).contains(unit) {
                        unit = 0x10000 + (unit - 0xD800) << 10 + (Self.unit(raw, index + 2) & 0x3FF)
                        index += 6
                    }
                    // The parser has refused lone surrogates.
                    bytes += Array(String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8)
                default: bytes.append(raw[start + 1])
                }
            }
            while places.count < bytes.count { places.append(start) }
        }
        self.bytes = bytes
        self.places = places
    }

    func rawRange(_ range: Range<Int>) -> Range<Int> {
        guard let places else { return raw.lowerBound + range.lowerBound..<raw.lowerBound + range.upperBound }
        let end = range.upperBound < places.count ? places[range.upperBound] : raw.upperBound
        return places[range.lowerBound]..<end
    }

    private static func unit(_ raw: ArraySlice<UInt8>, _ start: Int) -> UInt32 {
        var value: UInt32 = 0
        for byte in raw[start..<start + 4] {
            let digit = byte < 58 ? byte - 48 : (byte | 0x20) - 87
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

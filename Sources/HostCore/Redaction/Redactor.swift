package import RelayProtocol

/// Removes what looks like a secret from text before it leaves this machine, and reports whether it did.
///
/// Only the secret part is replaced, by `⟨redacted⟩`; every other byte stays. It looks for known shapes and telling names; a secret
/// that looks like an ordinary word under an ordinary name passes. It rather hides too much than too little, because `HiddenParts`
/// decides separately whether a person may still allow what is left. All scans are linear in the text.
package struct Redactor: Sendable {
    package static let mark = "⟨redacted⟩"

    package init() {}

    package func redact(text: String) -> (text: String, redacted: Bool) {
        let bytes = Array(text.utf8)
        let ranges = SecretScanner.secrets(in: bytes)
        return ranges.isEmpty ? (text, false) : (Self.hiding(ranges, in: bytes[...]), true)
    }

    /// The lines of `text`, which end at line feeds, without their secrets: the same number in the same order. So a diff can be
    /// made of the original text and shown without its secrets. `isExcerpt`: the text may begin and end within a private key.
    package func lines(of text: String, isExcerpt: Bool = false) -> [String] {
        let bytes = Array(text.utf8)
        var ranges = SecretScanner.secrets(in: bytes, isExcerpt: isExcerpt)[...]
        var lines: [String] = []
        var start = 0
        while start <= bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            var inside: [Range<Int>] = []
            while let range = ranges.first, range.lowerBound < end {
                let part = range.clamped(to: start..<end)
                if !part.isEmpty { inside.append(part) }
                if range.upperBound > end { break }
                ranges.removeFirst()
            }
            lines.append(Self.hiding(inside, in: bytes[start..<end]))
            start = end + 1
        }
        return lines
    }

    private static func hiding(_ ranges: [Range<Int>], in bytes: ArraySlice<UInt8>) -> String {
        var edits = Splices()
        for range in ranges { edits.append(range, Array(mark.utf8)) }
        return String(decoding: edits.applied(to: bytes), as: UTF8.self)
    }

    /// The value with its own bytes, except that secrets are replaced in its strings and names, and so are the values of members
    /// with a secret's name. It is whole if nothing is hidden that a person who may allow `tool` must see.
    package func redact(_ value: JSONValue, of tool: String = "") -> (json: [UInt8], redacted: Bool, isWhole: Bool) {
        var walk = Walk(tool: tool)
        walk.visit(value, key: "", name: nil)
        return (walk.edits.applied(to: value.bytes), !walk.edits.isEmpty, walk.isWhole)
    }

    private struct Walk {
        let tool: String
        var edits = Splices()
        var isWhole = true
        private var names = 0

        init(tool: String) { self.tool = tool }

        /// `name`: the kind of secret that the member's name stands for, also for the elements of an array.
        mutating func visit(_ value: JSONValue, key: String, name: SecretName?) {
            switch value.bytes.first ?? 0 {
            case UInt8(ascii: "{"):
                let members = (try? value.members()) ?? []
                let taken = Set(members.map(\.key))
                for (member, name) in zip(members, (try? value.names()) ?? []) {
                    hideName(EscapedText(name.bytes.dropFirst().dropLast()), besides: taken)
                    visit(member.value, key: member.key, name: SecretName(Array(member.key.utf8)[...], isData: true))
                }
            case UInt8(ascii: "["):
                for element in (try? value.array()) ?? [] { visit(element, key: key, name: name) }
            case UInt8(ascii: "\""):
                let string = EscapedText(value.bytes.dropFirst().dropLast())
                // These members contain pieces of a file.
                let isExcerpt = key == "old_string" || key == "new_string"
                var ranges = SecretScanner.secrets(in: string.bytes, isExcerpt: isExcerpt)
                if name != nil, SecretScanner.isWorthHiding(string.bytes[...]) {
                    ranges = SecretScanner.plainSpans(in: string.bytes, 0..<string.bytes.count)
                }
                let wasWhole = isWhole
                hide(ranges, of: string)
                isWhole =
                    wasWhole
                    && HiddenParts(ranges, in: string.bytes).areFair(in: key, of: tool, isNamed: name != nil)
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                // A number with a secret's name is rarely a PIN; counts and flags are shorter than four digits.
                guard name != nil, value.bytes.count >= 4 else { return }
                edits.append(value.bytes.startIndex..<value.bytes.endIndex, Array("\"\(mark)\"".utf8))
                isWhole = false
            default: return
            }
        }

        /// Hides a member's name so that two hidden names remain different, as an object needs.
        private mutating func hideName(_ text: EscapedText, besides taken: Set<String>) {
            let ranges = SecretScanner.secrets(in: text.bytes)
            guard let first = ranges.first, let last = ranges.last else { return }
            isWhole = false
            var mark = Redactor.mark
            repeat {
                names += 1
                mark = "⟨redacted \(names)⟩"
            } while taken.contains { $0.contains(mark) }
            edits.append(text.rawRange(first.lowerBound..<last.upperBound), Array(mark.utf8))
        }

        private mutating func hide(_ ranges: [Range<Int>], of text: EscapedText) {
            for range in ranges { edits.append(text.rawRange(range), Array(mark.utf8)) }
            if !ranges.isEmpty { isWhole = false }
        }
    }
}

/// A list of replacements, in ascending order.
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

import RelayProtocol

/// A number by its digits. A double holds only some of them: 9007199254740993 would become another number.
struct ExactNumber: Comparable, Sendable {
    private let isNegative: Bool
    /// Decimal digits without zeros at either end; none for zero.
    private let digits: [UInt8]
    /// The power of ten by which the digits, as a whole number, are multiplied.
    private let exponent: Int

    /// Most digits of an exponent; with more of them a number means nothing to people.
    private static let exponentDigitsMax = 9

    /// Nil if it is not a JSON number.
    init?(_ value: JSONValue?) {
        guard let bytes = value?.bytes, let first = bytes.first, first == UInt8(ascii: "-") || Self.isDigit(first) else {
            return nil
        }
        self.init(text: bytes)
    }

    /// `bytes`: a JSON number.
    init?(text bytes: ArraySlice<UInt8>) {
        let parts = bytes.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
        var shift = 0
        if parts.count == 2 {
            guard parts[1].count <= Self.exponentDigitsMax, let given = Int(String(decoding: parts[1], as: UTF8.self)) else {
                return nil
            }
            shift = given
        }
        let numeral = parts[0].split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = numeral.count == 2 ? numeral[1] : []
        var all = Array((numeral[0] + fraction).filter(Self.isDigit))
        shift -= fraction.count
        while all.last == Self.zero {
            all.removeLast()
            shift += 1
        }
        digits = Array(all.drop { $0 == Self.zero })
        exponent = digits.isEmpty ? 0 : shift
        isNegative = !digits.isEmpty && bytes.first == UInt8(ascii: "-")
    }

    static func < (left: ExactNumber, right: ExactNumber) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.isNegative ? right.isCloserToZero(than: left) : left.isCloserToZero(than: right)
    }

    private func isCloserToZero(than other: ExactNumber) -> Bool {
        if digits.isEmpty || other.digits.isEmpty { return digits.count < other.digits.count }
        let (size, otherSize) = (digits.count + exponent, other.digits.count + other.exponent)
        return size == otherSize ? digits.lexicographicallyPrecedes(other.digits) : size < otherSize
    }

    // MARK: Spelling

    /// Most zeros that are written out; with more the number is written with an exponent.
    private static let zerosMax = 20

    /// The canonical spelling: equal numbers have equal text.
    var spelled: String {
        let sign = isNegative ? "-" : ""
        let text = String(decoding: digits, as: UTF8.self)
        let before = digits.count + exponent
        switch exponent {
        case _ where digits.isEmpty: return "0"
        case 0...Self.zerosMax: return sign + text + String(repeating: "0", count: exponent)
        case ..<0 where before > 0: return sign + text.prefix(before) + "." + text.dropFirst(before)
        case ..<0 where before > -Self.zerosMax: return sign + "0." + String(repeating: "0", count: -before) + text
        default: return sign + text + "e\(exponent)"
        }
    }

    /// The number in JSON, from what a person typed: JSON's spelling, or one with a sign, zeros or a point at either end. Nil if it
    /// is not a number.
    static func json(typed text: String) -> [UInt8]? {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        guard rest.contains(where: isDigit) else { return nil }
        while rest.first == zero, let next = rest.dropFirst().first, isDigit(next) { rest.removeFirst() }
        var bytes = (isNegative ? [UInt8(ascii: "-")] : []) + (rest.first == point ? [zero] : []) + rest
        if bytes.last == point { bytes.removeLast() }
        guard let first = bytes.last, isDigit(first), let value = try? JSONDocument(parsing: bytes).root,
            (try? value.number()) != nil
        else { return nil }
        return bytes
    }

    private static let zero = UInt8(ascii: "0")
    private static let point = UInt8(ascii: ".")

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

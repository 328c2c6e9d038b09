/// The inside of a JSON string with its escapes resolved, and the place of each byte in the raw string.
struct EscapedText {
    let bytes: [UInt8]
    /// Index of each byte in the raw string; nil if nothing is escaped.
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

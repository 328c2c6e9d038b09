/// Searches bytes eight at a time: most of a message is plain text that needs no work.
enum ByteScan {
    /// Index of the first byte from `start` on that is not ASCII, or the end.
    static func endOfASCII(in bytes: Span<UInt8>, from start: Int) -> Int {
        scan(bytes, from: start, marks: { $0 & highBits }, isMarked: { $0 >= 0x80 })
    }

    /// Index of the first byte from `start` on, or the end, that is special inside a JSON string: a quote, a backslash or a control
    /// character.
    static func endOfPlain(in bytes: Span<UInt8>, from start: Int) -> Int {
        scan(
            bytes, from: start,
            marks: { below0x20(in: $0) | zeros(in: $0 ^ quotes) | zeros(in: $0 ^ backslashes) },
            isMarked: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") })
    }

    /// Index of the first byte that our writer escapes, DEL included, or the end.
    static func endOfUnescaped(in bytes: Span<UInt8>, from start: Int) -> Int {
        scan(
            bytes, from: start,
            marks: { below0x20(in: $0) | zeros(in: $0 ^ quotes) | zeros(in: $0 ^ backslashes) | zeros(in: $0 ^ deletes) },
            isMarked: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 == 0x7F })
    }

    /// Index of the first byte that is searched for. `marks` sets the high bit of that byte in a word; bits above it do not matter.
    @inline(__always)
    private static func scan(
        _ bytes: Span<UInt8>, from start: Int, marks: (UInt64) -> UInt64, isMarked: (UInt8) -> Bool
    ) -> Int {
        var index = start
        // Safe: any eight bytes are a valid number.
        let words = unsafe bytes.bytes
        while index + MemoryLayout<UInt64>.size <= bytes.count {
            let word = unsafe UInt64(littleEndian: words.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            let found = marks(word)
            if found != 0 { return index + found.trailingZeroBitCount / UInt8.bitWidth }
            index += MemoryLayout<UInt64>.size
        }
        while index < bytes.count, !isMarked(bytes[index]) { index += 1 }
        return index
    }

    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let quotes: UInt64 = 0x2222_2222_2222_2222
    private static let backslashes: UInt64 = 0x5C5C_5C5C_5C5C_5C5C
    private static let deletes: UInt64 = 0x7F7F_7F7F_7F7F_7F7F

    /// Source: Sean Eron Anderson, "Bit Twiddling Hacks", "Determine if a word has a zero byte" and "a byte less than n".
    @inline(__always)
    private static func zeros(in word: UInt64) -> UInt64 { (word &- ones) & ~word & highBits }

    @inline(__always)
    private static func below0x20(in word: UInt64) -> UInt64 { (word &- ones &* 0x20) & ~word & highBits }
}

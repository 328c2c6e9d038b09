import Testing
import HeliographZlib

@Suite struct ZlibTests {
    @Test func `the checksum is the one that everybody has`() {
        var value: UInt32 = 0
        for piece in ["1234", "", "56789"] { unsafe Array(piece.utf8).withUnsafeBytes { value = unsafe Zlib.crc32(value, $0) } }
        #expect(value == 0xCBF4_3926)
    }

    /// Short ones go byte by byte, long ones by blocks that the processor folds; rows of before have checksums by zlib alone.
    @Test func `the checksum of a text does not depend on how long its pieces are`() {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * $0 + 7) }
        for count in Array(0...200) + [512, 767, 1_000] {
            let one = unsafe bytes[..<count].withUnsafeBytes { unsafe Zlib.crc32(0x1234_5678, $0) }
            var many: UInt32 = 0x1234_5678
            for byte in bytes[..<count] { unsafe withUnsafeBytes(of: byte) { many = unsafe Zlib.crc32(many, $0) } }
            #expect(one == many, "\(count) bytes")
        }
    }

    @Test func `a gzip file says how long and which its content is, and is the same each time`() {
        let text = Array(String(repeating: "a stylesheet says much the same over and over; ", count: 200).utf8)
        let file = Zlib.gzip(text)
        #expect(file.count < text.count / 20)
        #expect(Array(file.prefix(4)) == [0x1F, 0x8B, 8, 0])
        let length = file.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        #expect(length == text.count)
        let checksum = file.dropLast(4).suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
        #expect(unsafe text.withUnsafeBytes { unsafe Zlib.crc32(0, $0) } == checksum)
        #expect(Zlib.gzip(text) == file)
        #expect(Zlib.gzip([]).suffix(8).allSatisfy { $0 == 0 })
    }
}

import Testing

@testable import RelayProtocol

/// The same headers as in `Tests/Web/picture-size.test.mjs`.
@Suite("A picture's size, from its headers")
struct PictureSizeTests {
    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] { big(value, count).reversed() }

    private static func webp(_ form: String, _ rest: [UInt8]) -> [UInt8] {
        Array("RIFF\0\0\0\0WEBP\(form)".utf8) + rest
    }

    private static func jpeg(_ before: [UInt8], _ frame: UInt8, _ width: Int, _ height: Int) -> [UInt8] {
        [0xFF, 0xD8] + before + [0xFF, frame, 0, 17, 8] + big(height, 2) + big(width, 2) + [3]
    }

    private static func pictures(_ width: Int, _ height: Int) -> [String: [UInt8]] {
        [
            "PNG": [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + big(13, 4) + Array("IHDR".utf8) + big(width, 4) + big(height, 4),
            "JPEG": jpeg([0xFF, 0xE0, 0, 4, 1, 2], 0xC0, width, height),
            "JPEG after tables and bytes that fill": jpeg(
                [0xFF, 0xC4, 0, 3, 9, 0xFF, 0xFF, 0xFF, 0xFE, 0, 2], 0xC2, width, height),
            "WebP": webp("VP8 ", [0, 0, 0, 0, 0, 0, 0, 0x9D, 1, 0x2A] + little(width, 2) + little(height, 2)),
            "WebP without loss": webp(
                "VP8L", [0, 0, 0, 0, 0x2F] + little((width - 1) | (height - 1) << 14, 4)),
            "WebP with more in it": webp(
                "VP8X", [0, 0, 0, 10, 0, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3)),
        ]
    }

    @Test("each form says it, and nothing once it is cut", arguments: pictures(1, 1).keys.sorted())
    func said(_ form: String) throws {
        for (width, height) in [(1, 1), (640, 480), (12_000, 16_000)] {
            let whole = try #require(Self.pictures(width, height)[form])
            #expect(PictureSize(of: whole) == PictureSize(width: width, height: height))
            for length in 0..<whole.count {
                let size = PictureSize(of: Array(whole.prefix(length)))
                #expect(size == nil || size == PictureSize(width: width, height: height), "\(length)")
            }
        }
    }

    @Test("no picture, or one without points, has none")
    func none() {
        for text in ["", "BM", "GIF89a\u{1}\0\u{1}\0", "RIFF    WEBPVP9                   "] {
            #expect(PictureSize(of: Array(text.utf8)) == nil)
        }
        #expect(PictureSize(of: Self.pictures(0, 5)["PNG"]!) == nil)
    }

    @Test("50 million points are drawn, and no more, without an overflow")
    func drawable() {
        #expect(PictureSize(width: 10_000, height: 5_000).isDrawable)
        #expect(!PictureSize(width: 10_001, height: 5_000).isDrawable)
        #expect(!PictureSize(width: Int(UInt32.max), height: Int(UInt32.max)).isDrawable)
    }
}

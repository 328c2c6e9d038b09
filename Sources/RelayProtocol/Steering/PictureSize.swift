/// A picture's size in pixels, read from its headers: a file of a few kilobytes may take gigabytes when it is decoded.
package struct PictureSize: Sendable, Equatable {
    package let width: Int
    package let height: Int

    /// Limit in pixels: 200 MB once decoded; a phone's photo has up to 50 million.
    package static let pixelsMax = 50_000_000

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Nil if the bytes are of no `PictureType`, or the size is not where a decoder would look for it.
    package init?(of bytes: [UInt8]) {
        let size: PictureSize? =
            switch PictureType(of: bytes) {
            case .png: Self.png(bytes)
            case .jpeg: Self.jpeg(bytes)
            case .webp: Self.webp(bytes)
            case .sealed, nil: nil
            }
        guard let size, size.width > 0, size.height > 0 else { return nil }
        self = size
    }

    package var isDrawable: Bool {
        let (pixels, isOverflow) = width.multipliedReportingOverflow(by: height)
        return !isOverflow && pixels <= Self.pixelsMax
    }

    private static func png(_ bytes: [UInt8]) -> PictureSize? {
        guard bytes.count >= 24, bytes[12..<16].elementsEqual("IHDR".utf8) else { return nil }
        return PictureSize(width: big(bytes, 16, 4), height: big(bytes, 20, 4))
    }

    /// Size of the first frame, which is the one that is drawn.
    private static func jpeg(_ bytes: [UInt8]) -> PictureSize? {
        var at = 2
        while at + 9 <= bytes.count, bytes[at] == 0xFF {
            let marker = bytes[at + 1]
            if marker >= 0xC0, marker <= 0xCF, ![0xC4, 0xC8, 0xCC].contains(marker) {
                return PictureSize(width: big(bytes, at + 7, 2), height: big(bytes, at + 5, 2))
            }
            // Fill bytes are allowed between segments.
            at += marker == 0xFF ? 1 : 2 + big(bytes, at + 2, 2)
        }
        return nil
    }

    private static func webp(_ bytes: [UInt8]) -> PictureSize? {
        guard bytes.count >= 25 else { return nil }
        let form = String(decoding: bytes[12..<16], as: UTF8.self)
        switch form {
        case "VP8X" where bytes.count >= 30:
            return PictureSize(width: little(bytes, 24, 3) + 1, height: little(bytes, 27, 3) + 1)
        case "VP8 " where bytes.count >= 30:
            return PictureSize(width: little(bytes, 26, 2) & 0x3FFF, height: little(bytes, 28, 2) & 0x3FFF)
        case "VP8L":
            let bits = little(bytes, 21, 4)
            return PictureSize(width: (bits & 0x3FFF) + 1, height: (bits >> 14 & 0x3FFF) + 1)
        default: return nil
        }
    }

    private static func big(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        bytes[at..<at + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func little(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
        bytes[at..<at + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

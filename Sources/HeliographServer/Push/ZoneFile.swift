/// A zone of the tz database, read from its file in the form of RFC 9636 (`TZif`).
struct ZoneFile {
    /// More than any zone has of anything.
    private static let countMax = 1 << 16
    private static let headerBytes = 44

    /// Times of changes in seconds since 1970, ascending.
    private let changes: [Int64]
    /// Seconds east of UTC after each change.
    private let offsets: [Int64]
    /// Seconds east of UTC before the first change.
    private let first: Int64
    /// After the last change; nil for none.
    private let rule: ZoneRule?

    /// Nil if the bytes have another form, or that of before 2005 with times of 32 bits only.
    init?(_ bytes: [UInt8]) {
        guard let old = Counts(bytes[...]), old.version >= UInt8(ascii: "2"),
            let counts = Counts(bytes.dropFirst(Self.headerBytes + old.bytes(ofTime: 4))), counts.types > 0
        else { return nil }
        let data = bytes.dropFirst(Self.headerBytes * 2 + old.bytes(ofTime: 4))
        guard data.count >= counts.bytes(ofTime: 8) else { return nil }
        let indices = data.dropFirst(counts.times * 8).prefix(counts.times)
        let types = Array(data.dropFirst(counts.times * 9).prefix(counts.types * 6))
        let known = (0..<counts.types).map { Int64(Int32(truncatingIfNeeded: Self.number(types[($0 * 6)...].prefix(4)))) }
        guard indices.allSatisfy({ $0 < known.count }) else { return nil }
        changes = (0..<counts.times).map { Self.number(data.dropFirst($0 * 8).prefix(8)) }
        offsets = indices.map { known[Int($0)] }
        first = known[0]
        guard changes == changes.sorted() else { return nil }
        let footer = data.dropFirst(counts.bytes(ofTime: 8))
        guard footer.first == UInt8(ascii: "\n"), let end = footer.dropFirst().firstIndex(of: UInt8(ascii: "\n")) else {
            return nil
        }
        let text = String(decoding: footer[..<end].dropFirst(), as: UTF8.self)
        rule = text.isEmpty ? nil : ZoneRule(text)
        if !text.isEmpty, rule == nil { return nil }
    }

    /// Seconds east of UTC at a time in seconds since 1970.
    func offset(at time: Int64) -> Int64 {
        guard let last = changes.last, time < last || rule == nil else { return rule?.offset(at: time) ?? first }
        let next = changes.firstIndex { $0 > time } ?? changes.count
        return next == 0 ? first : offsets[next - 1]
    }

    private struct Counts {
        let version: UInt8
        let (times, types): (Int, Int)
        private let (utc, standard, leaps, characters): (Int, Int, Int, Int)

        init?(_ bytes: ArraySlice<UInt8>) {
            guard bytes.count >= ZoneFile.headerBytes, bytes.starts(with: "TZif".utf8) else { return nil }
            version = bytes[bytes.startIndex + 4]
            let counts = (0..<6).map { Int(ZoneFile.number(bytes.dropFirst(20 + $0 * 4).prefix(4))) }
            guard counts.allSatisfy({ $0 <= ZoneFile.countMax }) else { return nil }
            (utc, standard, leaps) = (counts[0], counts[1], counts[2])
            (times, types, characters) = (counts[3], counts[4], counts[5])
        }

        /// Bytes of the data behind the header, whose times have this many.
        func bytes(ofTime time: Int) -> Int {
            times * (time + 1) + types * 6 + characters + leaps * (time + 4) + standard + utc
        }
    }

    /// A big-endian number.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}

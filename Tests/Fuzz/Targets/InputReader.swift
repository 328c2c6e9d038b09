/// Takes choices off the front of an input; zeros once it has ended.
struct InputReader {
    private var rest: ArraySlice<UInt8>

    init(_ input: [UInt8]) { rest = input[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func integer() -> Int64 {
        Int64(bitPattern: (0..<8).reduce(UInt64(0)) { sum, _ in sum << 8 | UInt64(byte()) })
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    /// The rest of the input, up to and without a line break.
    mutating func line() -> [UInt8] {
        let line = Array(rest.prefix { $0 != UInt8(ascii: "\n") })
        rest = rest.dropFirst(line.count + 1)
        return line
    }
}

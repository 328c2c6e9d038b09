/// A buffer to which bytes are appended one span after another.
///
/// An array checks with each byte whether its storage is shared and has room. This checks once per span.
struct ByteRoom: Sendable {
    /// Storage; bytes after `count` are undefined.
    private var bytes: [UInt8]
    private(set) var count = 0

    init(room: Int) { bytes = [UInt8](repeating: 0, count: room) }

    consuming func finish() -> [UInt8] {
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    mutating func append(_ byte: UInt8) {
        unsafe append(atMost: 1) { room in
            unsafe room[0] = byte
            return 1
        }
    }

    mutating func append(_ span: UnsafeBufferPointer<UInt8>) {
        guard let start = span.baseAddress else { return }
        unsafe append(atMost: span.count) { room in
            unsafe room.update(from: start, count: span.count)
            return span.count
        }
    }

    mutating func append(_ span: [UInt8]) { unsafe span.withUnsafeBufferPointer { unsafe append($0) } }

    mutating func append(_ word: StaticString) {
        unsafe append(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    mutating func append(_ number: Int64) {
        // Nineteen digits and a sign. The digits are computed from the last to the first, so they are first written to the end of
        // the space.
        let most = 20
        unsafe append(atMost: most) { room in
            var rest = number.magnitude
            var start = most
            repeat {
                start -= 1
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                unsafe room[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
            if number < 0 {
                start -= 1
                unsafe room[start] = UInt8(ascii: "-")
            }
            unsafe room.update(from: room + start, count: most - start)
            return most - start
        }
    }

    /// Lets `body` write up to `most` bytes to the end of the buffer; it returns how many it has written.
    @inline(__always)
    mutating func append(atMost most: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int) {
        let start = count
        if bytes.count - start < most { grow(by: most) }
        count += unsafe bytes.withUnsafeMutableBufferPointer { room in
            // The buffer has at least `most` bytes, so its address is not nil.
            unsafe body(room.baseAddress.unsafelyUnwrapped + start)
        }
    }

    @inline(never)
    private mutating func grow(by most: Int) {
        var more = [UInt8](repeating: 0, count: bytes.count + max(most, bytes.count))
        more.replaceSubrange(..<bytes.count, with: bytes)
        bytes = more
    }
}

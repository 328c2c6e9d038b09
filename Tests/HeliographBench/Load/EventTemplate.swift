internal import Glibc
internal import RelayProtocol

/// Events of one size with their number at a fixed position: writing one is a copy, and checking one reads 18 bytes.
struct EventTemplate: Sendable {
    static let sizeMin = 120
    static let sizeMax = 64 << 10
    static let batchMax = WireLimits.batchEventsMax
    /// Largest events of one message, with room for what surrounds them.
    static let messageBytesMax = WireLimits.messageBytesMax - 512
    private static let digits = 12

    private let bytes: [UInt8]
    private let numberAt: Int

    var size: Int { bytes.count }

    init(size: Int, isSealed: Bool, at time: Int64) {
        precondition((Self.sizeMin...Self.sizeMax).contains(size), "the plan was checked")
        let field = isSealed ? "sealed" : "n"
        let head = Array(#"{"kind":"message","at":\#(time),"head":{"role":"assistant"},"body":{"\#(field)":""#.utf8)
        // Base64url has digits, too.
        let middle = Array((isSealed ? "" : #"","text":""#).utf8)
        let end = Array(#""}}"#.utf8)
        let filler = size - head.count - Self.digits - middle.count - end.count
        bytes =
            head + [UInt8](repeating: UInt8(ascii: "0"), count: Self.digits) + middle
            + [UInt8](repeating: UInt8(ascii: "x"), count: filler) + end
        numberAt = head.count
    }

    func append(_ number: Int64, to buffer: inout [UInt8]) {
        let start = buffer.count
        buffer.append(contentsOf: bytes)
        var rest = number
        for place in (start + numberAt..<start + numberAt + Self.digits).reversed() {
            buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Appends events, with commas between them and without brackets.
    func append(_ numbers: Range<Int64>, to buffer: inout [UInt8]) {
        for number in numbers {
            if number > numbers.lowerBound { buffer.append(UInt8(ascii: ",")) }
            append(number, to: &buffer)
        }
    }

    /// The number of the event at `pointer`, which has `size` bytes; nil if it is not one of these.
    func number(at pointer: UnsafeRawPointer) -> Int64? {
        let begins = unsafe bytes.withUnsafeBytes { template in
            let before = unsafe memcmp(pointer + numberAt - 4, template.baseAddress! + numberAt - 4, 4)
            return unsafe before | memcmp(pointer + size - 3, template.baseAddress! + size - 3, 3)
        }
        guard begins == 0 else { return nil }
        var number: Int64 = 0
        for place in numberAt..<numberAt + Self.digits {
            let digit = unsafe pointer.load(fromByteOffset: place, as: UInt8.self) &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            number = number &* 10 &+ Int64(digit)
        }
        return number
    }
}

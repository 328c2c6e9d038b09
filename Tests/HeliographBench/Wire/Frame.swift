/// The parts of RFC 6455 that a load needs.
enum Frame {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    struct Head {
        var opcode: Opcode
        var isFinal: Bool
        /// Length of the head in bytes.
        var count: Int
        /// Length of the payload in bytes.
        var payload: Int
    }

    /// Appends a frame. A mask of zeros is valid and costs nothing here; the relay unmasks as usual.
    static func append(_ payload: [UInt8], _ opcode: Opcode, to buffer: inout [UInt8]) {
        buffer.append(0x80 | opcode.rawValue)
        switch payload.count {
        case ..<126: buffer.append(0x80 | UInt8(payload.count))
        case ..<(1 << 16): buffer.append(contentsOf: [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)])
        default:
            buffer.append(0xFF)
            for shift in stride(from: 56, through: 0, by: -8) { buffer.append(UInt8(payload.count >> shift & 0xFF)) }
        }
        buffer.append(contentsOf: [0, 0, 0, 0])
        buffer.append(contentsOf: payload)
    }

    /// The head of a frame; nil if it is incomplete.
    static func head(_ bytes: UnsafeRawBufferPointer) throws(BenchError) -> Head? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = unsafe (bytes[0], bytes[1])
        guard first & 0x70 == 0, second & 0x80 == 0, let opcode = Opcode(rawValue: first & 0x0F) else {
            throw BenchError(.badMessage, "a frame begins with \(first) \(second)")
        }
        var head = Head(opcode: opcode, isFinal: first & 0x80 != 0, count: 2, payload: Int(second))
        let more = second == 126 ? 2 : second == 127 ? 8 : 0
        guard bytes.count >= 2 + more else { return nil }
        if more > 0 {
            head.payload = 0
            for place in 2..<2 + more { head.payload = unsafe head.payload << 8 | Int(bytes[place]) }
            head.count += more
        }
        guard (0...payloadMax).contains(head.payload) else {
            throw BenchError(.badMessage, "a frame of \(head.payload) bytes is more than \(payloadMax)")
        }
        return head
    }

    /// Largest payload: more than a snapshot with the approvals of a busy host.
    private static let payloadMax = 16 << 20
}

/// Decodes the output of `RecordWriter`; throws for anything else.
struct RecordReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(NodeLinkError) -> UInt8 {
        guard position < bytes.count else { throw NodeLinkError(.cutOff, "a record of the link ends in its middle") }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(NodeLinkError) -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let digit = try byte()
            guard shift < 63 || digit <= 1 else { throw NodeLinkError(.tooLarge, "a number on the link is too large") }
            value |= UInt64(digit & 0x7F) << shift
            if digit < 0x80 { return value }
            shift += 7
        }
    }

    mutating func number(below limit: Int, _ what: String) throws(NodeLinkError) -> Int {
        let value = try number()
        guard value < UInt64(limit) else {
            throw NodeLinkError(.tooLarge, "\(what) on the link is \(value), not below \(limit)")
        }
        return Int(value)
    }

    /// A count, and that many numbers, most of which have one or two bytes.
    mutating func numbers(
        atMost countMax: Int, below limit: Int, _ counted: String, _ what: String
    ) throws(NodeLinkError) -> [Int] {
        let count = try number(below: countMax + 1, counted)
        // Each number has at least a byte, so a wrong count does not allocate more than was received.
        guard count <= bytes.count - position else { throw NodeLinkError(.cutOff, "a record of the link ends in its middle") }
        var numbers: [Int] = []
        numbers.reserveCapacity(count)
        for _ in 0..<count {
            guard position + 1 < bytes.count, bytes[position + 1] < 0x80 || bytes[position] < 0x80 else {
                numbers.append(try number(below: limit, what))
                continue
            }
            let first = Int(bytes[position])
            let value = first < 0x80 ? first : first & 0x7F | Int(bytes[position + 1]) << 7
            position += first < 0x80 ? 1 : 2
            guard value < limit else { throw NodeLinkError(.tooLarge, "\(what) on the link is \(value), not below \(limit)") }
            numbers.append(value)
        }
        return numbers
    }

    mutating func data(atMost limit: Int, _ what: String) throws(NodeLinkError) -> [UInt8] {
        let count = try number(below: limit + 1, "the length of \(what)")
        guard count <= bytes.count - position else { throw NodeLinkError(.cutOff, "\(what) on the link ends in its middle") }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    mutating func text(_ what: String) throws(NodeLinkError) -> String {
        guard let text = String(validating: try data(atMost: NodeLinkLimits.fieldBytesMax, what), as: UTF8.self) else {
            throw NodeLinkError(.badValue, "\(what) on the link is not UTF-8")
        }
        return text
    }

    mutating func optionalText(_ what: String) throws(NodeLinkError) -> String? {
        switch try byte() {
        case 0: nil
        case 1: try text(what)
        default: throw NodeLinkError(.badValue, "\(what) on the link is neither there nor not")
        }
    }

    mutating func flag(_ what: String) throws(NodeLinkError) -> Bool {
        switch try byte() {
        case 0: false
        case 1: true
        default: throw NodeLinkError(.badValue, "\(what) on the link is neither yes nor no")
        }
    }
}

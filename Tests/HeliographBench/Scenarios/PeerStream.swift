/// Parses the stream of another server on one connection, where messages may span frames.
struct PeerStream {
    enum Item: Equatable {
        /// An event, as its range in `bytes`.
        case event(Range<Int>)
        /// The server's greeting, a granted subscription, or a ping.
        case greeting, granted, ping
    }

    private(set) var bytes: [UInt8] = []
    private var place = 0
    private let dialect: Dialect

    init(_ dialect: Dialect) { self.dialect = dialect }

    /// Adds input. Ranges returned before are no longer valid.
    mutating func feed(_ more: UnsafeRawBufferPointer) {
        bytes.removeFirst(place)
        place = 0
        unsafe bytes.append(contentsOf: more)
    }

    /// The next item; nil until there is more input.
    mutating func next() throws(BenchError) -> Item? {
        guard place < bytes.count else { return nil }
        switch dialect {
        case .heliograph, .plain:
            defer { place = bytes.count }
            return .event(place..<bytes.count)
        case .nats: return try nextLine()
        case .mqtt: return try nextPacket()
        }
    }

    /// `MSG subject id bytes`, then the bytes; every line ends with CR LF.
    private mutating func nextLine() throws(BenchError) -> Item? {
        while let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) {
            let line = String(decoding: bytes[place..<end], as: UTF8.self)
            if line.hasPrefix("MSG ") {
                guard let count = Int(line.dropLast().split(separator: " ").last ?? "") else {
                    throw BenchError(.badMessage, "NATS says \(line)")
                }
                guard end + 1 + count + 2 <= bytes.count else { return nil }
                place = end + 1 + count + 2
                return .event(end + 1..<end + 1 + count)
            }
            place = end + 1
            if line.hasPrefix("INFO") { return .greeting }
            if line.hasPrefix("PONG") { return .granted }
            if line.hasPrefix("PING") { return .ping }
            if line.hasPrefix("-ERR") { throw BenchError(.refused, "NATS says \(line)") }
        }
        return nil
    }

    /// A kind, a length of one to four bytes of seven bits, and so many bytes.
    private mutating func nextPacket() throws(BenchError) -> Item? {
        var length = 0
        var body = place + 1
        var shift = 0
        while true {
            guard body < bytes.count else { return nil }
            length |= Int(bytes[body] & 0x7F) << shift
            body += 1
            if bytes[body - 1] & 0x80 == 0 { break }
            shift += 7
            guard shift <= 21 else { throw BenchError(.badMessage, "an MQTT packet names no length") }
        }
        guard body + length <= bytes.count else { return nil }
        let kind = bytes[place] >> 4
        place = body + length
        switch kind {
        case 2: return .greeting
        case 9: return .granted
        // Quality of service 0: a topic, then the message.
        case 3: return .event(body + 2 + (Int(bytes[body]) << 8 | Int(bytes[body + 1]))..<body + length)
        default: throw BenchError(.badMessage, "an MQTT packet of kind \(kind) came")
        }
    }
}

/// The daemon's answer while it is received. Only a complete answer of the announced length counts: half a decision is none.
struct HookResponse: Sendable {
    enum Progress: Equatable {
        case incomplete
        case complete(status: Int, body: [UInt8])
        /// The answer is not in our daemon's form, or beyond a limit.
        case unusable
    }

    private let limits: HookLimits
    private var bytes: [UInt8] = []
    /// The parsed head, and the index at which the body begins; nil until the head is complete.
    private var head: (status: Int, length: Int, bodyStart: Int)?

    init(limits: HookLimits) {
        self.limits = limits
    }

    mutating func append(_ more: [UInt8]) -> Progress {
        let searchStart = max(0, bytes.count - 3)
        bytes += more
        if head == nil {
            guard let bodyStart = endOfHead(from: searchStart) else {
                return bytes.count > limits.responseHeadBytesMax ? .unusable : .incomplete
            }
            guard bodyStart <= limits.responseHeadBytesMax, let parsed = Self.parse(head: bytes[..<bodyStart]),
                parsed.length <= limits.responseBytesMax
            else { return .unusable }
            head = (parsed.status, parsed.length, bodyStart)
        }
        guard let head else { return .incomplete }
        let received = bytes.count - head.bodyStart
        if received < head.length { return .incomplete }
        if received > head.length { return .unusable }
        return .complete(status: head.status, body: Array(bytes[head.bodyStart...]))
    }

    private func endOfHead(from start: Int) -> Int? {
        var index = start
        while index + 4 <= bytes.count {
            if bytes[index] == 13, bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 { return index + 4 }
            index += 1
        }
        return nil
    }

    /// Parses the head. A missing length means an empty body only if the status allows none.
    private static func parse(head: ArraySlice<UInt8>) -> (status: Int, length: Int)? {
        let lines = head.split(separator: 10)
        guard let statusLine = lines.first,
            statusLine.starts(with: "HTTP/1.1 ".utf8) || statusLine.starts(with: "HTTP/1.0 ".utf8)
        else { return nil }
        guard let status = number(statusLine.dropFirst(9).prefix { $0 != 32 && $0 != 13 }), (200...599).contains(status) else {
            return nil
        }
        var length: Int?
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            if name == "transfer-encoding" { return nil }
            guard name == "content-length" else { continue }
            let value = line[(colon + 1)...].drop { $0 == 32 || $0 == 9 }.prefix { $0 != 13 && $0 != 32 && $0 != 9 }
            guard length == nil, let announced = number(value) else { return nil }
            length = announced
        }
        if let length { return (status, length) }
        return status == 204 ? (status, 0) : nil
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        guard (1...9).contains(digits.count) else { return nil }
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            value = value * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return value
    }
}

/// An HTTP/1.1 response while it is received: RFC 9112, as strict as a client may be. A response is malformed if two parsers could
/// disagree on the end of its body.
struct HTTP1Response {
    enum ParseError: Error, Equatable {
        case malformed(String)
        case tooLarge
    }

    private enum Body {
        /// A body of that many bytes.
        case counted(Int)
        case chunked
        /// A body that ends with the connection.
        case untilEnd
    }

    private var bytes: [UInt8] = []
    /// The parsed head; nil until it is complete.
    private var head: (message: HTTP2Message, body: Body, start: Int, isLast: Bool)?
    /// Interim responses (1xx) so far; too many are an error.
    private var informals = 0
    private static let informalsMax = 8
    /// Largest line with a chunk's size, including extensions that some servers add.
    private static let chunkLineBytesMax = 256

    /// Adds input. Returns the response once it is complete, and true if it is the last on its connection.
    mutating func append(
        _ more: [UInt8], _ limits: HTTP2Limits
    ) throws(ParseError) -> (message: HTTP2Message, isLast: Bool)? {
        bytes += more
        while head == nil {
            guard let end = Self.endOfHead(bytes) else {
                guard bytes.count <= limits.headerBytesMax else { throw .tooLarge }
                return nil
            }
            guard end <= limits.headerBytesMax else { throw .tooLarge }
            let read = try Self.read(head: bytes[..<end])
            guard (100..<200).contains(read.message.status ?? 0) else {
                head = (read.message, read.body, end, read.isLast)
                break
            }
            informals += 1
            guard read.message.status != 101, informals <= Self.informalsMax else {
                throw .malformed("an answer of 1xx out of place")
            }
            bytes.removeFirst(end)
        }
        guard let head else { return nil }
        let room = limits.bodyBytesMax
        switch head.body {
        case .counted(let count):
            guard count <= room else { throw .tooLarge }
            guard bytes.count - head.start >= count else { return nil }
            return whole(head, Array(bytes[head.start..<head.start + count]), restAt: head.start + count)
        case .chunked:
            let found = try Self.chunks(bytes[head.start...], room)
            // Chunk sizes and trailers count as well, so that one-byte chunks cannot bypass the limit.
            guard (found?.end ?? bytes.count) - head.start <= 4 * room + limits.headerBytesMax else { throw .tooLarge }
            return found.map { whole(head, $0.body, restAt: $0.end) }
        case .untilEnd:
            guard bytes.count - head.start <= room else { throw .tooLarge }
            return nil
        }
    }

    /// The response that the end of the connection completes.
    func end() -> (message: HTTP2Message, isLast: Bool)? {
        guard let head, case .untilEnd = head.body else { return nil }
        return whole(head, Array(bytes[head.start...]), restAt: bytes.count)
    }

    private func whole(
        _ head: (message: HTTP2Message, body: Body, start: Int, isLast: Bool), _ body: [UInt8], restAt end: Int
    ) -> (message: HTTP2Message, isLast: Bool) {
        var message = head.message
        message.body = body
        // Bytes after a complete response were not requested: the connection is not used for another request.
        return (message, head.isLast || end < bytes.count)
    }

    // MARK: Reading

    private static let lineEnd: [UInt8] = [13, 10]

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (4...bytes.count).first { bytes[$0 - 4..<$0].elementsEqual([13, 10, 13, 10]) }
    }

    private static func read(head bytes: ArraySlice<UInt8>) throws(ParseError) -> (
        message: HTTP2Message, body: Body, isLast: Bool
    ) {
        guard bytes.allSatisfy({ $0 != 0 }) else { throw .malformed("a head with a zero in it") }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let first = lines.first?.utf8, first.starts(with: "HTTP/1.".utf8), lines[0].utf8.count >= 12,
            let status = Int(lines[0].dropFirst(9).prefix(3)), (100..<600).contains(status)
        else { throw .malformed("a first line that is none of HTTP/1.1") }
        var headers: [HTTP2Header] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                line[..<colon].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !line.utf8.contains(where: { $0 == 13 || $0 == 10 })
            else { throw .malformed("a header that is none") }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let end = value.lastIndex { $0 != " " && $0 != "\t" }.map { value.index(after: $0) } ?? value.startIndex
            headers.append(HTTP2Header(line[..<colon].lowercased(), String(value[..<end])))
        }
        let message = HTTP2Message(status: status, headers: headers)
        let isOld = lines[0].utf8.dropFirst(7).first == UInt8(ascii: "0")
        let closes = values("connection", headers).contains("close")
        let body = try body(status, headers)
        let isUntilEnd = if case .untilEnd = body { true } else { false }
        return (message, body, isOld || closes || isUntilEnd)
    }

    private static func body(_ status: Int, _ headers: [HTTP2Header]) throws(ParseError) -> Body {
        let codings = values("transfer-encoding", headers)
        let lengths = headers.filter { $0.name == "content-length" }.map(\.value)
        if (100..<200).contains(status) || status == 204 || status == 304 { return .counted(0) }
        if !codings.isEmpty {
            guard codings == ["chunked"], lengths.isEmpty else { throw .malformed("a body whose end is not clear") }
            return .chunked
        }
        guard let first = lengths.first else { return .untilEnd }
        guard lengths.count == 1, (1...9).contains(first.utf8.count), first.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(first)
        else { throw .malformed("a content-length that is none") }
        return .counted(count)
    }

    /// The comma-separated values of all fields of that name, in lower case.
    private static func values(_ name: String, _ headers: [HTTP2Header]) -> [String] {
        headers.filter { $0.name == name }.flatMap { $0.value.split(separator: ",") }
            .map { String($0.drop { $0 == " " }.prefix { $0 != " " }).lowercased() }
    }

    /// The body, and the index after it; nil while it is incomplete.
    private static func chunks(_ bytes: ArraySlice<UInt8>, _ room: Int) throws(ParseError) -> (body: [UInt8], end: Int)? {
        var (body, position): ([UInt8], Int) = ([], bytes.startIndex)
        while let (line, next) = try line(bytes[position...]) {
            let digits = line.prefix { $0 != UInt8(ascii: ";") }
            guard (1...8).contains(digits.count), let count = Int(String(decoding: digits, as: UTF8.self), radix: 16),
                count >= 0
            else { throw .malformed("a chunk without a size") }
            guard body.count + count <= room else { throw .tooLarge }
            position = next
            guard count > 0 else { return try trailers(bytes[position...]).map { (body, $0) } }
            guard bytes.endIndex - position >= count + 2 else { return nil }
            guard bytes[position + count..<position + count + 2].elementsEqual(lineEnd) else {
                throw .malformed("a chunk that is longer than it says")
            }
            body += bytes[position..<position + count]
            position += count + 2
        }
        return nil
    }

    /// Skips the trailers. Returns the index after the blank line, or nil if they are incomplete.
    private static func trailers(_ bytes: ArraySlice<UInt8>) throws(ParseError) -> Int? {
        var position = bytes.startIndex
        while let (line, next) = try line(bytes[position...]) {
            position = next
            if line.isEmpty { return position }
        }
        return nil
    }

    private static func line(_ bytes: ArraySlice<UInt8>) throws(ParseError) -> (line: ArraySlice<UInt8>, next: Int)? {
        let end = bytes.firstIndex(of: 13)
        guard (end ?? bytes.endIndex) - bytes.startIndex <= chunkLineBytesMax else { throw .malformed("a line without an end") }
        guard let end, end + 1 < bytes.endIndex else { return nil }
        guard bytes[end + 1] == 10 else { throw .malformed("a line that ends in the middle") }
        return (bytes[..<end], end + 2)
    }
}

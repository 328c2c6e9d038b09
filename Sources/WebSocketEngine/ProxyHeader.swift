internal import Glibc

/// The PROXY protocol header, version 1 or 2, with which a proxy begins a connection on behalf of a client; see HAProxy's
/// `proxy-protocol.txt`. Its content is believed, so it is read from trusted peers only.
struct ProxyHeader: Equatable {
    /// The client's numeric address, as IPv4 if it maps to one; nil if the proxy speaks for itself (`UNKNOWN`, `LOCAL`).
    let source: String?
    /// Length of the header in bytes.
    let count: Int

    enum ParseError: Error, Equatable {
        /// The header is incomplete: more bytes may complete it.
        case incomplete
        /// A fault, as a sentence.
        case malformed(String)
    }

    /// Largest header: more extra fields than any proxy sends.
    static let bytesMax = 1_024
    /// The longest line of version 1, including its end.
    private static let lineBytesMax = 107

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let word = Array("PROXY ".utf8)

    init(_ bytes: [UInt8]) throws(ParseError) {
        if Self.begins(bytes, Self.signature) {
            (source, count) = try Self.readBinary(bytes)
        } else if Self.begins(bytes, Self.word) {
            (source, count) = try Self.readLine(bytes)
        } else {
            throw .malformed("it does not begin with a PROXY header")
        }
    }

    /// True if the bytes so far match the beginning.
    private static func begins(_ bytes: [UInt8], _ beginning: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.prefix(beginning.count) == beginning.prefix(bytes.count)
    }

    // MARK: Version 1

    private static func readLine(_ bytes: [UInt8]) throws(ParseError) -> (String?, Int) {
        guard let end = bytes.prefix(lineBytesMax).firstIndex(of: UInt8(ascii: "\n")) else {
            throw bytes.count < lineBytesMax ? .incomplete : .malformed("the PROXY line does not end")
        }
        guard end > 0, bytes[end - 1] == UInt8(ascii: "\r") else { throw .malformed("the PROXY line ends wrong") }
        let words = bytes[..<(end - 1)].split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        let family: Int32
        switch words.dropFirst().first {
        case "UNKNOWN": return (nil, end + 1)
        case "TCP4": family = AF_INET
        case "TCP6": family = AF_INET6
        default: throw .malformed("the PROXY line names no TCP4, TCP6 or UNKNOWN")
        }
        guard words.count == 6, let source = address(words[2], family), address(words[3], family) != nil,
            UInt16(words[4]) != nil, UInt16(words[5]) != nil
        else { throw .malformed("the PROXY line names no two addresses and ports") }
        return (source, end + 1)
    }

    /// The address in the kernel's spelling; nil if it is not of this family.
    private static func address(_ text: String, _ family: Int32) -> String? {
        var bytes: [UInt8] = Array(repeating: 0, count: family == AF_INET ? 4 : 16)
        // C would treat a zero byte as the end.
        guard !text.utf8.contains(0), unsafe inet_pton(family, text, &bytes) == 1 else { return nil }
        return self.text(of: bytes)
    }

    // MARK: Version 2

    private static func readBinary(_ bytes: [UInt8]) throws(ParseError) -> (String?, Int) {
        let headCount = signature.count + 4
        guard bytes.count >= headCount else { throw .incomplete }
        let (version, family) = (bytes[12], bytes[13])
        let bodyCount = Int(bytes[14]) << 8 | Int(bytes[15])
        guard headCount + bodyCount <= bytesMax else { throw .malformed("the PROXY header is longer than \(bytesMax) bytes") }
        guard bytes.count >= headCount + bodyCount else { throw .incomplete }
        let body = bytes[headCount..<headCount + bodyCount]
        let count = headCount + bodyCount
        switch (version, family) {
        case (0x20, _): return (nil, count)
        case (0x21, 0x11):
            guard bodyCount >= 12 else { throw .malformed("the PROXY header is too short for IPv4") }
            return (text(of: Array(body.prefix(4))), count)
        case (0x21, 0x21):
            guard bodyCount >= 36 else { throw .malformed("the PROXY header is too short for IPv6") }
            return (text(of: Array(body.prefix(16))), count)
        // Unix sockets, and clients unknown to the proxy.
        case (0x21, 0x00), (0x21, 0x31): return (nil, count)
        default: throw .malformed("the PROXY header is of no version, command or family that is known")
        }
    }

    /// The address as text; an IPv4 address written as IPv6 becomes IPv4.
    private static func text(of bytes: [UInt8]) -> String? {
        let isMapped = bytes.count == 16 && bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        let bytes = isMapped ? Array(bytes.suffix(4)) : bytes
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let family = bytes.count == 4 ? AF_INET : AF_INET6
            guard unsafe inet_ntop(family, bytes, buffer.baseAddress, socklen_t(buffer.count)) != nil else { return nil }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }
}

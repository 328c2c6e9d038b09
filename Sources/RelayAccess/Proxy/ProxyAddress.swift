/// The address of an HTTP proxy in the network: `http://name:password@proxy.example:3128`.
package struct ProxyAddress: Hashable, Sendable, CustomStringConvertible {
    /// Default port, the same as curl's.
    private static let usualPort: UInt16 = 1080

    package let host: String
    package let port: UInt16
    /// `name:password`, percent-decoded.
    let credentials: [UInt8]?
    /// The address for the environment of another program.
    let text: String

    /// Nil if the text is not the address of a supported proxy; SOCKS proxies and those reached over TLS are not.
    package init?(_ text: String) {
        var rest = Substring(text)
        if let mark = text.range(ofFirst: "://") {
            guard text[..<mark.lowerBound].lowercased() == "http" else { return nil }
            rest = text[mark.upperBound...]
        }
        while rest.last == "/" { rest.removeLast() }
        var credentials: [UInt8]?
        if let at = rest.lastIndex(of: "@") {
            guard let decoded = Self.decoded(rest[..<at]) else { return nil }
            credentials = decoded.contains(UInt8(ascii: ":")) ? decoded : decoded + [UInt8(ascii: ":")]
            rest = rest[rest.index(after: at)...]
        }
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let (host, port) = RelayAddress.authority(rest) else {
            return nil
        }
        self.host = host
        self.port = port ?? Self.usualPort
        self.credentials = credentials
        self.text = text
    }

    /// The address without the credentials.
    package var description: String { "http://\(authority)" }

    var authority: String { RelayAddress.authority(host, port) }

    /// Percent-decodes the text; nil if a percent sign is not followed by two hexadecimal digits.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2, let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return bytes
    }
}

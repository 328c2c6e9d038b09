/// The origin of the page that uses a passkey, as browsers spell it: `https://relay.example`, `http://localhost:8787`. Its host is the
/// passkey's relying party id.
package struct PasskeyOrigin: Hashable, Sendable {
    /// A scheme, a host name of 253 characters and a port.
    package static let bytesMax = 272

    package let text: String
    /// The relying party id.
    package let host: String

    /// Nil unless browsers offer WebAuthn at the origin: a host name over TLS, or `localhost`. An IP address is not enough.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax else { return nil }
        let rest: Substring
        let isSecure = text.hasPrefix("https://")
        if isSecure {
            rest = text.dropFirst("https://".count)
        } else {
            guard text.hasPrefix("http://localhost") else { return nil }
            rest = text.dropFirst("http://".count)
        }
        let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 {
            guard let port = UInt16(parts[1]), String(port) == parts[1] else { return nil }
        }
        guard Self.isName(parts[0]), isSecure || parts[0] == "localhost" else { return nil }
        self.text = text
        host = String(parts[0])
    }

    /// Lowercase labels, the last of which is not a number.
    private static func isName(_ name: Substring) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        let isSpelled = labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy {
                    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || $0 == UInt8(ascii: "-")
                }
        }
        return isSpelled && labels.last?.utf8.contains { $0 >= UInt8(ascii: "a") } == true
    }
}

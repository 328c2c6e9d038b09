/// The link that a device shows to bring another: `RELAY/#pair=CODE&k=SECRET`.
///
/// The code is the relay's. The rest is made here: a relay that wrote all of it could have the secret sent to itself, in a query.
package struct VouchingLink: Equatable, Sendable {
    package let text: String

    /// `address` is the one at which this device reaches the relay itself. If that leads to the relay from this machine alone, `staysHere`, the
    /// address in what the relay gave is taken. Nil if the relay gave no link for pairing.
    package init?(_ given: String, at address: String, staysHere: Bool = false, _ secret: TrustSecret) {
        let parts = given.split(separator: "#", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix(Self.mark) else { return nil }
        let code = parts[1].dropFirst(Self.mark.count)
        guard Self.codeBytes.contains(code.utf8.count), code.utf8.allSatisfy(Self.isOfCode) else { return nil }
        var base = Substring(address)
        if staysHere {
            guard parts[0].hasPrefix("https://") || parts[0].hasPrefix("http://"), parts[0].utf8.allSatisfy(Self.isOfAddress)
            else { return nil }
            base = parts[0]
        }
        while base.last == "/" { base.removeLast() }
        text = "\(base)/#\(Self.mark)\(code)&k=\(secret.text)"
    }

    private static let mark = "pair="
    private static let codeBytes = 4...128

    private static func isOfCode(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    /// No query, no user name, no blank.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "?") && byte != UInt8(ascii: "@") && byte != UInt8(ascii: "\\")
    }
}

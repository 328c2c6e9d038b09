internal import Glibc

/// Addresses on the public internet. Endpoints come from clients: without this check a client could make the relay post to any
/// address in its own network.
package enum PublicAddress {
    /// True if `text` is a numeric public address; false also if it is no address.
    package static func contains(_ text: String) -> Bool {
        var four = in_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 { return isPublic(UInt32(bigEndian: four.s_addr)) }
        var six = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &six) == 1 else { return false }
        return isPublic(unsafe withUnsafeBytes(of: six) { unsafe Array($0) })
    }

    /// True if `text` is a numeric address of any kind.
    static func isAddress(_ text: String) -> Bool {
        var (four, six) = (in_addr(), in6_addr())
        return unsafe inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
    }

    /// IANA's registry of special-purpose IPv4 addresses, with multicast and reserved ranges.
    private static let specialFour: [(base: UInt32, bits: UInt32)] = [
        (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
        (0xC000_0000, 24), (0xC000_0200, 24), (0xC058_6300, 24), (0xC0A8_0000, 16), (0xC612_0000, 15), (0xC633_6400, 24),
        (0xCB00_7100, 24), (0xE000_0000, 3),
    ]

    private static func isPublic(_ address: UInt32) -> Bool {
        !specialFour.contains { address >> (32 - $0.bits) == $0.base >> (32 - $0.bits) }
    }

    /// True for global unicast, 2000::/3, except its ranges that embed another address or are not routed. Outside of it only
    /// NAT64's prefix is allowed, for networks without IPv4, judged by the embedded address.
    private static func isPublic(_ bytes: [UInt8]) -> Bool {
        let head = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
        if head == 0x0064_FF9B, bytes[4..<12].allSatisfy({ $0 == 0 }) {
            return isPublic(bytes.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })
        }
        let isProtocol = head >> 9 == 0x2001_0000 >> 9
        let isDocumentation = head == 0x2001_0DB8 || head >> 12 == 0x3FFF_0000 >> 12
        let isSixToFour = head >> 16 == 0x2002
        return head >> 29 == 1 && !isProtocol && !isDocumentation && !isSixToFour
    }
}

import Glibc

/// A numeric address. An IPv4 address in IPv6 form (`::ffff:192.0.2.1`) counts as IPv4.
struct IPAddress: Hashable, CustomStringConvertible {
    let isIPv4: Bool
    /// The address as a number; for IPv4 the lowest 32 bits.
    let bits: UInt128

    /// Nil if the text is no address. A zone (`fe80::1%eth0`) is ignored: it has a meaning on one machine only.
    init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        // C would take a zero byte for the end.
        guard !text.utf8.contains(0) else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            isIPv4 = true
            bits = UInt128(UInt32(bigEndian: four.s_addr))
        } else if unsafe inet_pton(AF_INET6, text, &six) == 1 {
            let whole = unsafe withUnsafeBytes(of: &six) { unsafe $0.reduce(UInt128(0)) { $0 << 8 | UInt128($1) } }
            isIPv4 = whole >> 32 == 0xFFFF
            bits = isIPv4 ? whole & 0xFFFF_FFFF : whole
        } else {
            return nil
        }
    }

    init(isIPv4: Bool, bits: UInt128) { (self.isIPv4, self.bits) = (isIPv4, bits) }

    var width: Int { isIPv4 ? 32 : 128 }

    /// The address with all but the first `length` bits set to zero.
    func prefix(_ length: Int) -> IPAddress {
        let rest = width - length
        return IPAddress(isIPv4: isIPv4, bits: rest >= 128 ? 0 : (bits >> UInt128(rest)) << UInt128(rest))
    }

    /// The addresses that one client can choose from: a single IPv4 address, an IPv6 /64.
    var household: IPAddress { isIPv4 ? self : prefix(64) }

    /// Network that is likely to contain the other households of a client that has many.
    var neighbourhood: IPNetwork { IPNetwork(self, isIPv4 ? 16 : 32) }

    var description: String {
        var bytes = (0..<(width / 8)).reversed().map { UInt8(truncatingIfNeeded: bits >> UInt128(8 * $0)) }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let written = unsafe inet_ntop(isIPv4 ? AF_INET : AF_INET6, &bytes, buffer.baseAddress, socklen_t(buffer.count))
            guard unsafe written != nil else { preconditionFailure("an address has a text") }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }
}

/// A network, such as `10.0.0.0/8`; a single address is also one.
struct IPNetwork: Hashable, CustomStringConvertible {
    let first: IPAddress
    /// Number of significant bits.
    let length: Int

    /// Nil if the text is invalid, or has bits set after the length, which is a mistake of its author.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        // For an IPv4 address in IPv6 form the prefix length counts from the beginning of the IPv6 address.
        let isMapped = address.isIPv4 && parts[0].contains(":")
        switch parts.count {
        case 1: length = address.width
        case 2:
            guard let length = Int(parts[1]).map({ isMapped ? $0 - 96 : $0 }), (0...address.width).contains(length) else {
                return nil
            }
            self.length = length
        default: return nil
        }
        guard address.prefix(length) == address else { return nil }
        first = address
    }

    init(_ address: IPAddress, _ length: Int) { (first, self.length) = (address.prefix(length), length) }

    func contains(_ address: IPAddress) -> Bool { address.isIPv4 == first.isIPv4 && address.prefix(length) == first }

    var description: String { length == first.width ? "\(first)" : "\(first)/\(length)" }
}

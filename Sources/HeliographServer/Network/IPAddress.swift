import Glibc

/// A numeric address. An IPv4 address that is written as IPv6 (`::ffff:192.0.2.1`) is IPv4.
struct IPAddress: Hashable, CustomStringConvertible {
    let isIPv4: Bool
    /// In network order; of IPv4 the last four bytes.
    let bits: UInt128

    /// Nil for what is none. A zone (`fe80::1%eth0`) is left out: it says something on one machine only.
    init?(_ text: some StringProtocol) {
        let text = String(text.prefix { $0 != "%" })
        // C would take it for the end.
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

    /// The beginning of this address, zeros behind it; `length` in bits.
    func prefix(_ length: Int) -> IPAddress {
        let rest = width - length
        return IPAddress(isIPv4: isIPv4, bits: rest >= 128 ? 0 : (bits >> UInt128(rest)) << UInt128(rest))
    }

    /// The range from which one visitor can choose: an address of IPv4, a /64 of IPv6.
    var household: IPAddress { isIPv4 ? self : prefix(64) }

    var description: String {
        var bytes = (0..<(width / 8)).reversed().map { UInt8(truncatingIfNeeded: bits >> UInt128(8 * $0)) }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            let written = unsafe inet_ntop(isIPv4 ? AF_INET : AF_INET6, &bytes, buffer.baseAddress, socklen_t(buffer.count))
            guard unsafe written != nil else { preconditionFailure("an address has a text") }
            return unsafe String(cString: buffer.baseAddress!)
        }
    }
}

/// Addresses with the same beginning: `10.0.0.0/8`; one address is a network of its own.
struct IPNetwork: Hashable, CustomStringConvertible {
    let first: IPAddress
    /// In bits.
    let length: Int

    /// Nil for what is none, and where bits behind the length are set: that is a slip of its author.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return nil }
        // A prefix length given in IPv6 form counts from the beginning of the mapped address.
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

    func contains(_ address: IPAddress) -> Bool { address.isIPv4 == first.isIPv4 && address.prefix(length) == first }

    var description: String { length == first.width ? "\(first)" : "\(first)/\(length)" }
}

/// A network whose registrations are counted together. A customer with one IPv6 /64 often has a /56, and easily gets a /48.
package struct RegistrationNetwork: Sendable, Equatable, CustomStringConvertible {
    /// In bits; nil: the address itself.
    package let length: Int?
    /// Multiple of one address's limit that it may have.
    package let share: Int
    /// The address, or the first address of the network.
    private let name: String
    private let bits: UInt64

    package var description: String { length.map { "\(name)/\($0)" } ?? name }

    private static let wider: [(length: Int, share: Int)] = [(56, 2), (48, 4)]

    /// Shares of an address and of the networks around it, the narrowest first.
    package static var shares: [Int] { [1] + wider.map(\.share) }

    /// The address and, of IPv6, the networks around it, the narrowest first. `address`: as in `Registration.from`.
    package static func around(_ address: String) -> [RegistrationNetwork] {
        guard let bits = firstBits(ofIPv6: address) else {
            return [RegistrationNetwork(length: nil, share: 1, name: address, bits: 0)]
        }
        let own = RegistrationNetwork(length: nil, share: 1, name: address, bits: bits)
        return [own]
            + wider.map { length, share in
                let first = (bits >> UInt64(64 - length)) << UInt64(64 - length)
                return RegistrationNetwork(length: length, share: share, name: text(first), bits: first)
            }
    }

    package func contains(_ address: String) -> Bool {
        guard let length else { return address == name }
        guard let other = Self.firstBits(ofIPv6: address) else { return false }
        return (other ^ bits) >> UInt64(64 - length) == 0
    }

    private static func text(_ bits: UInt64) -> String {
        var groups = (0..<4).map { UInt16(truncatingIfNeeded: bits >> UInt64(48 - 16 * $0)) }
        while groups.last == 0 { groups.removeLast() }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::"
    }

    /// First 64 bits of an IPv6 address whose other bits are zero; nil for any other text.
    private static func firstBits(ofIPv6 text: String) -> UInt64? {
        guard text.contains(":") else { return nil }
        // `::` stands for the second half, and for zeros in front of it.
        let groups = text.split(separator: ":", omittingEmptySubsequences: false).prefix { !$0.isEmpty }.prefix(4)
            .map { UInt16($0, radix: 16) }
        guard !groups.contains(nil) else { return nil }
        return (0..<4).reduce(0) { $0 << 16 | UInt64(groups.indices.contains($1) ? groups[$1] ?? 0 : 0) }
    }
}

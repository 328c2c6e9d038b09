package import RelayModel

/// The owner's identifiers for peers of an edge: below command peers, above every connection of its own.
///
///     63 62 61        48 47          28 27           0
///      0  1  link        generation     the edge's number
///
/// The generation counts how often the number was assigned, so that no identifier is used again.
package enum RemotePeer {
    // `PeerID.linkShift` is the sum of the bits of generation and number.
    private static let mark = PeerID.firstRemote.rawValue
    private static let (linkBits, generationBits, numberBits) = (UInt64(14), UInt64(20), UInt64(28))

    /// Links are counted from 1, and after this number from 1 again: no process has this many at once.
    package static let linksMax = 1 << 14
    package static let generationsMax = 1 << 20

    package static func name(link: Int, generation: Int, number: Int) -> PeerID {
        precondition(link < linksMax && generation < generationsMax && number < 1 << numberBits, "it has its bits")
        return PeerID(
            rawValue: mark | UInt64(link) << (generationBits + numberBits) | UInt64(generation) << numberBits | UInt64(number))
    }

    /// The link of a peer; nil for a peer of this node.
    package static func link(of rawValue: UInt64) -> Int? {
        guard rawValue & (3 << 62) == mark else { return nil }
        return Int(rawValue >> (generationBits + numberBits) & (1 << linkBits - 1))
    }

    package static func number(of rawValue: UInt64) -> Int { Int(rawValue & (1 << numberBits - 1)) }

    // MARK: - Calls

    /// Identifies a request of an edge by its link and the edge's number for it.
    package static func call(link: Int, number: UInt64) -> UInt64 {
        mark | UInt64(link) << callBits | number & (1 << callBits - 1)
    }

    package static func callNumber(of rawValue: UInt64) -> UInt64 { rawValue & (1 << callBits - 1) }

    private static let callBits: UInt64 = generationBits + numberBits
}

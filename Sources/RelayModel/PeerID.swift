/// One connection of a host or a client, or one command peer; never used again.
package struct PeerID: Hashable, Comparable, Sendable {
    /// From here on: command peers, each a client without a connection for as long as its one command takes. Connections of this
    /// node are counted from 1, and never come this far.
    package static let firstCommandPeer = PeerID(rawValue: 1 << 63)

    /// From here on, below those: peers at other nodes, by a name that begins with the link that they came over.
    package static let firstRemote = PeerID(rawValue: 1 << 62)
    package static let linkShift: UInt64 = 48

    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package var isCommandPeer: Bool { self >= Self.firstCommandPeer }

    /// True if both connected to the same node, so that their messages arrive in the order in which they connected.
    package func isAtOneNode(with other: PeerID) -> Bool {
        if self < Self.firstRemote, other < Self.firstRemote { return true }
        return rawValue >> Self.linkShift == other.rawValue >> Self.linkShift
    }

    package static func < (left: PeerID, right: PeerID) -> Bool { left.rawValue < right.rawValue }
}

/// Identifies one connection of a host or a client, or one command peer; never used again.
package struct PeerID: Hashable, Comparable, Sendable {
    /// The smallest identifier of a command peer: a client without a connection, for the duration of one command. Connections of
    /// this node are counted from 1 and never reach it.
    package static let firstCommandPeer = PeerID(rawValue: 1 << 63)

    /// The smallest identifier of a peer at another node; its upper bits identify the link that it came over.
    package static let firstRemote = PeerID(rawValue: 1 << 62)
    package static let linkShift: UInt64 = 48

    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package var isCommandPeer: Bool { self >= Self.firstCommandPeer }

    /// True if both are connected to the same node, so that their messages arrive in the order in which they connected.
    package func isAtOneNode(with other: PeerID) -> Bool {
        if self < Self.firstRemote, other < Self.firstRemote { return true }
        return rawValue >> Self.linkShift == other.rawValue >> Self.linkShift
    }

    package static func < (left: PeerID, right: PeerID) -> Bool { left.rawValue < right.rawValue }
}

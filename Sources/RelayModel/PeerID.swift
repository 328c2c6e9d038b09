/// One connection of a host or a client, or one command peer; never used again.
package struct PeerID: Hashable, Comparable, Sendable {
    /// From here on: command peers, each a client without a connection for as long as its one command takes. Connections are counted from 1, and
    /// never come this far.
    package static let firstCommandPeer = PeerID(rawValue: 1 << 63)

    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package var isCommandPeer: Bool { self >= Self.firstCommandPeer }

    package static func < (left: PeerID, right: PeerID) -> Bool { left.rawValue < right.rawValue }
}

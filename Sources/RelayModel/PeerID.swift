/// One connection of a host or a client; never used again.
package struct PeerID: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: PeerID, right: PeerID) -> Bool { left.rawValue < right.rawValue }
}

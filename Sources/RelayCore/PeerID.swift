/// One connection of a host or a client; never used again.
package struct PeerID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

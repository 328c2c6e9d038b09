/// When peers come back that a relay disconnects all at once: each at a moment of its own, hosts first.
package struct ReturnWindow {
    /// In milliseconds.
    package let forHosts: ClosedRange<Int64>
    package let forClients: ClosedRange<Int64>

    /// Duration of a restart or a takeover, in milliseconds.
    private static let first: Int64 = 1_000
    /// Time to take one peer back, in microseconds: two slow processors take back 4,000 a second, each with its snapshot. A peer that
    /// finds the relay slower than that waits in line, or is told to come again.
    private static let perPeer: Int64 = 250
    private static let max: Int64 = 30_000

    package init(peers: Int) {
        forHosts = 0...Self.first
        forClients = 0...min(Self.first + Self.perPeer * Int64(peers) / 1_000, Self.max)
    }
}

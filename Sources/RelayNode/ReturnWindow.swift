/// The time span in which peers reconnect that a relay disconnects all at once, spread at random, hosts first.
package struct ReturnWindow {
    /// Time spans for hosts, and below for clients, in milliseconds.
    package let forHosts: ClosedRange<Int64>
    package let forClients: ClosedRange<Int64>

    /// Duration of a restart or a takeover, in milliseconds.
    private static let first: Int64 = 1_000
    /// Time to accept one reconnecting peer, in microseconds: two slow processors accept 4,000 a second, each with its snapshot. If
    /// the relay is slower than that, peers wait in line, or are told to try again later.
    private static let perPeer: Int64 = 250
    private static let max: Int64 = 30_000

    package init(peers: Int) {
        forHosts = 0...Self.first
        forClients = 0...min(Self.first + Self.perPeer * Int64(peers) / 1_000, Self.max)
    }
}

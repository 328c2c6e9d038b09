/// When those come again whom a relay sends away all at once: each at a moment of its own, hosts first.
struct ReturnWindow {
    /// In milliseconds.
    let forHosts: ClosedRange<Int64>
    let forClients: ClosedRange<Int64>

    /// What a restart takes, and what taking one peer back takes with its snapshot, in milliseconds: within these nobody has to wait in line.
    private static let first: Int64 = 1_000
    private static let perPeer: Int64 = 2
    private static let max: Int64 = 30_000

    init(peers: Int) {
        forHosts = 0...Self.first
        forClients = 0...min(Self.first + Self.perPeer * Int64(peers), Self.max)
    }
}

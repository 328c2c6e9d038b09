import WebSocketEngine

/// All connections with one token, and their share: whoever opens hundreds has no more of a turn, nor of a batch. A class, so that it is found
/// once for each connection and changed in place.
final class Speaker {
    let token: String
    private(set) var connections: Set<ConnectionID> = []
    private var share = FairShares.Account()

    init(_ token: String) { self.token = token }

    func came(_ connection: ConnectionID) { connections.insert(connection) }
    /// Returns false if that was the last one.
    func left(_ connection: ConnectionID) -> Bool {
        connections.remove(connection)
        return !connections.isEmpty
    }

    /// See `FairShares.worked`. None of its connections is read while it rests: each would be served once more in this turn.
    func worked(_ nanoseconds: Int64, _ shares: inout FairShares) -> Int64? { shares.worked(nanoseconds, for: &share) }

    /// See `FairShares.staged`.
    func staged(_ cost: Int, _ shares: inout FairShares) -> Bool { shares.staged(cost, by: &share) }
}

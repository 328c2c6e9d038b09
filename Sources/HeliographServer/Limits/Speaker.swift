import WebSocketEngine

/// All connections with one token, and their share: whoever opens hundreds has no more of a turn, nor of a batch. A class, so that it is found
/// once for each connection and changed in place.
final class Speaker {
    let token: String
    private(set) var connections: Set<ConnectionID> = []
    private var share = FairShares.Account()
    /// The batch for which all its connections were held.
    private var heldBatch: Int?

    init(_ token: String) { self.token = token }

    func came(_ connection: ConnectionID) { connections.insert(connection) }
    /// Returns false if that was the last one.
    func left(_ connection: ConnectionID) -> Bool {
        connections.remove(connection)
        return !connections.isEmpty
    }

    /// See `FairShares.worked`. None of its connections is read while it rests: each would be served once more in this turn.
    func worked(_ nanoseconds: Int64, _ shares: inout FairShares) -> Int64? { shares.worked(nanoseconds, for: &share) }

    /// See `FairShares.staged`. Returns the connections to hold until the next batch: all of them once it has used its share, and then only the one
    /// that contributed nevertheless, as the others wait already; nil before that.
    func staged(_ cost: Int, by connection: ConnectionID, _ shares: inout FairShares) -> Set<ConnectionID>? {
        guard shares.staged(cost, by: &share) else { return nil }
        guard heldBatch != shares.batch else { return [connection] }
        heldBatch = shares.batch
        return connections
    }
}

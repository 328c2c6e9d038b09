import WebSocketEngine

/// All connections with one token, and their share: opening hundreds gives no larger part of a turn or a batch. A class, so that it
/// is looked up once for each connection and changed in place.
final class Speaker {
    let token: String
    private(set) var connections: Set<ConnectionID> = []
    private var share = FairShares.Account()
    /// The batch in which all its connections were paused.
    private var heldBatch: Int?

    init(_ token: String) { self.token = token }

    func came(_ connection: ConnectionID) { connections.insert(connection) }
    /// Returns false if that was the last one.
    func left(_ connection: ConnectionID) -> Bool {
        connections.remove(connection)
        return !connections.isEmpty
    }

    /// See `FairShares.worked`. All of its connections are paused for this time, as otherwise each would be served again in this
    /// turn.
    func worked(_ nanoseconds: Int64, _ shares: inout FairShares) -> Int64? { shares.worked(nanoseconds, for: &share) }

    /// See `FairShares.staged`. Returns the connections to pause until the next batch: all of them once the share is used, and
    /// after that only the one that contributed nevertheless, as the others are paused already; nil before.
    func staged(_ cost: Int, by connection: ConnectionID, _ shares: inout FairShares) -> Set<ConnectionID>? {
        guard shares.staged(cost, by: &share) else { return nil }
        guard heldBatch != shares.batch else { return [connection] }
        heldBatch = shares.batch
        return connections
    }
}

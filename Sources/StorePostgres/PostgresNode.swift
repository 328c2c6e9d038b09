internal import HeliographPostgreSQL
package import RelayCluster
package import RelayCore
internal import RelayProtocol
internal import Synchronization

/// One process of several on a database, before it owns the log: what an edge needs of the store, and the way to the rest of it.
///
/// `look`, `renew` and `claim` are called from one thread, and each takes `PostgresDatabase.askingMax` at most.
package final class PostgresNode: Sendable {
    package let credentials: PostgresCredentials
    package let secrets: PostgresSecrets
    private let database: PostgresDatabase
    private let ownership: Ownership
    private let connection = Mutex<PostgresConnection?>(nil)

    /// Makes the tables where there are none, and brings older ones up to date. Throws `unreachable` where the database is not there, not
    /// fit for it, or a newer version's.
    package init(_ address: String, as identity: NodeIdentity? = nil) throws(LogError) {
        ownership = Ownership(identity)
        database = PostgresDatabase(address, name: ownership.name)
        credentials = PostgresCredentials(database)
        secrets = PostgresSecrets(database)
        try use { try Migration.bringUpToDate($0) }
    }

    /// This process, and no other.
    package var holder: String { ownership.holder }

    /// `changes` is how often tokens and workspaces were changed.
    package func look() throws(LogError) -> (view: ClusterView, changes: Int64) { try use(ownership.view) }

    /// Whether other nodes are alive, whoever owns the log.
    package func hasCompany() throws(LogError) -> Bool { try use(ownership.hasCompany) }

    /// What a commit survives that the database has acknowledged.
    package func durability() throws(LogError) -> Durability {
        try use { try Durability.read(on: $0, within: PostgresDatabase.askingMax) }
    }

    /// Says that this node is alive.
    package func renew() throws(LogError) { try use { _ = try ownership.renewLease(on: $0) } }

    /// The whole store, where nobody who is alive holds the log; nil where somebody does. The node is the store's from then on.
    package func claim() throws(LogError) -> PostgresStore? {
        let claimed = try use { connection in try ownership.claim(connection).map { ($0, connection) } }
        guard let (claim, claiming) = claimed else { return nil }
        connection.withLock { $0 = nil }
        return try PostgresStore(database, ownership, claim, claiming)
    }

    /// Says goodbye to the other nodes. Nothing can be asked afterwards.
    package func close() throws(LogError) {
        try use { try ownership.giveUp(on: $0) }
        connection.withLock { $0 = nil }
        database.close()
    }

    private func use<Value>(_ body: (PostgresConnection) throws -> Value) throws(LogError) -> Value {
        do {
            return try connection.withLock { connection in
                // Whatever went wrong with it, the next one is another.
                let current = try connection ?? database.connect(for: "node")
                connection = nil
                let value = try body(current)
                connection = current
                return value
            }
        } catch {
            throw LogError(error)
        }
    }
}

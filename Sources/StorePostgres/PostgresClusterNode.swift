internal import HeliographPostgreSQL
package import RelayCluster
package import RelayCore
internal import RelayProtocol
internal import Synchronization

/// One process of several on a database of which one owns everything, before it owns the log: what an edge needs of the store, and the way
/// to the rest of it.
///
/// `look`, `renew` and `claim` are called from one thread, and each takes `PostgresDatabase.askingMax` at most.
package final class PostgresClusterNode: Sendable {
    package let credentials: PostgresCredentials
    package let secrets: PostgresSecrets
    private let database: PostgresDatabase
    private let ownership: Ownership
    private let connection = Mutex<PostgresConnection?>(nil)

    /// Makes the tables where there are none, and brings older ones up to date. Throws `unreachable` where the database is not there, not
    /// fit for it, or a newer version's; with the reason `refusal`, where that says why relays of an older version must not be replaced by
    /// this one, and such relays serve.
    package init(
        _ address: String, as identity: NodeIdentity? = nil, refusal: (Durability) -> String? = { _ in nil }
    ) throws(LogError) {
        ownership = Ownership(identity)
        database = PostgresDatabase(address, name: ownership.name)
        credentials = PostgresCredentials(database)
        secrets = PostgresSecrets(database)
        try use { connection in
            try Migration.check(connection)
            let reason = refusal(try Durability.read(on: connection, within: PostgresDatabase.askingMax))
            try Migration.bringUpToDate(connection, reason.map { .spare(because: $0) } ?? .replace)
        }
    }

    /// This process, and no other.
    package var holder: String { ownership.holder }

    /// `changes` is how often tokens and workspaces were changed.
    package func look() throws(LogError) -> (view: ClusterView, changes: Int64) { try use(Self.view) }

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

    /// The nodes, the owner, and how often tokens and workspaces were changed.
    private static func view(_ connection: PostgresConnection) throws -> (view: ClusterView, changes: Int64) {
        let rows = try connection.run(
            [
                PostgresStatement(
                    """
                    SELECT generation, owners.holder, \(Ownership.isFree()), name, url, link_secret, link_version, entrants.changes
                    FROM entrants, owners LEFT JOIN nodes USING (holder) WHERE scope = '\(Ownership.whole)'
                    """),
                PostgresStatement(
                    "SELECT holder, name FROM nodes WHERE expires_at > now() AND name IS NOT NULL ORDER BY holder"),
            ], within: PostgresDatabase.askingMax)
        let owner = rows[0][0]
        var address: NodeAddress?
        if let holder = owner.optionalText(1), let name = owner.optionalText(3), let url = owner.optionalText(4),
            let secret = owner.optionalText(5)
        {
            address = NodeAddress(holder: holder, name: name, url: url, secret: secret, version: Int(owner.integer(6)))
        }
        let nodes = rows[1].map { ClusterView.Node(holder: $0.text(0), name: $0.text(1)) }
        return (
            ClusterView(
                generation: owner.integer(0), holder: owner.optionalText(1), isFree: owner.bool(2), owner: address, nodes: nodes
            ),
            owner.integer(7)
        )
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

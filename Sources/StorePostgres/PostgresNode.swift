internal import HeliographPostgreSQL
package import RelayCluster
package import RelayCore
package import RelayProtocol
internal import RelayStore
internal import Synchronization

/// One process of several on a database, each of which owns some of the workspaces. See decision record 0086.
///
/// The lease belongs to the node, and losing it loses everything that the node owns; single workspaces are claimed, handed over and
/// lost separately.
package final class PostgresNode: Sendable {
    /// Time after which this node must regard everything as lost, measured from before the last renewal was sent, by a clock that
    /// continues while the machine sleeps. Another node may replace it a second later.
    package static let renewalMax = Ownership.renewalMax
    /// Maximum duration of a query.
    package static let askingMax = PostgresDatabase.askingMax

    package let credentials: PostgresCredentials
    package let secrets: PostgresSecrets
    package let pictures: PostgresPictures
    package let addresses: PostgresAddresses
    /// Upkeep of the whole database.
    package let upkeep: PostgresUpkeep
    private let database: PostgresDatabase
    private let ownership: Ownership
    private let connection = Mutex<PostgresConnection?>(nil)
    /// Claimed workspaces that may still be in use.
    private let workspaces = Mutex<[Claimed]>([])

    private struct Claimed { weak var value: PostgresWorkspace? }

    private var claimed: [PostgresWorkspace] { workspaces.withLock { $0.compactMap(\.value) } }

    /// Creates the tables if there are none, and brings older ones up to date. Throws `unreachable` if the database cannot be reached, is
    /// not suitable, or belongs to a newer version. If relays of an older version are running and `refusal` returns a reason why this one
    /// must not replace them, throws `unreachable` with that reason.
    package init(
        _ address: String, as identity: NodeIdentity? = nil, refusal: (Durability) -> String? = { _ in nil }
    ) throws(LogError) {
        ownership = Ownership(identity)
        database = PostgresDatabase(address, name: ownership.name)
        credentials = PostgresCredentials(database)
        secrets = PostgresSecrets(database)
        pictures = PostgresPictures(database)
        addresses = PostgresAddresses(database)
        upkeep = PostgresUpkeep(database, .everything, DamageRegister())
        try use { connection, _ in
            try Migration.check(connection)
            let reason = refusal(try Durability.read(on: connection, within: Self.askingMax))
            try Migration.bringUpToDate(connection, at: address, reason.map { .spare(because: $0) } ?? .replace)
        }
    }

    /// Name of the schema with the tables.
    package var schema: String { database.schema ?? "" }

    /// Identifies this process only.
    package var holder: String { ownership.holder }

    // MARK: - From one thread

    /// Reads the workspaces with their owners, and the live nodes, including those that are leaving. A removed workspace is included as
    /// long as any of its data is left. `changes` counts the changes of tokens and workspaces.
    ///
    /// Closes the connections of workspaces without a recent commit.
    package func look(within limit: Duration = askingMax) throws(LogError) -> (view: PlacementView, changes: Int64) {
        for owned in claimed { owned.log.disconnect() }
        return try use(within: limit) { try PlacementView.read(on: $0, within: $1) }
    }

    /// True if other nodes are alive, whether they own anything or not.
    package func hasCompany() throws(LogError) -> Bool { try use { connection, _ in try ownership.hasCompany(connection) } }

    /// Failures that a commit survives once the database has acknowledged it.
    package func durability() throws(LogError) -> Durability { try use { try Durability.read(on: $0, within: $1) } }

    /// Renews this node's lease, and announces whether it is about to end: others hand it no workspaces then. Throws `fenced` if the node
    /// owns something and the database has been restored or promoted since.
    package func renew(isLeaving: Bool, within limit: Duration = askingMax) throws(LogError) {
        try use(within: limit) { try ownership.renewLease(isLeaving: isLeaving, on: $0, within: $1) }
    }

    // MARK: - From any thread

    /// Claims a workspace that had this generation when it was read; nil if another process was faster, its owner is alive, or
    /// there is no such workspace. An earlier claim of this node on it is closed.
    ///
    /// Once this returns, the claim is as durable as any commit: what is loaded after it is what was committed before it, even on a
    /// standby. So it may wait for a standby longer than a lease lasts, on its own connection: do not call it on the thread that
    /// renews.
    package func claim(_ workspace: WorkspaceID, generation: Int64) throws(LogError) -> PostgresWorkspace? {
        // Two claims of one process would use the same connection name, and end each other's connections again and again.
        for owned in claimed where owned.workspace == workspace { owned.close() }
        let connection: PostgresConnection
        do { connection = try database.connect(for: "claim") } catch { throw LogError(error) }
        guard let claim = try ownership.claim(workspace, generation: generation, on: connection),
            let owned = PostgresWorkspace(database, ownership, claim)
        else { return nil }
        workspaces.withLock { workspaces in
            workspaces.removeAll { $0.value == nil }
            workspaces.append(Claimed(value: owned))
        }
        return owned
    }

    /// Releases everything that it still owns, and removes its node row. Nothing can be read or committed after this.
    package func close() throws(LogError) {
        for owned in claimed { owned.close() }
        connection.withLock { $0 = nil }
        database.close()
        do { try ownership.giveUp(on: database.connect(for: "end")) } catch { throw LogError(error) }
    }

    /// `body` gets the remaining time.
    private func use<Value>(
        within limit: Duration = askingMax, _ body: (PostgresConnection, Duration) throws -> Value
    ) throws(LogError) -> Value {
        let deadline = ContinuousClock.now + limit
        do {
            return try connection.withLock { connection in
                // After any error the connection is not used again.
                let current = try connection ?? database.connect(for: "node", within: limit)
                connection = nil
                let value = try body(current, deadline - ContinuousClock.now)
                connection = current
                return value
            }
        } catch {
            throw LogError(error)
        }
    }
}

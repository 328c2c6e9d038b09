internal import Foundation
internal import HeliographPostgreSQL
package import RelayCore
internal import RelayProtocol
internal import RelayStore
internal import Synchronization

/// A relay's data in a PostgreSQL database, and the ports to it.
///
/// Any number of relays and commands may have it open; one relay at a time owns the log, and commits to it. If several nodes share
/// the database, each uses a `PostgresNode` instead. Commits are as durable as the database: they survive the loss of its machine
/// if a standby is synchronous.
package final class PostgresStore: Sendable {
    package enum User: Sendable {
        /// A relay: waits until no other process owns anything. `isWanted` is called four times a second; false ends the wait.
        case relay(isWanted: @Sendable () -> Bool)
        case commandLine
    }

    /// Limit of changes other than commits of the log (tokens, workspaces and others) that are under way or wait for their turn.
    package static let changesMax = PostgresDatabase.changesMax

    package let log: PostgresSessionLog
    package let credentials: PostgresCredentials
    package let pictures: PostgresPictures
    package let addresses: PostgresAddresses
    package let audit: PostgresAudit
    package let upkeep: PostgresUpkeep
    package let secrets: PostgresSecrets
    private let database: PostgresDatabase
    private let ownership: Ownership
    /// Nil for the command line, and after `close`.
    private let lease: Mutex<Lease?>

    /// Creates the tables if there are none, and brings older ones up to date. Throws `unreachable` if the database cannot be reached, is
    /// not suitable, or belongs to a newer version.
    package convenience init(_ address: String, for user: User) throws(LogError) {
        let ownership = Ownership()
        let database = PostgresDatabase(address, name: ownership.name)
        do {
            let connection = try database.connect(for: "start")
            switch user {
            case .relay(let isWanted):
                try Migration.bringUpToDate(connection, at: address, .replace)
                let (claim, claiming) = try Self.standBy(ownership, database, connection, isWanted)
                try self.init(database, ownership, claim, claiming)
            case .commandLine:
                try Migration.bringUpToDate(connection, at: address, .spareForCommand)
                try self.init(database, ownership, readingIn: Self.epoch(connection))
            }
        } catch {
            throw LogError(error)
        }
    }

    /// Opens the store as the log's owner, with the connection that claimed it.
    convenience init(
        _ database: PostgresDatabase, _ ownership: Ownership, _ claim: Ownership.Claim, _ claiming: PostgresConnection
    ) throws(LogError) {
        let damage = DamageRegister()
        let lease = try Lease(database, ownership, claim, claiming)
        let writer = LogWriter(database, ownership, claim, damage) { lease.fenced($0) }
        let log = PostgresSessionLog(
            database, claim.scope, epoch: claim.epoch, ofWorkspaces: claim.epochs, writer: writer, damage: damage)
        self.init(database, ownership, log, lease, damage)
    }

    private convenience init(_ database: PostgresDatabase, _ ownership: Ownership, readingIn epoch: Epoch) {
        let damage = DamageRegister()
        let log = PostgresSessionLog(database, .everything, epoch: epoch, ofWorkspaces: [:], writer: nil, damage: damage)
        self.init(database, ownership, log, nil, damage)
    }

    private init(
        _ database: PostgresDatabase, _ ownership: Ownership, _ log: PostgresSessionLog, _ lease: Lease?,
        _ damage: DamageRegister
    ) {
        self.ownership = ownership
        self.database = database
        self.log = log
        self.lease = Mutex(lease)
        credentials = PostgresCredentials(database)
        pictures = PostgresPictures(database)
        addresses = PostgresAddresses(database)
        audit = PostgresAudit(database)
        secrets = PostgresSecrets(database)
        upkeep = PostgresUpkeep(database, .everything, damage)
    }

    private static func standBy(
        _ ownership: Ownership, _ database: PostgresDatabase, _ first: PostgresConnection, _ isWanted: @Sendable () -> Bool
    ) throws -> (Ownership.Claim, PostgresConnection) {
        var connection = Optional(first)
        while true {
            do throws(LogError) {
                let current: PostgresConnection
                do { current = try connection ?? database.connect(for: "start") } catch { throw LogError(error) }
                connection = current
                if let claim = try ownership.claim(current) { return (claim, current) }
            } catch {
                // A standby relay keeps waiting if the database is unreachable for a while.
                guard case .unreachable(isPassing: true) = error.code, isWanted() else { throw error }
                connection = nil
            }
            guard isWanted() else {
                throw LogError(.unreachable(isPassing: true), "Another relay holds the database.")
            }
            Thread.sleep(forTimeInterval: Ownership.lookingSeconds)
        }
    }

    /// The epoch that the last relay began; before the first one, a placeholder without meaning.
    private static func epoch(_ connection: PostgresConnection) throws -> Epoch {
        let rows = try connection.run(
            PostgresStatement("SELECT coalesce(epoch, 'none') FROM owners WHERE scope = $1::text", .text(Ownership.whole)),
            within: PostgresDatabase.askingMax)
        return try Stored.identifier(rows[0].text(0))
    }

    /// Name of the schema with the tables.
    package var schema: String { database.schema ?? "" }

    /// `body` is called once, on a separate thread, when another relay may have taken over, or the database was unreachable for so
    /// long that one might have.
    package func whenLost(_ body: @escaping @Sendable (LogError) -> Void) {
        lease.withLock { $0 }?.whenLost(body)
    }

    /// `body` is called, on a separate thread, soon after this and within `Lease.interval` of each change of tokens or workspaces.
    package func whenEntrantsChanged(_ body: @escaping @Sendable () -> Void) {
        lease.withLock { $0 }?.whenEntrantsChanged(body)
    }

    /// `body` is called, on any thread, soon after the start and within half a minute of each change of the database's durability.
    package func whenDurabilityChanged(_ body: @escaping @Sendable (Durability) -> Void) {
        lease.withLock { $0 }?.whenDurabilityChanged(body)
    }

    /// True if a relay owns the log, or a node one of its workspaces, and its lease has not expired.
    package func isHeld() throws(LogError) -> Bool {
        try database.ask(
            "SELECT EXISTS (SELECT FROM owners JOIN nodes USING (holder) WHERE expires_at > now())")[0].bool(0)
    }

    /// Releases the log for the next relay. Nothing can be read or written after this.
    ///
    /// A process that ends without this call is replaced as soon as its connections have ended, or its lease.
    package func close() throws(LogError) {
        upkeep.stopChecking()
        let lease = lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
        lease?.finish()
        log.close()
        database.close()
        guard lease != nil else { return }
        do { try ownership.giveUp(on: database.connect(for: "end")) } catch { throw LogError(error) }
    }
}

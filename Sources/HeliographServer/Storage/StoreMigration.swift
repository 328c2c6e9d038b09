import Foundation
import RelayProtocol
import RelayStore
import StorePostgres
import StoreSQLite

/// Moves all data of a relay from its folder to a database, or back, while no relay uses either.
///
/// The target gets everything or nothing, and the source keeps everything. The source's epoch continues at the target, so clients
/// reconnect with their positions; a relay that still starts on the source begins another epoch.
package struct StoreMigration {
    package enum End: Sendable, Equatable {
        /// The relay's data directory.
        case folder(String)
        case database(String)

        /// `folder` makes a path from the argument. Throws if the argument looks like a database's address and is invalid.
        package init(_ said: String, folder: (String) -> String) throws(ServerError) {
            if let address = StoreAddress.read(said) {
                self = .database(address)
            } else if said.hasPrefix("postgres:") || said.hasPrefix("postgresql:") {
                throw ServerError(.settings, "A database is named as \(StoreAddress.takes).")
            } else {
                self = .folder(folder(said))
            }
        }
    }

    /// Result of a migration.
    package struct MigrationReport: Sendable {
        package let tables: [MovedPart]
        /// The old data file's new name; nil if the source was a database.
        package let kept: String?
    }

    /// A moved table, as each side has it.
    package struct MovedPart: Sendable {
        package let name: String
        package let from: MovedSide
        package let to: MovedSide

        fileprivate init(_ outcome: StoreMove.ComparedTable) {
            name = outcome.table.rawValue
            (from, to) = (MovedSide(outcome.source), MovedSide(outcome.target))
        }
    }

    package struct MovedSide: Sendable {
        package let rows: Int64
        /// The digest of all rows, as 64 hexadecimal digits.
        package let digest: String
        /// Number of damaged rows.
        package let damaged: Int64

        fileprivate init(_ digest: TableDigest) {
            (rows, damaged) = (digest.rows, digest.damaged)
            self.digest = digest.text
        }
    }

    package struct MoveStep: Sendable {
        package let table: String
        package let rows: Int64
        package let rowsOfTable: Int64
        package let isComparing: Bool

        fileprivate init(_ progress: StoreMove.Progress) {
            (table, isComparing) = (progress.table.rawValue, progress.isComparing)
            (rows, rowsOfTable) = (progress.rows, progress.rowsOfTable)
        }
    }

    private let source: End
    private let target: End

    /// Throws if the two cannot be moved to each other.
    package init(from source: End, to target: End) throws {
        (self.source, self.target) = (source, target)
        switch (source, target) {
        case (.folder, .database), (.database, .folder): break
        case (.folder, .folder):
            throw ServerError(
                .settings,
                "Name a database on one side: \(StoreAddress.takes). A folder is copied by `heliograph backup` and `restore`")
        case (.database, .database):
            throw ServerError(
                .settings, "Name a relay's data folder on one side. A database is copied by what runs it, such as pg_dump")
        }
    }

    package func run(_ progress: (MoveStep) -> Void = { _ in }) throws -> MigrationReport {
        func tell(_ step: StoreMove.Progress) { progress(MoveStep(step)) }
        return switch (source, target) {
        case (.folder(let folder), .database(let address)): try move(folder, toDatabase: address, tell)
        case (.database(let address), .folder(let folder)): try move(fromDatabase: address, to: folder, tell)
        default: preconditionFailure("`init` has refused it")
        }
    }

    private func move(
        _ folder: String, toDatabase address: String, _ progress: (StoreMove.Progress) -> Void
    ) throws -> MigrationReport {
        if let noted = try StoreAddressFile.read(in: folder) {
            throw ServerError(.settings, "The relay of \(folder) keeps its data in \(noted), not in the folder")
        }
        let directory = try DataDirectory(existing: folder)
        let database = try MovedDatabase(address)
        try database.refuseData()
        var tables: [StoreMove.ComparedTable] = []
        let kept = try directory.move { source in
            tables = try StoreMove.copy(from: source.file, to: database, progress)
            try SharedSecrets.take(from: directory.path, database.put)
            // In this order, so that there are never two stores with one epoch.
            try source.giveUpEpoch()
            try database.commit(epoch: source.epoch)
            // Before the data file is renamed: if the process is killed here, the folder is found to belong to the database.
            try StoreAddressFile.write(address, in: directory.path)
        }
        return MigrationReport(tables: tables.map(MovedPart.init), kept: kept)
    }

    private func move(
        fromDatabase address: String, to folder: String, _ progress: (StoreMove.Progress) -> Void
    ) throws -> MigrationReport {
        let noted = try StoreAddressFile.read(in: folder)
        if let noted, noted != address {
            throw ServerError(.settings, "The relay of \(folder) keeps its data in \(noted), which is another database")
        }
        let directory = try DataDirectory(path: folder)
        let tables = try directory.receive { file in
            let database = try MovedDatabase(address)
            let tables = try StoreMove.copy(from: database, to: file, progress)
            let epoch = try database.epoch()
            try SharedSecrets.put(database.secret, in: directory.path)
            try database.commit(epoch: nil)
            return (tables, epoch)
        }
        try StoreAddressFile.remove(in: directory.path)
        return MigrationReport(tables: tables.map(MovedPart.init), kept: nil)
    }
}

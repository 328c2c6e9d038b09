internal import Foundation
internal import HeliographPostgreSQL
internal import HeliographTestSupport
package import RelayCluster
package import RelayProtocol
package import StorePostgres
internal import Synchronization

/// A real PostgreSQL, one for all tests of this process, with a database for each test.
package final class PostgresServer: Sendable {
    private static let shared = Result { try PostgresServer() }

    /// Folder of the socket.
    package let folder: String
    private let process: Mutex<Process>
    /// The server ends with this pipe, also if this process is killed.
    private let standardInput = Pipe()

    /// `settings` are PostgreSQL's own settings.
    package init(settings: [String] = ["fsync=off", "full_page_writes=off"]) throws {
        // The name of a socket has room for a hundred bytes.
        folder = NSTemporaryDirectory() + "heliograph-pg-\(UUID().uuidString.prefix(8))"
        let process = Process()
        let output = Pipe()
        process.executableURL = Self.script
        process.arguments = [folder] + settings
        process.standardInput = standardInput
        process.standardOutput = output
        try process.run()
        self.process = Mutex(process)
        let said = try output.fileHandleForReading.read(upToCount: 5) ?? Data()
        guard String(decoding: said, as: UTF8.self) == "ready" else { throw TestFailure("PostgreSQL did not start") }
    }

    deinit { end() }

    /// Returns when it has ended.
    package func end() {
        try? standardInput.fileHandleForWriting.close()
        process.withLock { $0.waitUntilExit() }
    }

    /// A new and empty database.
    package func makeDatabase() throws -> String {
        let name = "t" + UUID().uuidString.lowercased().filter { $0 != "-" }
        let connection = try PostgresConnection(to: address(of: "postgres"), as: "tests")
        _ = try connection.run(.once("CREATE DATABASE \(name)"), within: .seconds(60))
        return address(of: name)
    }

    package func address(of database: String) -> String { "host=\(folder) user=heliograph dbname=\(database)" }

    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    private static let script = root.appending(path: "Tests/Tools/postgres-server")

    /// HELIOGRAPH_SKIPS=fail: a missing server fails a test instead of skipping it.
    package static let isExpected: Bool = {
        if ProcessInfo.processInfo.environment["HELIOGRAPH_SKIPS"] == "fail" { return true }
        return [root.appending(path: ".build/servers/usr/lib/postgresql").path, "/usr/lib/postgresql"].contains { folder in
            let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return versions.contains { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)/bin/postgres") }
        }
    }()

    // MARK: - A database for each test

    /// Databases by the test's folder.
    private static let databases = Mutex<[String: String]>([:])
    private static let stores = Mutex<[String: [PostgresStore]]>([:])
    private static let nodes = Mutex<[String: [PostgresNode]]>([:])

    static func folder() throws -> String { try shared.get().folder }

    static func database(ofTestIn path: String) throws -> String {
        if let known = databases.withLock({ $0[path] }) { return known }
        let made = try shared.get().makeDatabase()
        databases.withLock { $0[path] = made }
        return made
    }

    static func keep(_ store: PostgresStore, forTestIn path: String) {
        stores.withLock { $0[path, default: []].append(store) }
    }

    static func keep(_ node: PostgresNode, forTestIn path: String) {
        nodes.withLock { $0[path, default: []].append(node) }
    }

    /// Closes what the test has left open: connections are few.
    static func end(testIn path: String) {
        databases.withLock { $0[path] = nil }
        for store in stores.withLock({ $0.removeValue(forKey: path) }) ?? [] { try? store.close() }
        for node in nodes.withLock({ $0.removeValue(forKey: path) }) ?? [] { try? node.close() }
    }
}

extension Scratch {
    /// The folder of the tests' server's socket.
    package func postgresFolder() throws -> String { try PostgresServer.folder() }

    /// Address of the test's database, for a relay or `psql`.
    package func postgresAddress() throws -> String { try PostgresServer.database(ofTestIn: path) }

    /// Opens the store like the relay; throws if another holds it. `folder` is another way to the server.
    package func openPostgres(
        by folder: String? = nil, isWanted: @escaping @Sendable () -> Bool = { false }
    ) throws -> PostgresStore {
        let address = try postgresAddress() + (folder.map { " host=\($0)" } ?? "")
        let store = try PostgresStore(address, for: .relay(isWanted: isWanted))
        PostgresServer.keep(store, forTestIn: path)
        return store
    }

    package func openPostgresAsCommandLine() throws -> PostgresStore {
        let store = try PostgresStore(postgresAddress(), for: .commandLine)
        PostgresServer.keep(store, forTestIn: path)
        return store
    }

    /// Opens one of several processes, under this name, with a valid lease.
    package func openPostgresNode(_ name: String = "n1") throws -> PostgresNode {
        let node = try PostgresNode(
            postgresAddress(), as: NodeIdentity(name: name, url: "http://\(name)", secret: "secret-\(name)", software: "tests"))
        PostgresServer.keep(node, forTestIn: path)
        try node.renew(isLeaving: false)
        return node
    }
}

extension PostgresNode {
    /// The workspace's row, as the node sees it now; nil: there is none.
    package func row(_ workspace: WorkspaceID) throws -> PlacementView.Row? {
        try look().view.rows.first { $0.scope == workspace.rawValue }
    }

    /// Claims the workspace as it is seen now.
    package func claim(_ workspace: WorkspaceID) throws -> PostgresWorkspace? {
        guard let row = try row(workspace) else { return nil }
        return try claim(workspace, generation: row.generation)
    }
}

internal import RelayCore
internal import RelayModel
internal import RelayProtocol
package import StoreSQLite

/// A data directory of its own for each test.
package struct Scratch: Codable, Sendable {
    @TaskLocal package static var current = Scratch(path: "")

    package let path: String

    package init(path: String) { self.path = path }

    package var databasePath: String { path + "/heliograph.sqlite" }

    /// Opens the store like the relay.
    package func open() throws -> SQLiteStore {
        let directory = try DataDirectory(path: path)
        return try SQLiteStore(directory, for: .relay(directory.lock()))
    }

    package func openAsCommandLine() throws -> SQLiteStore { try SQLiteStore(DataDirectory(path: path), for: .commandLine) }

    package func fill(_ count: Int) throws {
        let store = try open()
        _ = try store.credentials.bootstrap(workspaceName: "Home")
        var session = Writer(SessionKey(workspace: id("default"), session: id("s1")))
        for _ in 0..<count { try store.log.commit(session.batch(1, bytes: 1_000)) }
        try store.close()
    }
}

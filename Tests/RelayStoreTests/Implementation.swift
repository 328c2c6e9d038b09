import RelayCore
import RelayProtocol
import RelaySimulation
import RelayStore
import StorePostgres
import StoreSQLite
import StoreTestSupport
import Testing

/// The stores with every port that the contracts are about.
enum Implementation: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite, postgres

    static var allCases: [Self] { [.memory, .sqlite] + (PostgresServer.isExpected ? [.postgres] : []) }

    var testDescription: String { rawValue }

    /// A new and empty store with the workspaces `home` and `other`.
    func make() throws -> (log: any SessionLog & Sendable, credentials: any CredentialStore & WorkspaceStore) {
        let made = try ports()
        return (made.log, made.credentials)
    }

    typealias Ports = (
        log: any SessionLog & Sendable, credentials: any CredentialStore & WorkspaceStore, pictures: any PictureStore
    )

    /// The ports, with pictures.
    func ports() throws -> Ports {
        let made: Ports
        switch self {
        case .memory:
            let store = InMemoryStore(epoch: id("life1"), workspaces: [])
            made = (store, store, store)
        case .sqlite:
            let store = try Scratch.current.open()
            made = (store.log, store.credentials, store.pictures)
        case .postgres:
            let store = try Scratch.current.openPostgres()
            made = (store.log, store.credentials, store.pictures)
        }
        try made.credentials.addWorkspace(Named(id: .home, name: "Home"))
        try made.credentials.addWorkspace(Named(id: .other, name: "Other"))
        return made
    }
}

/// Implementations that the contracts of the log run on. The simulation's log has no credentials, so those contracts do not run on it.
enum LogImplementation: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite, postgres, simulation
    /// Logs of one workspace each, as a node has them.
    case node

    static var allCases: [Self] { [.memory, .sqlite, .simulation] + (PostgresServer.isExpected ? [.postgres, .node] : []) }

    var testDescription: String { rawValue }

    /// A new and empty log with the workspaces `home` and `other`.
    func make() throws -> any SessionLog {
        switch self {
        case .memory: try Implementation.memory.make().log
        case .sqlite: try Implementation.sqlite.make().log
        case .postgres: try Implementation.postgres.make().log
        case .node: try NodeLogs([.home, .other])
        case .simulation: SimulatedLog(workspaces: [.home, .other])
        }
    }
}

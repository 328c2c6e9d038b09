import RelayCore
import RelayProtocol
import RelayStore
import StoreSQLite
import StoreTestSupport
import Testing

/// The implementations that the contracts run on.
enum Implementation: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { rawValue }

    /// A new and empty store with the workspaces `home` and `other`.
    func make() throws -> (log: any SessionLog & Sendable, credentials: any CredentialStore) {
        let made: (log: any SessionLog & Sendable, credentials: any CredentialStore)
        switch self {
        case .memory:
            let store = InMemoryStore(epoch: id("life1"), workspaces: [])
            made = (store, store)
        case .sqlite:
            let store = try Scratch.current.open()
            made = (store.log, store.credentials)
        }
        try made.credentials.addWorkspace(Named(id: .home, name: "Home"))
        try made.credentials.addWorkspace(Named(id: .other, name: "Other"))
        return made
    }
}

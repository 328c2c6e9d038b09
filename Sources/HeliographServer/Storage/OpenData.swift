import RelayCore

/// The stored data of all workspaces together, opened by a relay that is alone or one of several.
protocol OpenData: Sendable {
    /// The data directory. Besides the data it contains what a relay on this machine needs: its address, sockets, keys, profiles.
    var folder: String { get }
    var credentials: any CredentialStore { get }
    var workspaces: any WorkspaceStore { get }
    var pictures: any PictureStore { get }
    /// The store of address owners; nil if one core sends all pushes, and so knows them itself.
    var addresses: (any AddressStore)? { get }
    /// Upkeep of the whole store.
    var upkeep: any StoreUpkeep { get }
    /// Secrets in the database; nil if they are files in the folder.
    var secrets: (any SecretStore)? { get }
}

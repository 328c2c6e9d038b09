import RelayCore

/// The stored data of all workspaces together, whichever relay has it open: one that is alone, or one of several.
protocol OpenData: Sendable {
    /// The data directory. Beside the data it has what a relay on this machine needs: its address, sockets, keys, profiles.
    var folder: String { get }
    var credentials: any CredentialStore { get }
    var workspaces: any WorkspaceStore { get }
    var pictures: any PictureStore { get }
    /// Nil where all who push are one core, which knows by itself.
    var addresses: (any AddressStore)? { get }
    /// Upkeep of the whole store.
    var upkeep: any StoreUpkeep { get }
    /// Nil if they are files in the folder.
    var secrets: (any SecretStore)? { get }
}

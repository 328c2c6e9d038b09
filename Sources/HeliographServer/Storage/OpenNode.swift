import RelayCluster
internal import RelayProtocol
internal import RelayCore
internal import StorePostgres
internal import StoreSQLite

/// A database shared by several nodes: the data of no workspace, and access to the workspaces that this node owns.
struct OpenNode: OpenData {
    /// See `PostgresNode.renewalMax`.
    static let renewalMax = PostgresNode.renewalMax

    let folder: String
    private let directory: DatabaseFolder
    private let node: PostgresNode

    var credentials: any CredentialStore { node.credentials }
    var workspaces: any WorkspaceStore { node.credentials }
    var secrets: (any SecretStore)? { node.secrets }
    var pictures: any PictureStore { node.pictures }
    var addresses: (any AddressStore)? { node.addresses }
    /// Upkeep of the whole database.
    var upkeep: any StoreUpkeep { node.upkeep }
    var schema: String { node.schema }
    /// Identifies this process only.
    var holder: String { node.holder }

    /// Opens the database at `address` for a relay. Throws `refusal`, if not nil, rather than replace relays of an older version
    /// while acknowledged data is on one machine alone.
    init(
        forRelayIn directory: String, at address: String, name: String, reachedAt url: String, linkSecret: String,
        refusal: String?
    ) throws {
        self.directory = try DatabaseFolder(directory, besideDatabaseAt: address)
        node = try PostgresNode(
            address, as: NodeIdentity(name: name, url: url, secret: linkSecret, software: ServerConfiguration.version)
        ) { $0.isSynchronous ? nil : refusal }
        try self.directory.note()
        folder = self.directory.directory.path
    }

    func look() throws(LogError) -> (view: PlacementView, changes: Int64) { try node.look() }

    /// True if other nodes are alive.
    func hasCompany() throws(LogError) -> Bool { try node.hasCompany() }

    func durability() throws(LogError) -> DatabaseDurability { DatabaseDurability(try node.durability()) }

    /// Renews this node's lease, and announces whether it is about to end.
    func renew(isLeaving: Bool) throws(LogError) { try node.renew(isLeaving: isLeaving) }

    /// Claims the workspace if it still has this generation and no living owner; else nil.
    func claim(_ workspace: WorkspaceID, generation: Int64) throws(LogError) -> OwnedWorkspace? {
        try node.claim(workspace, generation: generation).map { claimed in
            OwnedWorkspace(
                id: claimed.workspace, number: claimed.number, log: claimed.log, upkeep: claimed.upkeep,
                whenLost: { claimed.whenLost($0) }, handOver: { () throws(LogError) in try claimed.handOver() },
                close: { claimed.close() })
        }
    }

    /// Removes this node's row, and releases what it owns for other nodes.
    func close() throws(LogError) { try node.close() }
}

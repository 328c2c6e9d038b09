import RelayCluster
internal import RelayProtocol
internal import RelayCore
internal import StorePostgres
internal import StoreSQLite

/// A database as one of several nodes has it: what is of all workspaces, and the way to those that it owns.
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
    /// The schema of the database.
    var schema: String { node.schema }
    /// This process, and no other.
    var holder: String { node.holder }

    /// For a relay whose data is in the database at `address`. Throws `refusal` where relays of an older version serve from it, which this one
    /// would have to replace, and what is acknowledged is on one machine alone; nil: they are replaced all the same.
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

    /// Whether other nodes are alive.
    func hasCompany() throws(LogError) -> Bool { try node.hasCompany() }

    func durability() throws(LogError) -> DatabaseDurability { DatabaseDurability(try node.durability()) }

    /// Says that this node is alive, and whether it is about to end.
    func renew(isLeaving: Bool) throws(LogError) { try node.renew(isLeaving: isLeaving) }

    /// The workspace, where nobody who is alive owns it in another generation; nil where somebody does.
    func claim(_ workspace: WorkspaceID, generation: Int64) throws(LogError) -> OwnedWorkspace? {
        try node.claim(workspace, generation: generation).map { claimed in
            OwnedWorkspace(
                id: claimed.workspace, number: claimed.number, log: claimed.log, upkeep: claimed.upkeep,
                whenLost: { claimed.whenLost($0) }, handOver: { () throws(LogError) in try claimed.handOver() },
                close: { claimed.close() })
        }
    }

    /// Says goodbye to the other nodes, who may have what it owns.
    func close() throws(LogError) { try node.close() }
}

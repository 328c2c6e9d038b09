import RelayCluster
internal import RelayCore
internal import StorePostgres
internal import StoreSQLite

/// What a node needs of its store before it owns the log, and the way to the rest.
struct OpenNode: Sendable {
    let folder: String
    private let directory: DatabaseFolder
    private let node: PostgresClusterNode

    var credentials: any CredentialStore { node.credentials }
    var workspaces: any WorkspaceStore { node.credentials }
    /// This process, and no other.
    var holder: String { node.holder }

    /// For a relay whose data is in the database at `address`. Throws `refusal` where relays of an older version serve from it, which this one
    /// would have to replace, and what is acknowledged is on one machine alone; nil: they are replaced all the same.
    init(
        forRelayIn directory: String, at address: String, name: String, reachedAt url: String, linkSecret: String,
        refusal: String?
    ) throws {
        self.directory = try DatabaseFolder(directory, besideDatabaseAt: address)
        node = try PostgresClusterNode(
            address, as: NodeIdentity(name: name, url: url, secret: linkSecret, software: ServerConfiguration.version)
        ) { $0.isSynchronous ? nil : refusal }
        try self.directory.note()
        folder = self.directory.directory.path
    }

    /// `look`, `renew` and `claim` are called from one thread. `changes` is how often tokens and workspaces were changed.
    func look() throws(LogError) -> (view: ClusterView, changes: Int64) { try node.look() }

    /// Whether other nodes are alive, whoever owns the log.
    func hasCompany() throws(LogError) -> Bool { try node.hasCompany() }

    /// Whether what is acknowledged is on two machines.
    func isSynchronous() throws(LogError) -> Bool { try node.durability().isSynchronous }

    /// Says that this node is alive.
    func renew() throws(LogError) { try node.renew() }

    /// The whole store, where nobody who is alive holds the log; nil where somebody does.
    func claim() throws(LogError) -> OpenStore? { try node.claim().map { OpenStore(directory, $0) } }

    /// Says goodbye to the other nodes.
    func close() throws(LogError) { try node.close() }
}

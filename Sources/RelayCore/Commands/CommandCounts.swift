import RelayModel
import RelayProtocol

/// Number of remembered commands by client and workspace. Kept as a running count, so that a client with thousands of commands does
/// not slow down the others'.
struct CommandCounts: Equatable {
    private var ofClients: [ClientKey: Int] = [:]
    private var ofWorkspaces: [WorkspaceID: Int] = [:]

    init(_ names: some Sequence<CommandKey> = []) { for name in names { add(name) } }

    mutating func add(_ name: CommandKey) { count(name, 1) }
    mutating func remove(_ name: CommandKey) { count(name, -1) }

    private mutating func count(_ name: CommandKey, _ change: Int) {
        let client = ClientKey(workspace: name.workspace, client: name.client)
        let (ofClient, ofWorkspace) = (
            ofClients[client, default: 0] + change, ofWorkspaces[name.workspace, default: 0] + change
        )
        ofClients[client] = ofClient > 0 ? ofClient : nil
        ofWorkspaces[name.workspace] = ofWorkspace > 0 ? ofWorkspace : nil
    }

    /// The quota that prevents another command; nil if there is none. A client's quota leaves room for other clients, and a
    /// workspace's for other workspaces.
    func quotaReached(by name: CommandKey, _ quotas: Quotas) -> Quota? {
        let client = ClientKey(workspace: name.workspace, client: name.client)
        if ofClients[client, default: 0] >= quotas.commandsPerDayPerClient { return .commandsPerDayPerClient }
        if ofWorkspaces[name.workspace, default: 0] >= quotas.commandsPerDayPerWorkspace { return .commandsPerDayPerWorkspace }
        return nil
    }
}

import RelayModel
import RelayProtocol

/// How many commands are remembered of each client and workspace. Counted as they come and go: whoever has sent thousands must not make the next
/// command of anybody slow.
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

    /// Nil if another one can be remembered: one client's many leave room for others', and a workspace's for others'.
    func quotaReached(by name: CommandKey, _ quotas: Quotas) -> Quota? {
        let client = ClientKey(workspace: name.workspace, client: name.client)
        if ofClients[client, default: 0] >= quotas.commandsPerDayPerClient { return .commandsPerDayPerClient }
        if ofWorkspaces[name.workspace, default: 0] >= quotas.commandsPerDayPerWorkspace { return .commandsPerDayPerWorkspace }
        return nil
    }
}

import RelayModel
import RelayProtocol

/// Identifies a command that has an effect outside the log.
struct CommandKey: Hashable {
    let workspace: WorkspaceID
    let client: ClientID
    let command: CommandID

    init(_ client: ClientKey, _ command: CommandID) {
        workspace = client.workspace
        self.client = client.client
        self.command = command
    }

    init(_ record: CommandRecord) {
        workspace = record.workspace
        client = record.client
        command = record.command
    }
}

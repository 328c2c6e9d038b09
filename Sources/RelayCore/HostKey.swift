import RelayModel
import RelayProtocol

/// A host by identifier, within its workspace.
struct HostKey: Hashable {
    let workspace: WorkspaceID
    let host: HostID
}

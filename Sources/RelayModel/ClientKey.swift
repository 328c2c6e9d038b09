package import RelayProtocol

/// A client by name, within its workspace.
package struct ClientKey: Hashable, Sendable {
    package let workspace: WorkspaceID
    package let client: ClientID

    package init(workspace: WorkspaceID, client: ClientID) {
        self.workspace = workspace
        self.client = client
    }
}

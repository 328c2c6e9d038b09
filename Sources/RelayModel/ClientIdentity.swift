package import RelayProtocol

/// The client that a token speaks for.
package struct ClientIdentity: Sendable, Equatable {
    package let workspace: Named<WorkspaceTag>
    package let client: Named<ClientTag>

    package init(workspace: Named<WorkspaceTag>, client: Named<ClientTag>) {
        self.workspace = workspace
        self.client = client
    }
}

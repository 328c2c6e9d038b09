package import RelayProtocol

/// The client that a token speaks for.
package struct ClientIdentity: Sendable, Equatable {
    package let workspace: Named<WorkspaceTag>
    package let client: Named<ClientTag>
    package let scope: Scope

    package init(workspace: Named<WorkspaceTag>, client: Named<ClientTag>, scope: Scope) {
        self.workspace = workspace
        self.client = client
        self.scope = scope
    }
}

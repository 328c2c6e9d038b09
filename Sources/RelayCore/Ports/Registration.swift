package import RelayProtocol

/// A workspace that a stranger made by open registration.
package struct Registration: Sendable, Equatable {
    package var workspace: WorkspaceID
    /// Address from which it was made; for IPv6 the /64.
    package var from: String
    /// Milliseconds since 1970.
    package var at: Int64

    package init(workspace: WorkspaceID, from: String, at: Int64) {
        self.workspace = workspace
        self.from = from
        self.at = at
    }
}

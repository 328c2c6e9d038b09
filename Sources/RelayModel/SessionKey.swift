package import RelayProtocol

/// A session's name in the log: nothing is ever looked up without its workspace.
package struct SessionKey: Hashable, Comparable, Sendable {
    package let workspace: WorkspaceID
    package let session: SessionID

    package init(workspace: WorkspaceID, session: SessionID) {
        self.workspace = workspace
        self.session = session
    }

    /// Its name alone, which hardly two sessions share, and never two of one workspace: this is computed with each message.
    package func hash(into hasher: inout Hasher) { hasher.combine(session) }

    package static func < (left: SessionKey, right: SessionKey) -> Bool {
        (left.workspace.rawValue, left.session.rawValue) < (right.workspace.rawValue, right.session.rawValue)
    }
}

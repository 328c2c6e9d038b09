package import RelayProtocol

/// Identifies a session in the log: sessions are never looked up without their workspace.
package struct SessionKey: Hashable, Comparable, Sendable {
    package let workspace: WorkspaceID
    package let session: SessionID

    package init(workspace: WorkspaceID, session: SessionID) {
        self.workspace = workspace
        self.session = session
    }

    /// Hashes the session alone, for speed: this runs with each message, and hardly any two sessions have the same identifier.
    package func hash(into hasher: inout Hasher) { hasher.combine(session) }

    package static func < (left: SessionKey, right: SessionKey) -> Bool {
        (left.workspace.rawValue, left.session.rawValue) < (right.workspace.rawValue, right.session.rawValue)
    }
}

package import RelayCore
package import RelayModel
package import RelayProtocol

extension WorkspaceID {
    package static let home = Self("home")!
    package static let other = Self("other")!
}

package func id<Tag>(_ text: String) -> Identifier<Tag> { Identifier(text)! }

extension SessionKey {
    package static let first = SessionKey(workspace: .home, session: id("s1"))
    package static let second = SessionKey(workspace: .home, session: id("s2"))
}

extension WorkspaceStore {
    /// Adds a workspace without an audit record.
    package func addWorkspace(_ workspace: Named<WorkspaceTag>) throws(LogError) { try addWorkspace(workspace, at: nil) }
}

extension SessionLog {
    /// Everything of a session, and how many there are by its state.
    package func all(_ key: SessionKey) throws -> [[UInt8]] {
        try events(of: key, after: 0, limit: .max, bytesMax: .max).events
    }

    package func seq(_ key: SessionKey) throws -> Int64? {
        try load(resolvedSince: 0).sessions.first { $0.key == key }?.state.seq
    }
}

package func expected(_ key: SessionKey, _ range: ClosedRange<Int64>) -> [[UInt8]] { range.map { Writer.bytes(key, seq: $0) } }

/// A damaged stored record, without which the relay continues.
package struct DamagedRecord: Sendable, Equatable {
    /// The workspace's identifier as stored, valid or not; empty if the record belongs to none.
    package let workspace: String
    package let session: String
    package let what: String

    /// Text for a record whose checksum does not match.
    package static let changed = "is not as it was written"

    package init(workspace: String, session: String, what: String) {
        self.workspace = workspace
        self.session = session
        self.what = what
    }
}

/// Something stored that the relay goes on without.
package struct DamagedRecord: Sendable, Equatable {
    /// As they are stored, well spelled or not; empty where it is of none.
    package let workspace: String
    package let session: String
    package let what: String

    /// What is said of something whose checksum is of something else.
    package static let changed = "is not as it was written"

    package init(workspace: String, session: String, what: String) {
        self.workspace = workspace
        self.session = session
        self.what = what
    }
}

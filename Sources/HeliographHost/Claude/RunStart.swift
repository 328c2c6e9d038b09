/// Options with which the daemon starts a session by `heliograph run`.
package struct RunStart: Sendable {
    package var folder: String
    /// The name of a new session.
    package var session: String?

    package init(folder: String, session: String?) {
        self.folder = folder
        self.session = session
    }
}

import HeliographPlatform

/// The socket by which the command line reaches the relay of a data directory. Only the owner may use it.
struct AdminSocket {
    let path: String
    let folder: String

    /// `folder` is the relay's data directory.
    init(in folder: String) {
        self.folder = folder
        path = folder + "/relay.sock"
    }

    /// Throws if no relay can listen there.
    func check() throws(ServerError) {
        guard UnixAddress(path) == nil else { return }
        let most = UnixAddress.pathBytesMax - "/relay.sock".utf8.count
        throw ServerError(
            .settings,
            """
            The data folder's path has \(path.utf8.count - "/relay.sock".utf8.count) bytes, and the socket in it allows at most \
            \(most). Name a shorter one (--data), or make a link to it (ln -s) and name that.
            """)
    }
}

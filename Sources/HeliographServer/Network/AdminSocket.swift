import HeliographPlatform

/// Where the command line asks the relay that runs on a data directory. Only the owner may use the socket.
struct AdminSocket {
    let path: String
    let folder: String

    /// `folder` is the relay's data directory.
    init(in folder: String) {
        self.folder = folder
        path = folder + "/relay.sock"
    }

    /// Throws where no relay can listen there.
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

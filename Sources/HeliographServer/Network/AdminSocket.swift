import HeliographPlatform

/// The socket through which the command line reaches the relay of a data directory. Only its owner may use it.
struct AdminSocket {
    let path: String
    let folder: String

    /// `folder`: the relay's data directory.
    init(in folder: String) {
        self.folder = folder
        path = folder + "/relay.sock"
    }

    /// Throws if the path is too long for a socket.
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

import HeliographPlatform
import RelayAccess

/// How the command line asks the relay that runs on a data directory. Only the owner may use the socket.
struct AdminSocket {
    let path: String

    /// `folder` is the relay's data directory.
    init(in folder: String) { path = folder + "/relay.sock" }

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

    /// Throws `unreachable` where no relay runs.
    func ask(_ method: HTTPExchange.Method, _ path: String) throws(HTTPError) -> HTTPExchange.Answer {
        guard UnixAddress(self.path) != nil else {
            throw HTTPError(.unreachable, "the path \(self.path) is too long for a socket")
        }
        guard let relay = RelayAddress("unix:" + self.path) else { throw HTTPError(.local, "\(self.path) names no socket") }
        return try HTTPExchange(relay: relay, method: method, path: path).perform()
    }

    /// As above, of what an older relay does not know.
    func body(of path: String) throws(HTTPError) -> [UInt8] {
        let answer = try ask(.post, path)
        guard answer.status == 200 else {
            throw HTTPError(.badAnswer, "the relay answered \(answer.status): it may be of an older version")
        }
        return answer.body
    }
}

import RelayAccess

/// How the command line asks the relay that runs on a data directory. Only the owner may use the socket.
struct AdminSocket {
    let path: String

    /// `folder` is the relay's data directory.
    init(in folder: String) { path = folder + "/relay.sock" }

    /// Throws `unreachable` where no relay runs.
    func ask(_ method: HTTPExchange.Method, _ path: String) throws(HTTPError) -> HTTPExchange.Answer {
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

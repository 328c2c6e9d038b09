import Glibc
import HeliographPlatform
import RelayAccess

extension AdminSocket {
    /// Time to wait for a running relay: it creates its socket again if that was removed, and has none at first when it starts.
    private static let patience = Duration.seconds(5)
    private static let retryMicroseconds: UInt32 = 100_000
    /// Limit of an answer: enough for a list of some ten thousand tokens.
    private static let answerBytesMax = 16 << 20

    /// Throws `unreachable` if no relay runs, and `timedOut` if one runs that does not answer.
    func ask(
        _ method: HTTPExchange.Method, _ path: String, body: [UInt8] = []
    ) throws(HTTPError) -> HTTPExchange.Answer {
        guard UnixAddress(self.path) != nil else {
            throw HTTPError(.unreachable, "the path \(self.path) is too long for a socket")
        }
        guard let relay = RelayAddress("unix:" + self.path) else { throw HTTPError(.local, "\(self.path) names no socket") }
        var exchange = HTTPExchange(relay: relay, method: method, path: path, body: body)
        exchange.answerBytesMax = Self.answerBytesMax
        var deadline: ContinuousClock.Instant?
        while true {
            do throws(HTTPError) { return try exchange.perform() } catch {
                guard error.code == .unreachable else { throw error }
                let now = ContinuousClock.now
                // Checked when the relay is first missed and at the end: in between it may end, or start.
                if deadline.map({ now >= $0 }) ?? true {
                    guard Storage.isInUse(folder) else { throw error }
                    guard deadline == nil else { throw silence }
                    deadline = now + Self.patience
                }
                usleep(Self.retryMicroseconds)
            }
        }
    }

    /// The answer's body, for a path that an older relay may not have.
    func body(of path: String) throws(HTTPError) -> [UInt8] {
        let answer = try ask(.post, path)
        guard answer.status == 200 else {
            throw HTTPError(.badAnswer, "the relay answered \(answer.status): it may be of an older version")
        }
        return answer.body
    }

    private var silence: HTTPError {
        HTTPError(
            .timedOut,
            """
            the relay that runs on \(folder) cannot be asked: its socket \(path) is gone or does not answer. It makes it again \
            within seconds if it can; else restart it
            """)
    }
}

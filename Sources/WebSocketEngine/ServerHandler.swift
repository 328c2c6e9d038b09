/// Receives a listener's events, on the loop's thread. Any method of the loop may be called from here.
package protocol ServerHandler: AnyObject {
    /// A peer was refused, or cut off before it had sent a request. For counting only.
    func turnedAway(_ reason: TurnAwayReason)

    /// The peer for the cap per address: itself, or the network from which one visitor can choose addresses. Nil if many visitors come
    /// through this peer, or it is trusted, and it is not counted.
    func countedPeer(for peer: Peer) -> Peer?

    /// True if this peer may give the sender's address, in a PROXY header.
    func isProxy(_ peer: Peer) -> Bool

    /// The headers of a request or of a handshake are in, its body is not. `peer` is whose socket it came on; a handler that knows from
    /// the headers who the real sender is says so there, and that one is counted then. What it returns is the answer, and the end.
    func headReceived(_ request: inout HTTPRequest) -> HTTPResponse?

    /// Comes before that: whether the connection may bring another request after this one. Where it carries those of several senders, what
    /// another parser took for one's body would be run as another's request.
    func mayAskAgain(after request: HTTPRequest) -> Bool

    /// Comes before that, too: how large a body this request may have; nil: `Limits.httpBodyBytesMax`.
    func bodyBytesMax(of request: HTTPRequest) -> Int?

    /// Comes before any upgrade, with a handshake that is formally right: the policy (origin, token, path) is the handler's.
    /// State that is keyed by `connection` can be made here; `opened` or `upgradeAbandoned` follows an accept.
    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision

    func opened(_ connection: ConnectionID)
    func received(_ message: IncomingMessage, on connection: ConnectionID)

    /// Name to which an open connection's incomplete message counts, see `Limits.unfinishedBytesMax`; nil: its peer.
    func holder(of connection: ConnectionID) -> String?

    /// More than `Limits.congestedBytes` wait to be sent. `drained` follows when the peer has read them, unless `closed` does.
    func congested(_ connection: ConnectionID)
    func drained(_ connection: ConnectionID)

    /// Exactly once for each `opened`.
    func closed(_ connection: ConnectionID, reason: CloseReason)

    /// An accepted upgrade that never opened: exactly one of this and `opened` follows an accept.
    func upgradeAbandoned(_ connection: ConnectionID)

    /// Plain HTTP, the body complete. Answer with `EventLoop.respond(to:_:)`, now or in an hour.
    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID)

    /// The peer left before it was answered; `respond` is then ignored.
    func requestAborted(_ id: HTTPRequestID)
}

extension ServerHandler {
    package func turnedAway(_ reason: TurnAwayReason) {}
    package func countedPeer(for peer: Peer) -> Peer? { peer.isLocal ? nil : peer }
    package func isProxy(_ peer: Peer) -> Bool { false }
    package func headReceived(_ request: inout HTTPRequest) -> HTTPResponse? { nil }
    package func mayAskAgain(after request: HTTPRequest) -> Bool { true }
    package func bodyBytesMax(of request: HTTPRequest) -> Int? { nil }
    package func holder(of connection: ConnectionID) -> String? { nil }
    package func upgradeAbandoned(_ connection: ConnectionID) {}
    package func congested(_ connection: ConnectionID) {}
    package func drained(_ connection: ConnectionID) {}
    package func requestAborted(_ id: HTTPRequestID) {}
}

/// Receives a listener's events, on the loop's thread. Any method of the loop may be called from here.
package protocol ServerHandler: AnyObject {
    /// A peer was refused, or cut off before it sent a request. For counting only.
    func turnedAway(_ reason: TurnAwayReason)

    /// The peer to count against the limit per address: the peer itself, or the network in which one visitor can choose addresses.
    /// Nil if it is not counted, because it is trusted or many visitors come through it.
    func countedPeer(for peer: Peer) -> Peer?

    /// True if this peer may state the sender's address in a PROXY header.
    func isProxy(_ peer: Peer) -> Bool

    /// The headers of a request or handshake have arrived, the body has not. `peer` is the other end of the socket; a handler that
    /// learns the original sender from the headers sets it, and that one is counted. A returned response is sent, and ends the
    /// request.
    func headReceived(_ request: inout HTTPRequest) -> HTTPResponse?

    /// Called before `headReceived`: false if the connection must not carry another request. If it carries those of several
    /// senders, a body that another parser reads differently could be taken for another sender's request.
    func mayAskAgain(after request: HTTPRequest) -> Bool

    /// Called before `headReceived`, too: largest body of this request; nil for `Limits.httpBodyBytesMax`.
    func bodyBytesMax(of request: HTTPRequest) -> Int?

    /// Called before any upgrade, with a handshake of valid form; the handler decides on origin, token and path. State that is
    /// keyed by `connection` can be made here; `opened` or `upgradeAbandoned` follows an accept.
    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision

    func opened(_ connection: ConnectionID)
    func received(_ message: IncomingMessage, on connection: ConnectionID)

    /// Name that an open connection's incomplete messages count for, see `Limits.unfinishedBytesMax`; nil for its peer.
    func holder(of connection: ConnectionID) -> String?

    /// More than `Limits.congestedBytes` wait to be sent. `drained` follows when the peer has read most of them, unless `closed`
    /// does.
    func congested(_ connection: ConnectionID)
    func drained(_ connection: ConnectionID)

    /// Called exactly once for each `opened`.
    func closed(_ connection: ConnectionID, reason: CloseReason)

    /// An accepted upgrade never opened. After an accept, exactly one of this and `opened` is called.
    func upgradeAbandoned(_ connection: ConnectionID)

    /// A plain HTTP request with its complete body. Answer with `EventLoop.respond(to:_:)`, at once or later.
    func requestReceived(_ request: HTTPRequest, id: HTTPRequestID)

    /// The peer left before it was answered; `respond` then has no effect.
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

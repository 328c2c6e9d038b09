/// What a listener tells, always on the loop's thread. Any method of the loop may be called from here.
package protocol ServerHandler: AnyObject {
    /// Somebody knocked and was not let in; all there is to do is to count.
    func turnedAway(_ reason: TurnAwayReason)

    /// Comes before any upgrade, with a handshake that is formally right: the policy (origin, token, path) is the handler's.
    /// State that is keyed by `connection` can be made here; `opened` or `upgradeAbandoned` follows an accept.
    func upgradeRequested(_ request: HTTPRequest, on connection: ConnectionID) -> UpgradeDecision

    func opened(_ connection: ConnectionID)
    func received(_ message: IncomingMessage, on connection: ConnectionID)

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
    package func upgradeAbandoned(_ connection: ConnectionID) {}
    package func congested(_ connection: ConnectionID) {}
    package func drained(_ connection: ConnectionID) {}
    package func requestAborted(_ id: HTTPRequestID) {}
}

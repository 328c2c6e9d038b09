/// Receives the events of an outbound connection, on the loop's thread and never before `connect` has returned.
package protocol ClientHandler: AnyObject {
    func opened(_ connection: ConnectionID, subprotocol: String?)
    func received(_ message: IncomingMessage, on connection: ConnectionID)

    /// More than `Limits.congestedBytes` wait to be sent. `drained` follows when the peer has read most of them, unless `closed`
    /// does.
    func congested(_ connection: ConnectionID)
    func drained(_ connection: ConnectionID)

    /// Called exactly once for each `connect`, even if the WebSocket never opened.
    func closed(_ connection: ConnectionID, reason: CloseReason)
}

extension ClientHandler {
    package func congested(_ connection: ConnectionID) {}
    package func drained(_ connection: ConnectionID) {}
}

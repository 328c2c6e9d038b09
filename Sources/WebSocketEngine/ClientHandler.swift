/// What an outbound connection tells, always on the loop's thread and never before `connect` has returned.
package protocol ClientHandler: AnyObject {
    func opened(_ connection: ConnectionID, subprotocol: String?)
    func received(_ message: IncomingMessage, on connection: ConnectionID)

    /// Exactly once for each `connect`, also if it never opened.
    func closed(_ connection: ConnectionID, reason: CloseReason)
}

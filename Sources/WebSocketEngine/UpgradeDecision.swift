/// A handler's answer to the opening handshake of a WebSocket.
package enum UpgradeDecision: Sendable {
    /// `subprotocol` is one that the client offered and the listener's configuration names, or nil for none. `limits`: its own, in place
    /// of the listener's, from the handshake on.
    case accept(subprotocol: String?, limits: Limits? = nil)

    /// Answers with plain HTTP and hangs up. `body` is sent as text.
    case refuse(status: UInt16, headers: [(String, String)] = [], body: String)
}

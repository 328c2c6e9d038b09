/// A handler's decision on the opening handshake of a WebSocket.
package enum UpgradeDecision: Sendable {
    /// `subprotocol` is one that the client offered and the listener's configuration names, or nil for none. `limits` replaces the
    /// listener's from the handshake on.
    case accept(subprotocol: String?, limits: Limits? = nil)

    /// Answers with plain HTTP and closes the connection. `body` is sent as text.
    case refuse(status: UInt16, headers: [(String, String)] = [], body: String)
}

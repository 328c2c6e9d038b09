package import HostCore
package import RelayProtocol

package typealias CodexInput = AgentInput<CodexFact>

/// Input from the connection to Codex's app-server.
package enum CodexFact: Sendable {
    case connected
    /// A message. The token is unique to it, and is used to answer it if it is a request. The checkout is that of the thread's
    /// folder, for an answer that contains a thread.
    case received(JSONDocument, HookToken, Checkout? = nil)
    case disconnected
    /// The real files, by the paths that lead to them through a link; nil if that could not be found out in time.
    case linksFound(HookToken, [String: String]?)
    /// No server was started, for this reason.
    case notStarted(String)
}

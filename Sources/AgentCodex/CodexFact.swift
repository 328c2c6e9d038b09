package import HostCore
package import RelayProtocol

package typealias CodexInput = AgentInput<CodexFact>

/// Input from the connection to Codex's app-server.
package enum CodexFact: Sendable {
    case connected
    /// The token names what came, for the answer if it is a request; it is this message's alone. The checkout is the one that the folder of
    /// a thread is in, of an answer that has a thread.
    case received(JSONDocument, HookToken, Checkout? = nil)
    case disconnected
    /// The files that are meant, by the paths through which a link leads to them; nil if nobody could tell in time.
    case linksFound(HookToken, [String: String]?)
    /// No server was started, and why.
    case notStarted(String)
}

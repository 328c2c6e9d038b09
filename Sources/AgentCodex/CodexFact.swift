package import HostCore
package import RelayProtocol

package typealias CodexInput = AgentInput<CodexFact>

/// Input from the connection to Codex's app-server.
package enum CodexFact: Sendable {
    case connected
    /// The token names what came, for the answer if it is a request; it is this message's alone.
    case received(JSONDocument, HookToken)
    case disconnected
    /// No server was started, and why.
    case notStarted(String)
}

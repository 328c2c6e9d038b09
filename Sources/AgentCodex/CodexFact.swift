package import HostCore
package import RelayProtocol

package typealias CodexInput = AgentInput<CodexFact>

/// What only the connection to Codex's app-server tells.
package enum CodexFact: Sendable {
    case connected
    /// The token names what came, for the answer if it is a request; it is this message's alone.
    case received(JSONDocument, HookToken)
    case disconnected
    /// No server was started, and why.
    case notStarted(String)
}

package import HostCore

package typealias LocalInput = AgentInput<LocalFact>

/// A request of a program of the same user, which waits for the answer.
package enum LocalFact: Sendable {
    case eventsSent([LocalEvent], by: AgentProcess?, HookToken)
    case asked(LocalAsk, by: AgentProcess?, HookToken)
    case settled(LocalSettlement, by: AgentProcess?, HookToken)
    case steering(LocalSteering, by: AgentProcess?, HookToken)
}

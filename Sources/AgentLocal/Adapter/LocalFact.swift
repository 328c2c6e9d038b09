package import HostCore
internal import RelayProtocol

package typealias LocalInput = AgentInput<LocalFact>

/// A request of a program of the same user, which waits for the answer.
package enum LocalFact: Sendable {
    case eventsSent([LocalEvent], by: AgentProcess?, HookToken)
    case asked(LocalAsk, by: AgentProcess?, HookToken)
    /// The real files, by the paths that lead to them through a link; nil if that could not be found out in time.
    case linksFound(HookToken, [String: String]?)
    case settled(LocalSettlement, by: AgentProcess?, HookToken)
    case steering(LocalSteering, by: AgentProcess?, HookToken)

    /// The program's name of the call that it asks to allow; nil for other requests.
    package var callToAllow: String? {
        guard case .asked(let ask, _, _) = self, ask.kind == .tool else { return nil }
        return ask.approval
    }
}

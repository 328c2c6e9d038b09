package import HostCore

package typealias LocalEffect = AgentEffect<LocalOrder>

package enum LocalOrder: Sendable, Equatable {
    /// Refuses a request that changed nothing.
    case refuse(HookToken, LocalError)
    /// Resolves the links in a question's paths; `linksFound` reports the result.
    case findLinks(HookToken, [String], in: String?)
}

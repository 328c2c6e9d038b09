package import HostCore

package typealias LocalEffect = AgentEffect<LocalOrder>

package enum LocalOrder: Sendable, Equatable {
    /// Answers a request of which nothing was taken.
    case refuse(HookToken, LocalError)
}

package import HostCore

package typealias LocalEffect = AgentEffect<LocalOrder>

package enum LocalOrder: Sendable, Equatable {
    /// Answers a request of which nothing was taken.
    case refuse(HookToken, LocalError)
    /// The links in a path that a question names. Comes back as `linksFound`.
    case findLinks(HookToken, String, in: String?)
}

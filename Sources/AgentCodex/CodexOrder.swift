package import HostCore

package typealias CodexEffect = AgentEffect<CodexOrder>

/// Orders to the connection to Codex's app-server. An answer to one of its requests is `respond`: it waits for the disk.
package enum CodexOrder: Sendable, Equatable {
    case send([UInt8])
    /// The links in paths that a change names. Comes back as `linksFound`.
    case findLinks(HookToken, [String], in: String?)
    /// The peer does not speak our protocol; tried again later.
    case hangUp
    /// There is none that takes us: Codex is asked to start the one that its terminal shares. Comes back as `connected`, or `notStarted`.
    case startServer
}

package import HostCore

package typealias CodexEffect = AgentEffect<CodexOrder>

/// What is to be done with the connection to Codex's app-server. An answer to one of its requests is `respond`: it waits for the disk.
package enum CodexOrder: Sendable, Equatable {
    case send([UInt8])
    /// What is there does not speak as we do; tried again later.
    case hangUp
    /// There is none that takes us: Codex is asked to start the one that its terminal shares. Comes back as `connected`, or `notStarted`.
    case startServer
}

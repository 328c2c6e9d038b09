package import HostCore

package typealias CodexEffect = AgentEffect<CodexOrder>

/// Orders to the connection to Codex's app-server. Answers to its requests are sent by `respond` instead, which waits for the disk.
package enum CodexOrder: Sendable, Equatable {
    case send([UInt8])
    /// Resolves the links in paths of a change; `linksFound` reports the result.
    case findLinks(HookToken, [String], in: String?)
    /// Closes the connection, because the peer does not speak our protocol; it is tried again later.
    case hangUp
    /// Makes Codex start the server that its terminal shares, because none accepts us. `connected` or `notStarted` reports the
    /// result.
    case startServer
}

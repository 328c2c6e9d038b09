package import HostCore
package import RelayProtocol

package typealias ClaudeEffect = AgentEffect<ClaudeOrder>

/// Reads of Claude Code's files, and input for it.
package enum ClaudeOrder: Sendable, Equatable {
    /// Comes back as `tasksRead`.
    case readTasks(SessionID, directory: String)
    /// Each that changed since the last look comes back as `registryRead`.
    case readRegistry([ClaudeRegistryFile])
    /// All that the registry has open come back as `openFound`.
    case findOpen
    /// From its end on; what it says of decisions comes back as `transcriptRead` at each `readTranscript`.
    case followTranscript(SessionID, path: String)
    case readTranscript(SessionID)
    /// Comes back as `transcriptEndRead` before the next order is carried out.
    case readTranscriptEnd(ClaudeTranscriptRequest)
    /// Comes back as `messageSent`.
    case sendMessage(ClaudePeerMessage)
    /// Answered by `launched`. Refused if `openIn`, which has this session open by its hooks, still exists.
    case launch(LaunchOrder, openIn: AgentProcess?)
}

/// The registry's file of a session.
package struct ClaudeRegistryFile: Hashable, Sendable {
    package var session: SessionID
    package var path: String
}

package import HostCore
package import RelayProtocol

package typealias ClaudeEffect = AgentEffect<ClaudeOrder>

/// Orders to read Claude Code's files, and to send it input.
package enum ClaudeOrder: Sendable, Equatable {
    /// Reads the task list; `tasksRead` reports it.
    case readTasks(SessionID, directory: String)
    /// Reads these entries; `registryRead` reports each that changed since the last look.
    case readRegistry([ClaudeRegistryFile])
    /// All that the registry has open come back as `openFound`.
    case findOpen
    /// Follows the transcript from its end on. At each `readTranscript`, its new lines about decisions are reported as
    /// `transcriptRead`.
    case followTranscript(SessionID, path: String)
    case readTranscript(SessionID)
    /// Reads the end of a transcript; `transcriptEndRead` reports it before the next order is carried out.
    case readTranscriptEnd(ClaudeTranscriptRequest)
    /// Sends a message to another session's socket; `messageSent` reports the result.
    case sendMessage(ClaudePeerMessage)
    /// Launches a session; `launched` reports the outcome. Refused if `openIn`, the process in which hooks reported this session
    /// open, still exists.
    case launch(LaunchOrder, openIn: AgentProcess?)
}

/// The registry's file of a session.
package struct ClaudeRegistryFile: Hashable, Sendable {
    package var session: SessionID
    package var path: String
}

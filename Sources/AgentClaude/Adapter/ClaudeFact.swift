package import HostCore
package import RelayProtocol

package typealias ClaudeInput = AgentInput<ClaudeFact>

/// Input from Claude Code's hooks and files.
package enum ClaudeFact: Sendable {
    case hookCalled(ClaudeHook)
    case statusLineShown(JSONDocument, process: AgentProcess?)
    /// The files of the session's task list, each one task.
    case tasksRead(SessionID, [JSONDocument])
    /// The session's entry in Claude's registry has changed since the last look; nil if there is none.
    case registryRead(SessionID, JSONDocument?)
    /// New lines of the session's transcript that report decisions.
    case transcriptRead(SessionID, [JSONDocument])
    /// The end of a transcript; nil if it cannot be read.
    case transcriptEndRead(ClaudeTranscriptRequest, ClaudeTranscript?)
    case unheardFound(ClaudeUnheard)
    /// Sessions that are open while the daemon starts.
    case openFound([ClaudeUnheard])
    /// Prices that the host's owner has set, sent when they change.
    case pricesRead(ModelPrices)
    /// A request of `heliograph run` about its session, which waits for the answer. `in`: the process that connected.
    case programSaid(SteeredWord, SessionID, by: ProgramRun?, in: AgentProcess?, HookToken)
    /// Result of `sendMessage`; nil if the message was written.
    case messageSent(SteeringName, SessionID, refusal: String?)
    /// Result of `launch`.
    case launched(SteeringName, LaunchOutcome)
}

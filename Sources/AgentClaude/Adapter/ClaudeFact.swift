package import HostCore
package import RelayProtocol

package typealias ClaudeInput = AgentInput<ClaudeFact>

/// What Claude Code's hooks tell, and its files.
package enum ClaudeFact: Sendable {
    case hookCalled(ClaudeHook)
    case statusLineShown(JSONDocument, process: AgentProcess?)
    /// The files of the session's task list, each one task.
    case tasksRead(SessionID, [JSONDocument])
    /// The session's entry in Claude's registry is another one than at the last look; nil where there is none.
    case registryRead(SessionID, JSONDocument?)
    /// New lines of the session's transcript that tell of decisions.
    case transcriptRead(SessionID, [JSONDocument])
    /// The end of a transcript; nil where it cannot be read.
    case transcriptEndRead(ClaudeTranscriptRequest, ClaudeTranscript?)
    /// `heliograph run` says something of its session, and waits for the answer; in the process that connected.
    case programSaid(SteeredWord, SessionID, by: ProgramRun?, in: AgentProcess?, HookToken)
    /// What came of `sendMessage`: nil where it was written.
    case messageSent(SteeringName, SessionID, refusal: String?)
    /// What came of `launch`.
    case launched(SteeringName, LaunchOutcome)
}

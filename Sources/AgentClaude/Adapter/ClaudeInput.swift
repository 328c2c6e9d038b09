package import HostCore
package import RelayProtocol

/// One hook call: what Claude Code wrote to it, and what the hook knew besides.
package struct ClaudeHook: Sendable {
    package var event: String
    package var payload: JSONDocument
    /// The payload is all of what the agent wrote, exactly. Where not, it can be shown and denied, never allowed.
    package var isWhole = true
    package var process: AgentProcess?
    /// Whether somebody sits at the terminal, so that a prompt of its own stays when we abstain.
    package var isAttended = true
    /// From the second on it is the same call again, after this daemon or its connection broke.
    package var attempt = 1
    /// Names one run of the hook, the same at every attempt; nil where it told none.
    package var run: String?
    /// Only of `PermissionRequest` and `PreToolUse`: somebody waits for the answer, to the latter for a moment only.
    package var token: HookToken?
    /// Only of a `PermissionRequest` that is about a file.
    package var file: ClaudeFile?

    package init(event: String, payload: JSONDocument, process: AgentProcess?) {
        self.event = event
        self.payload = payload
        self.process = process
    }
}

/// A fact that the adapter learns.
package enum ClaudeInput: Sendable {
    /// With what an earlier life of this daemon remembered.
    case daemonStarted(notes: [String: [UInt8]])
    case hookCalled(ClaudeHook)
    case statusLineShown(JSONDocument, process: AgentProcess?)
    /// The hook went away before it was answered.
    case hookGone(HookToken)
    case decided(SessionID, ApprovalID, InputDigest, Decision)
    /// These sessions are held from now on, and no others.
    case held(Holds)
    case agentGone(AgentProcess)
    /// The files of the session's task list, each one task.
    case tasksRead(SessionID, [JSONDocument])
    /// The session's entry in Claude's registry is another one than at the last look; nil where there is none.
    case registryRead(SessionID, JSONDocument?)
    /// New lines of the session's transcript that tell of decisions.
    case transcriptRead(SessionID, [JSONDocument])
    /// The end of a transcript; nil where it cannot be read.
    case transcriptEndRead(ClaudeTranscriptRequest, ClaudeTranscript?)
    case linkChanged(isLive: Bool)
    /// The disk did not take the request of this approval, so nobody can be asked.
    case notRecorded(ApprovalID)
    /// The disk did not take events of these sessions, and is back.
    case eventsLost(Set<SessionID>)
    /// `nextDeadline` has passed.
    case timerFired
}

/// Where the registry tells of a session.
package struct ClaudeRegistryFile: Hashable, Sendable {
    package var session: SessionID
    package var path: String
}

/// An order of the adapter.
package enum ClaudeEffect: Sendable, Equatable {
    /// One event as it goes over the wire; `isKept` is never dropped for room.
    case emit(SessionID, [UInt8], isKept: Bool)
    case stream(Delta)
    /// Answers a waiting hook; nil is no decision, and the agent's own prompt or denial stands.
    case respond(HookToken, [UInt8]?)
    /// Answers a waiting PreToolUse: the tool needs approval. Whatever the disk says, unlike a decision.
    case ask(HookToken)
    /// Comes back as `tasksRead`.
    case readTasks(SessionID, directory: String)
    /// Each that changed since the last look comes back as `registryRead`.
    case readRegistry([ClaudeRegistryFile])
    /// From its end on; what it says of decisions comes back as `transcriptRead` at each `readTranscript`.
    case followTranscript(SessionID, path: String)
    case readTranscript(SessionID)
    /// Comes back as `transcriptEndRead` before the next order is carried out.
    case readTranscriptEnd(ClaudeTranscriptRequest)
    /// Those that are gone come back as `agentGone`.
    case checkAgents([AgentProcess])
    /// To be known after a restart; nil forgets it.
    case remember(String, [UInt8]?)
}
